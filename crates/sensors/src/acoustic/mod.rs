//! Acoustic positioning: what instruments make of the sound of beacons.
//!
//! # Law
//! ```text
//!   r = c_0 t + e_r                                     one way                        (1)  [Milne 1983]
//!   r = c_0 (t_3 - t_0 - T)/2 + e_r                     there and back                 (2)  [Milne 1983]
//!   σ_b² = σ_0² (1 + 10^((DT - SNR)/10))                                              (3)  (estimated: falls with the level as a Cramér-Rao bound does)
//!   P = σ_r² d dᵀ + r² σ_b² (1 - d dᵀ)                                                 (4)
//!   P_W = R P Rᵀ + [p]ₓ P_a [p]ₓᵀ + P_c                                                (5)
//! ```
//! # Symbols
//! c_0 the speed of sound that the instrument assumes · t time on the way · t_0 question, t_3 arrival of the reply, T turn-around · e_r normal, σ_r · σ_b standard deviation of
//! either angle of a bearing, σ_0 of strong signals · DT threshold, SNR level over the noise · d unit vector to the beacon, r range · P_a, P_c covariances of the carrier's attitude
//! and place · p what is added to that place, in W.
//!
//! # Frames
//! Ways and times in W, bearings in S at the instant of arrival.
//!
//! # Limits
//! All that moves keeps its velocity in the world and its turning for as long as sound is on its way. Signals do not collide, in time or in frequency.
//!
//! # Checked by
//! test/analytic/acoustic.rs, test/determinism/acoustic.rs

pub mod baseline;
pub mod fix;
pub mod hydrophone;
pub mod path;
pub mod usbl;

use crate::acoustic::path::{End, Waters};
use crate::ray_scene::Stage;
use crate::sample::{Pose, Spoiling};
use crate::sonar::decibels::level;
use merrow_environment::{Instant, air};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sensor::acoustic::{AcousticKind, AcousticSpec, Beacon, Carrier, Ear};
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::View;

/// An instrument at the instant of a sample.
pub struct Listener<'a> {
    /// What it is.
    pub spec: &'a AcousticSpec,
    /// All beacons of the world.
    pub beacons: &'a [Beacon],
    /// The sea.
    pub waters: Waters<'a>,
    /// Where it is and how it moves.
    pub pose: Pose,
    /// What spoils the sample.
    pub by: Spoiling,
    /// Speed of sound by which times become ranges [m/s].
    pub sound_speed: f64,
    /// The instant [s].
    pub now: f64,
    /// Samples a second.
    pub rate: f64,
}

/// What an instrument finds, `rate` times a second.
pub fn listen(
    (spec, rate): (&AcousticSpec, f64),
    beacons: &[Beacon],
    (stage, view, at): (&Stage, &View, &Instant<'_>),
    pose: &Pose,
    by: &Spoiling,
) -> FrameData {
    let wind = air::weather(&at.sea.air, at.time).wind.norm();
    let waters = Waters {
        stage,
        view,
        at,
        wind,
        bent: spec.bent,
    };
    let sound_speed = spec
        .sound_speed
        .unwrap_or_else(|| waters.sound_speed(pose.p_WS));
    let now = view.time_ns as f64 * 1e-9;
    let listener = Listener {
        spec,
        beacons,
        waters,
        pose: *pose,
        by: *by,
        sound_speed,
        now,
        rate,
    };
    FrameData::Sounds(match &spec.kind {
        AcousticKind::Hydrophone { synchronised } => {
            crate::acoustic::hydrophone::hear(&listener, *synchronised)
        }
        AcousticKind::Usbl { voice, carrier } => {
            crate::acoustic::usbl::ask(&listener, voice, carrier.as_ref())
        }
        AcousticKind::Lbl {
            voice,
            survey,
            depth_std,
            ..
        } => crate::acoustic::baseline::own_place(&listener, voice, survey, *depth_std),
        AcousticKind::Sbl {
            receivers,
            depth_std,
            carrier,
        } => crate::acoustic::baseline::places(&listener, receivers, *depth_std, carrier.as_ref()),
    })
}

/// A beacon as it moves.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    robot: Option<usize>,
    p: Vec3,
    v: Vec3,
}

impl Moving {
    /// Where it is `time` [s] after the sample.
    pub fn after(&self, time: f64) -> End {
        End {
            robot: self.robot,
            p: self.p + self.v.scale(time),
        }
    }
}

