//! Acoustic path between two points, and detection of the received signal.
//!
//! Positioning instruments and acoustic modems (`crates/comms/src/channel/acoustic.rs`) use these
//! laws.
//!
//! # Law
//! ```text
//!   RL = SL - 10 log A - α l,   t = ∫ ds/c                             (1)  [Urick 1983, ch. 2, 5]
//!   A = l^k                             straight                       (2)
//!   A as in crates/environment/src/sound/ray.rs    refracted           (3)  [Jensen 2011, ch. 3]
//!   NL = 10 log ((N + N_0 + N_t) B)                                    (4)
//!   detected: RL - NL + σ n > DT                                       (5)
//!   t_a = t_s + t(p_s(t_s), p_r(t_a))                                  (6)
//! ```
//! # Symbols
//! RL received level, SL source level, NL noise level · A spreading [m²] · k spreading exponent, 2
//! for spherical and 1 for cylindrical spreading · α absorption, mean over the path · l length · t
//! travel time · N ambient noise of the sea (`crates/environment/src/sound/noise.rs`), N_0
//! self-noise of the receiver, N_t noise of the own thrusters (`thruster_noise.rs`) · B bandwidth ·
//! DT detection threshold · σ standard deviation of the received level, n standard normal number ·
//! t_s, t_a instants of transmission and arrival, p_s, p_r positions of source and receiver.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Only the first ray is used. Reflections at surface and seabed are not modelled here; the fading
//! σ in (5) represents their effect. Obstructions are tested along the straight line. The water is
//! at rest. If there is no refracted ray (shadow zone), the signal is not detected. Four fixed-
//! point iterations solve (6). Each iteration multiplies the error by the speed of the receiver
//! over the speed of sound.
//!
//! # Checked by
//! test/sensors/acoustic.rs; crates/comms/tests/acoustic.rs

use crate::ray_scene::RayScene;
use crate::sonar::decibels::{level, power};
use crate::sonar::medium::Medium;
use crate::sonar::noise::ambient;
use merrow_environment::EnvironmentState;
use merrow_environment::absorption::{AbsorptionProfile, absorption_at};
use merrow_environment::sound::eigenray::visit_eigenrays_between;
use merrow_environment::sound::ray::Ray;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sea::water::AbsorptionLaw;
use merrow_model::sensor::acoustic::Receiver;
use merrow_model::state::frames::view::PointMotion;

/// Number of segments over which properties of non-uniform water are averaged.
const SEGMENTS: usize = 16;
/// Distance from an end within which geometry counts as part of the carrier of this end [m].
const END_CLEARANCE: f64 = 0.05;
/// Fixed-point iterations for the path between moving ends. (6)
const PATH_ITERATIONS: usize = 4;
/// Minimum length of a path [m].
const MIN_LENGTH: f64 = 1e-3;

/// Speed of sound and absorption along straight paths.
#[derive(Clone, Debug)]
pub enum PathWater {
    /// Properties that are averaged over each path.
    Sampled,
    /// Uniform water, in which paths need no integration.
    Homogeneous {
        /// Reciprocal of the speed of sound [s/m].
        slowness: f64,
        /// Absorption at the frequency of the signal.
        absorption: AbsorptionProfile,
    },
    /// Table of the integrals over depth for the frequency of the signal.
    Table(Medium),
}

/// Environment and laws by which acoustic paths are computed.
#[derive(Clone, Copy, Debug)]
pub struct AcousticMedium<'a> {
    /// Sea and gravity at the instant of the sample.
    pub environment: &'a EnvironmentState<'a>,
    /// Whether rays are refracted by the sound-speed profile.
    pub refracts: bool,
    /// Equation for the absorption of sound if `water` is [`PathWater::Sampled`].
    pub absorption: AbsorptionLaw,
    /// Spreading exponent k of straight paths [-].
    pub spreading: f64,
    /// Water along straight paths.
    pub water: &'a PathWater,
}

