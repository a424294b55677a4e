//! One way of sound between two places, and whether it is heard.
//!
//! # Law
//! ```text
//!   RL = SL - 10 log A - α l,   t = ∫ ds/c                             (1)  [Urick 1983, ch. 2, 5]
//!   A = l²                              straight                       (2)
//!   A as in environment/sound/ray.rs    bent                           (3)  [Jensen 2011, ch. 3]
//!   NL = 10 log ((N + N_0) B)                                          (4)
//!   heard: RL - NL + σ n > DT                                          (5)
//! ```
//! # Symbols
//! RL, SL, NL level received, of the source, of noise · A spreading [m²] · α absorption, the mean on the way · l length · t time · N noise of the sea (`sonar/noise.rs`),
//! N_0 of the receiver · B bandwidth · DT threshold · σ standard deviation of levels, n normal.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! The first ray alone, without what surface and bottom add to it: (5) has the fading of that as one number. What stands between is sought along the straight way. Who sends and who hears
//! does so alike to all sides. The water stands still. The first ray of bent sound may be none: then nothing is heard, as in a shadow zone.
//!
//! # Checked by
//! test/analytic/acoustic.rs

use crate::ray_scene::Stage;
use crate::sonar::decibels::{level, power};
use crate::sonar::medium::absorption;
use crate::sonar::noise::ambient;
use merrow_environment::sound::eigenray;
use merrow_environment::{Instant, water_column};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::acoustic::Ear;
use merrow_model::state::frames::view::View;

/// Pieces of a way through water that is not the same everywhere.
const PIECES: usize = 16;
/// How near to an end something must stand to be what carries it [m].
const AT_THE_END: f64 = 0.05;

/// What sound goes through.
pub struct Waters<'a> {
    /// What can stand in its way.
    pub stage: &'a Stage,
    /// Where that is.
    pub view: &'a View,
    /// The sea.
    pub at: &'a Instant<'a>,
    /// Wind [m/s].
    pub wind: f64,
    /// Whether the water bends it.
    pub bent: bool,
}

/// An end of a way.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The robot that carries it.
    pub robot: Option<usize>,
    /// Its place in W [m].
    pub p: Vec3,
}

/// A way from a source to a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// How long sound takes [s].
    pub time: f64,
    /// What it loses [dB re 1 m].
    pub loss: f64,
    /// Unit vector from the receiver to where sound comes from, in W.
    pub from: Vec3,
}

impl Waters<'_> {
    /// True if sound can go straight between two places: both are in the water and nothing parts them.
    pub fn is_open(&self, a: End, b: End) -> bool {
        if self.at.above_surface(a.p) >= 0.0 || self.at.above_surface(b.p) >= 0.0 {
            return false;
        }
        let (far, robots) = ((b.p - a.p).norm(), [a.robot, b.robot]);
        if far < 2.0 * AT_THE_END || a.robot.is_some() && a.robot == b.robot {
            return true;
        }
        let (own, from, to) = match robots {
            [Some(r), Some(s)] => return !self.stage.parted(self.view, [r, s], [a.p, b.p]),
            [Some(r), None] => (r, a.p, b.p),
            [None, Some(r)] => (r, b.p, a.p),
            [None, None] => return true,
        };
        let d = (to - from).scale(1.0 / far);
        self.stage
            .look(self.view, own, from, d, [0.0, far - AT_THE_END])
            .is_none()
    }

    /// The way of sound of `frequency` [Hz]. (1) to (3)
    pub fn way(&self, source: Vec3, receiver: Vec3, frequency: f64) -> Option<Way> {
        let chord = receiver - source;
        let length = chord.norm().max(1e-3);
        let [slowness, loss] = self.mean(source, receiver, frequency);
        if !self.bent {
            let loss = 20.0 * libm::log10(length) + loss * length;
            return Some(Way {
                time: length * slowness,
                loss,
                from: chord.scale(-1.0 / length),
            });
        }
        let (sea, gravity) = (self.at.sea, self.at.gravity);
        let ray = *eigenray::between(sea, gravity, source, receiver, self.at.time, 0).first()?;
        let (s, c) = merrow_math::real::sin_cos(ray.angle);
        let level = Vec3::new(chord.x, chord.y, 0.0)
            .unit()
            .unwrap_or(Vec3::zero());
        let spreading = 10.0 * libm::log10(ray.spreading().max(1e-6));
        Some(Way {
            time: ray.time,
            loss: spreading + loss * ray.length,
            from: level.scale(-c) + Vec3::new(0.0, 0.0, s),
        })
    }

    /// Mean slowness [s/m] and absorption [dB/m] on the straight way.
    fn mean(&self, a: Vec3, b: Vec3, frequency: f64) -> [f64; 2] {
        let sea = self.at.sea;
        let n = if sea.column.is_none() && sea.regions.is_empty() {
            1
        } else {
            PIECES
        };
        let mut sums = [0.0; 2];
        for k in 0..n {
            let q = a + (b - a).scale((k as f64 + 0.5) / n as f64);
            sums[0] += 1.0 / self.sound_speed(q);
            sums[1] += absorption(self.at, q, frequency);
        }
        sums.map(|sum| sum / n as f64)
    }

    /// Speed of sound at a place [m/s].
    pub fn sound_speed(&self, p: Vec3) -> f64 {
        water_column::sound_speed(self.at.sea, self.at.gravity, p, self.at.time)
    }

    /// Level over the noise of a signal of `frequency` [Hz] that is received with `level` [dB], if it is heard. (4), (5)
    pub fn hear(&self, ear: &Ear, frequency: f64, received: f64, draw: &mut Draw) -> Option<f64> {
        let noise = (ambient(1e-3 * frequency, self.wind) + power(ear.self_noise)) * ear.bandwidth;
        let snr = received - level(noise) + ear.fading * draw.normal();
        (snr > ear.threshold).then_some(snr)
    }
}