impl Listener<'_> {
    /// Beacon number `index`, if it works and what carries it has power.
    pub fn beacon(&self, index: usize) -> Option<Moving> {
        let (view, beacon) = (self.waters.view, &self.beacons[index]);
        if view.beacons[index].dead {
            return None;
        }
        let Some((robot, link)) = beacon.on else {
            return Some(Moving {
                robot: None,
                p: beacon.p,
                v: Vec3::zero(),
            });
        };
        let ((R, p), V) = (&view.links[robot][link], view.velocities[robot][link]);
        let v = R.mul_vec(V.v + V.w.cross(beacon.p));
        let moving = Moving {
            robot: Some(robot),
            p: *p + R.mul_vec(beacon.p),
            v,
        };
        (view.powered[robot] && moving.p.is_finite() && v.is_finite()).then_some(moving)
    }

    /// Source level of beacon number `index` with the power that faults leave it [dB re 1 µPa at 1 m].
    pub fn source_level(&self, index: usize) -> f64 {
        self.beacons[index].source_level + level(self.waters.view.beacons[index].part)
    }

    /// How late faults let beacon number `index` send [s].
    pub fn late(&self, index: usize) -> f64 {
        self.waters.view.beacons[index].offset
    }

    /// A place of S `time` [s] after the sample.
    pub fn own(&self, p_S: Vec3, time: f64) -> End {
        let (R, p) = self.pose.after(time);
        End {
            robot: Some(self.pose.robot),
            p: p + R.mul_vec(p_S),
        }
    }

    /// Random numbers of a target in this sample.
    pub fn draw(&self, target: usize) -> Draw {
        self.by.stream.draw(
            (self.by.sample + 1)
                .wrapping_mul(1 << 20)
                .wrapping_add(target as u64),
        )
    }

    /// Level of a signal over the noise, if it is heard.
    pub fn hears(&self, ear: &Ear, frequency: f64, received: f64, draw: &mut Draw) -> Option<f64> {
        let fading = if self.by.noise { ear.fading } else { 0.0 };
        self.waters
            .hear(&Ear { fading, ..*ear }, frequency, received, draw)
    }

    /// An instant after the sample [ns].
    pub fn stamp(&self, time: f64) -> u64 {
        ((self.now + time) * 1e9).round().max(0.0) as u64
    }

    /// A range as it is told, with its variance. (1), (2)
    pub fn told(&self, range: f64, draw: &mut Draw) -> (f64, f64) {
        let (spec, fault) = (self.spec, &self.by.fault);
        let own = if self.by.noise { spec.range_std } else { 0.0 };
        let range = range + own * draw.normal() + fault.offset + fault.noise * draw.normal();
        let step = spec.resolution;
        let range = if step > 0.0 {
            (range / step).round() * step
        } else {
            range
        };
        (range, spec.range_std * spec.range_std + step * step / 12.0)
    }

    /// A bearing as it is told, with the variance of its angles: `d` is a unit vector of S. (3)
    pub fn bearing(&self, d: Vec3, snr: f64, draw: &mut Draw) -> (Vec3, f64) {
        let spec = self.spec;
        let weak = libm::pow(10.0, 0.1 * (spec.ear.threshold - snr));
        let variance = spec.bearing_std * spec.bearing_std * (1.0 + weak);
        let shaken = Vec3::new(draw.normal(), draw.normal(), draw.normal());
        let turn = if self.by.noise {
            spec.misaligned + shaken.scale(variance.sqrt())
        } else {
            Vec3::zero()
        };
        let d = d + turn.cross(d);
        (d.scale(1.0 / d.norm()), variance)
    }

    /// A place of S in W as the carrier believes it `time` [s] after the sample. (5)
    pub fn to_world(
        &self,
        carrier: &Carrier,
        (p_S, covariance): (Vec3, &Mat3),
        time: f64,
        draw: &mut Draw,
    ) -> (Vec3, Mat3) {
        let (R, p) = self.pose.after(time);
        let on = if self.by.noise { 1.0 } else { 0.0 };
        let mut error = |std: [f64; 3]| Vec3::from(std.map(|s| on * s * draw.normal()));
        let (turn, shift) = (error(carrier.attitude_std), error(carrier.position_std));
        let found = p + shift + R.mul_vec(p_S + turn.cross(p_S));
        // in S first: what the attitude errs is known about its axes
        let mut inner = *covariance;
        let lever = Mat3::cross(p_S);
        let attitude = diagonal(carrier.attitude_std);
        inner = inner + lever.mul_mat(&attitude).mul_mat_tr(&lever);
        (
            found,
            R.mul_mat(&inner).mul_mat_tr(&R) + diagonal(carrier.position_std),
        )
    }
}

/// A matrix of variances.
fn diagonal(std: [f64; 3]) -> Mat3 {
    let mut m = Mat3::zero();
    for (i, s) in std.iter().enumerate() {
        m.r[i][i] = s * s;
    }
    m
}

/// Covariance of a place in the direction `d`, `along` it and `across` it [m²]. (4)
pub fn spread(d: Vec3, along: f64, across: f64) -> Mat3 {
    let mut m = Mat3::zero();
    for i in 0..3 {
        m.r[i] = d.scale((along - across) * d[i]);
        m.r[i][i] += across;
    }
    m
}