/// End point of a path.
#[derive(Clone, Copy, Debug)]
pub struct PathEnd {
    /// Index of the robot that carries the end point. Its shapes do not block the path.
    pub robot: Option<usize>,
    /// Position in W [m].
    pub p: Vec3,
}

/// Acoustic path from a source to a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcousticPath {
    /// Travel time along the path [s].
    pub time: f64,
    /// Spreading A: squared pressure 1 m from the source over squared pressure at the receiver,
    /// without absorption.
    pub spreading: f64,
    /// Absorption along the path [dB].
    pub absorption: f64,
    /// Unit vector from the source in the direction in which the sound departs, in W.
    pub to: Vec3,
    /// Unit vector from the receiver in the direction from which the sound arrives, in W.
    pub from: Vec3,
}

impl PathEnd {
    /// Returns the place of a moving point after `time` [s] at constant velocity.
    pub(crate) fn after(motion: &PointMotion, time: f64) -> Self {
        Self {
            robot: motion.robot,
            p: motion.p + motion.v.scale(time),
        }
    }
}

impl AcousticPath {
    /// Returns the transmission loss [dB re 1 m].
    pub fn loss(&self) -> f64 {
        level(self.spreading) + self.absorption
    }

    /// Returns the ratio [-] of the squared pressure at the receiver to the squared pressure 1 m
    /// from the source.
    #[inline]
    pub fn gain(&self) -> f64 {
        power(-self.absorption) / self.spreading
    }
}

impl RayScene {
    /// Returns the label ([`crate::ray_scene::SurfaceHit::label`]) of the object that blocks the
    /// straight line between two points, or `None` if it is free. The robots that carry the points
    /// do not block it.
    pub fn find_between(&self, a: PathEnd, b: PathEnd) -> Option<u16> {
        let distance = (b.p - a.p).norm();
        if distance < 2.0 * END_CLEARANCE || a.robot.is_some() && a.robot == b.robot {
            return None;
        }
        let (skip, from, to) = match [a.robot, b.robot] {
            [Some(r), Some(s)] => return self.find_occluder([r, s], [a.p, b.p]),
            [Some(r), None] => (self.shapes_of(r), a.p, b.p),
            [None, Some(r)] => (self.shapes_of(r), b.p, a.p),
            [None, None] => (0..0, a.p, b.p),
        };
        let d = (to - from).scale(1.0 / distance);
        let hit = self.first_hit(skip, from, d, [0.0, distance - END_CLEARANCE])?;
        Some(hit.label)
    }

    /// Returns true if an object blocks the ray from `p` (W [m]) on `robot` along the unit vector
    /// `d` within `reach` [m].
    pub fn is_blocked_along(&self, robot: Option<usize>, p: Vec3, d: Vec3, reach: f64) -> bool {
        let skip = robot.map_or(0..0, |r| self.shapes_of(r));
        self.first_hit(skip, p, d, [0.0, reach]).is_some()
    }
}

