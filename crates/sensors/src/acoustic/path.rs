//! Acoustic path between two points, and detection of the received signal.
//!
//! # Law
//! ```text
//!   RL = SL - 10 log A - α l,   t = ∫ ds/c                             (1)  [Urick 1983, ch. 2, 5]
//!   A = l²                              straight                       (2)
//!   A as in crates/environment/src/sound/ray.rs    refracted           (3)  [Jensen 2011, ch. 3]
//!   NL = 10 log ((N + N_0) B)                                          (4)
//!   detected: RL - NL + σ n > DT                                       (5)
//! ```
//! # Symbols
//! RL received level, SL source level, NL noise level · A spreading [m²] · α absorption, mean over
//! the path · l length · t travel time · N ambient noise of the sea
//! (`crates/sensors/src/sonar/noise.rs`), N_0 self-noise of the receiver · B bandwidth · DT
//! detection threshold · σ standard deviation of the received level, n standard normal number.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Only the first ray is used. Reflections at surface and seabed are not modelled; the fading σ in
//! (5) represents their effect. Obstructions are tested along the straight line. Sources and
//! receivers are omnidirectional. The water is at rest. If there is no refracted ray (shadow zone),
//! the signal is not detected.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::ray_scene::RayScene;
use crate::sonar::decibels::{level, power};
use crate::sonar::medium::absorption;
use crate::sonar::noise::ambient;
use merrow_environment::sound::eigenray;
use merrow_environment::{EnvironmentState, water_column};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::acoustic::ReceiverSensitivity;
use merrow_model::state::frames::view::WorldView;

/// Number of segments over which properties of non-uniform water are averaged.
const SEGMENTS: usize = 16;
/// Distance from an end within which geometry counts as part of the carrier of this end [m].
const END_CLEARANCE: f64 = 0.05;

/// Medium of the sound with its obstacles.
pub(crate) struct AcousticMedium<'a> {
    /// Geometry that can block a path.
    pub ray_scene: &'a RayScene,
    /// Poses of this geometry.
    pub view: &'a WorldView,
    /// Sea and gravity at the instant of the sample.
    pub environment: &'a EnvironmentState<'a>,
    /// Wind speed, for the ambient noise [m/s].
    pub wind: f64,
    /// Whether rays are refracted by the sound-speed profile.
    pub refracts: bool,
}

/// End point of an acoustic path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEnd {
    /// Robot that carries it.
    pub robot: Option<usize>,
    /// Position in W [m].
    pub p: Vec3,
}

/// Acoustic path from a source to a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcousticPath {
    /// Travel time along the path [s].
    pub time: f64,
    /// Transmission loss [dB re 1 m].
    pub loss: f64,
    /// Unit vector from the receiver in the direction from which the sound arrives, in W.
    pub from: Vec3,
}

impl AcousticMedium<'_> {
    /// Returns true if the straight line between two points is free: both are in the water and no
    /// terrain, structure or robot lies between them.
    pub(crate) fn has_line_of_sight(&self, a: PathEnd, b: PathEnd) -> bool {
        if self.environment.height_above_surface(a.p) >= 0.0
            || self.environment.height_above_surface(b.p) >= 0.0
        {
            return false;
        }
        let (distance, robots) = ((b.p - a.p).norm(), [a.robot, b.robot]);
        if distance < 2.0 * END_CLEARANCE || a.robot.is_some() && a.robot == b.robot {
            return true;
        }
        let (own, from, to) = match robots {
            [Some(r), Some(s)] => {
                return !self
                    .ray_scene
                    .is_occluded_between(self.view, [r, s], [a.p, b.p]);
            }
            [Some(r), None] => (r, a.p, b.p),
            [None, Some(r)] => (r, b.p, a.p),
            [None, None] => return true,
        };
        let d = (to - from).scale(1.0 / distance);
        self.ray_scene
            .first_hit_excluding(self.view, own, from, d, [0.0, distance - END_CLEARANCE])
            .is_none()
    }

    /// Computes the acoustic path from `source` to `receiver` (W [m]) for a `frequency` [Hz].
    /// Returns `None` if no refracted ray connects them. (1) to (3)
    pub(crate) fn find_path(
        &self,
        source: Vec3,
        receiver: Vec3,
        frequency: f64,
    ) -> Option<AcousticPath> {
        let chord = receiver - source;
        let length = chord.norm().max(1e-3);
        let [slowness, loss] = self.mean_slowness_and_absorption(source, receiver, frequency);
        if !self.refracts {
            let loss = 20.0 * libm::log10(length) + loss * length;
            return Some(AcousticPath {
                time: length * slowness,
                loss,
                from: chord.scale(-1.0 / length),
            });
        }
        let (sea, gravity) = (self.environment.sea, self.environment.gravity);
        let ray =
            *eigenray::eigenrays_between(sea, gravity, source, receiver, self.environment.time, 0)
                .first()?;
        let (s, c) = merrow_math::real::sin_cos(ray.angle);
        let level = Vec3::new(chord.x, chord.y, 0.0)
            .unit()
            .unwrap_or(Vec3::zero());
        let spreading = 10.0 * libm::log10(ray.spreading().max(1e-6));
        Some(AcousticPath {
            time: ray.time,
            loss: spreading + loss * ray.length,
            from: level.scale(-c) + Vec3::new(0.0, 0.0, s),
        })
    }

    /// Computes the mean slowness [s/m] and the mean absorption [dB/m] along the straight line.
    fn mean_slowness_and_absorption(&self, a: Vec3, b: Vec3, frequency: f64) -> [f64; 2] {
        let sea = self.environment.sea;
        let n = if sea.column.is_none() && sea.regions.is_empty() {
            1
        } else {
            SEGMENTS
        };
        let mut sums = [0.0; 2];
        for k in 0..n {
            let q = a + (b - a).scale((k as f64 + 0.5) / n as f64);
            sums[0] += 1.0 / self.sound_speed(q);
            sums[1] += absorption(self.environment, q, frequency);
        }
        sums.map(|sum| sum / n as f64)
    }

    /// Speed of sound at `p` in W [m/s].
    pub(crate) fn sound_speed(&self, p: Vec3) -> f64 {
        water_column::sound_speed(
            self.environment.sea,
            self.environment.gravity,
            p,
            self.environment.time,
        )
    }

    /// Returns the signal-to-noise ratio [dB] of a signal of `frequency` [Hz] that is received with
    /// the level `received` [dB re 1 µPa], or `None` if it is not detected. (4), (5)
    pub(crate) fn detect(
        &self,
        sensitivity: &ReceiverSensitivity,
        frequency: f64,
        received: f64,
        draw: &mut Draw,
    ) -> Option<f64> {
        let noise = (ambient(1e-3 * frequency, self.wind) + power(sensitivity.self_noise))
            * sensitivity.bandwidth;
        let snr = received - level(noise) + sensitivity.fading * draw.normal();
        (snr > sensitivity.threshold).then_some(snr)
    }
}