impl AcousticMedium<'_> {
    /// Computes the acoustic path from `source` to `receiver` (W [m]) for a `frequency` [Hz].
    /// Returns `None` if no refracted ray connects them. (1) to (3)
    #[inline]
    pub fn find_path(&self, source: Vec3, receiver: Vec3, frequency: f64) -> Option<AcousticPath> {
        let chord = receiver - source;
        let length = chord.norm().max(MIN_LENGTH);
        let [slowness, loss] = self.mean_slowness_and_absorption(source, receiver, frequency);
        if !self.refracts {
            let to = chord.scale(1.0 / length);
            return Some(AcousticPath {
                time: length * slowness,
                spreading: power_of_length(length, self.spreading),
                absorption: loss * length,
                to,
                from: -to,
            });
        }
        let mut first: Option<Ray> = None;
        visit_eigenrays_between(self.environment, [source, receiver], 0, &mut |ray| {
            if first.is_none_or(|first| ray.time < first.time) {
                first = Some(ray);
            }
        });
        let ray = first?;
        Some(AcousticPath {
            time: ray.time,
            spreading: ray.spreading().max(1e-6),
            absorption: loss * ray.length,
            to: ray_direction(chord, ray.launch),
            from: -ray_direction(chord, ray.angle),
        })
    }

    /// Computes the path from `source` (W [m]) to a moving receiver for a `frequency` [Hz].
    ///
    /// `receiver_after` is the position of the receiver (W [m]) a time [s] after the transmission.
    /// Returns `None` if no refracted ray connects them. (6)
    pub fn find_arrival(
        &self,
        source: Vec3,
        receiver_after: impl Fn(f64) -> Vec3,
        frequency: f64,
    ) -> Option<AcousticPath> {
        let mut path = self.find_path(source, receiver_after(0.0), frequency)?;
        for _ in 1..PATH_ITERATIONS {
            path = self.find_path(source, receiver_after(path.time), frequency)?;
        }
        Some(path)
    }

    /// Computes the mean slowness [s/m] and the mean absorption [dB/m] along the straight line.
    #[inline]
    fn mean_slowness_and_absorption(&self, a: Vec3, b: Vec3, frequency: f64) -> [f64; 2] {
        match self.water {
            PathWater::Sampled => self.sample_path(a, b, frequency),
            PathWater::Homogeneous {
                slowness,
                absorption,
            } => {
                let depth = (-0.5 * (a.z + b.z)).max(0.0);
                [*slowness, 1e-3 * absorption.at_depth(depth)]
            }
            PathWater::Table(table) => table.mean_between_heights(a.z, b.z),
        }
    }

    /// Averages slowness [s/m] and absorption [dB/m] over samples of the straight line.
    fn sample_path(&self, a: Vec3, b: Vec3, frequency: f64) -> [f64; 2] {
        let sea = self.environment.sea;
        let n = if sea.column.is_none() && sea.regions.is_empty() {
            1
        } else {
            SEGMENTS
        };
        let mut sums = [0.0; 2];
        for k in 0..n {
            let q = a + (b - a).scale((k as f64 + 0.5) / n as f64);
            sums[0] += 1.0 / self.environment.sound_speed(q);
            sums[1] += absorption_at(self.absorption, self.environment, q, frequency);
        }
        sums.map(|sum| sum / n as f64)
    }
}

/// Returns the direction in W of a ray in the vertical plane of `chord` with the `angle` [rad]
/// below the horizontal.
pub fn ray_direction(chord: Vec3, angle: f64) -> Vec3 {
    let level = Vec3::new(chord.x, chord.y, 0.0).unit().unwrap_or_default();
    let (s, c) = merrow_math::real::sin_cos(angle);
    level.scale(c) - Vec3::new(0.0, 0.0, s)
}

/// Returns the power `length`^`k` of a length [m]; `k` is the spreading exponent [-].
#[inline]
pub fn power_of_length(length: f64, k: f64) -> f64 {
    if k == 2.0 {
        length * length
    } else if k == 1.5 {
        length * length.sqrt()
    } else if k == 1.0 {
        length
    } else {
        libm::pow(length, k)
    }
}

/// Returns the signal-to-noise ratio [dB] of a signal of `frequency` [Hz] that is received with the
/// level `received` [dB re 1 µPa] at the wind speed `wind` [m/s] with the spectral noise
/// `thruster_noise` [µPa²/Hz], or `None` if it is not detected; `fading` is the standard deviation
/// of the level [dB]. (4), (5)
pub(crate) fn detect(
    (ear, fading): (&Receiver, f64),
    (frequency, wind): (f64, f64),
    (received, thruster_noise): (f64, f64),
    draw: &mut Draw,
) -> Option<f64> {
    let own = power(ear.self_noise_db) + thruster_noise;
    let noise = (ambient(1e-3 * frequency, wind) + own) * (1e3 * ear.bandwidth_khz);
    let snr = received - level(noise) + fading * draw.normal();
    (snr > ear.threshold_db).then_some(snr)
}
