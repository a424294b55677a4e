//! Acoustic positioning: hydrophone array, USBL, LBL and SBL.
//!
//! # Law
//! ```text
//!   r = c_0 t + e_r                                     one way                        (1)  [Milne 1983]
//!   r = c_0 (t_3 - t_0 - T)/2 + e_r                     two way                        (2)  [Milne 1983]
//!   σ_b² = σ_0² (1 + 10^((DT - SNR)/10))                                              (3)
//!   P = σ_r² d dᵀ + r² σ_b² (1 - d dᵀ)                                                 (4)
//!   P_W = R P Rᵀ + [p]ₓ P_a [p]ₓᵀ + P_c                                                (5)
//!   RL = SL - TL + g_t + g_r                                                          (6)  [Urick 1983, ch. 2]
//! ```
//! (3) is estimated: it decreases with the level as a Cramér-Rao bound does.
//!
//! # Symbols
//! c_0 speed of sound that the instrument assumes · t travel time · t_0 transmission of the
//! interrogation, t_3 arrival of the reply, T turn-around time · e_r normal error with standard
//! deviation σ_r · σ_b standard deviation of either angle of a bearing, σ_0 its value for strong
//! signals · DT detection threshold, SNR signal-to-noise ratio [dB] · d unit vector to the beacon,
//! r range · P covariance in S, R attitude of S in W · P_a, P_c covariances of the attitude and
//! position of the carrier · p position of the beacon relative to the carrier, in W · RL received
//! level, SL source level, TL transmission loss (`path.rs`), g_t, g_r gains of both transducers in
//! the direction of the path (`directivity.rs`).
//!
//! # Frames
//! Acoustic paths and times in W, bearings in S at the instant of arrival.
//!
//! # Limits
//! During the travel time of the sound every beacon and instrument keeps its linear velocity in W,
//! and the instrument also its angular velocity. Signals do not interfere, neither in time nor in
//! frequency.
//!
//! # Checked by
//! test/sensors/acoustic.rs, test/determinism/acoustic.rs

pub mod baseline;
pub mod directivity;
pub mod fix;
pub mod hydrophone;
pub mod path;
pub mod thruster_noise;
pub mod usbl;

use crate::acoustic::directivity::gain_level;
use crate::acoustic::path::{AcousticMedium, AcousticPath, PathEnd, PathWater};
use crate::cost::{CostSite, RECEPTION};
use crate::exteroceptive::{Observation, Observe};
use crate::noise::quantise;
use crate::sonar::decibels::level;
use merrow_environment::air;
use merrow_math::decibels::ratio;
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sea::water::AbsorptionLaw;
use merrow_model::sensor::acoustic::{
    AcousticKind, AcousticSpec, Beacon, CarrierKeys, Interrogator, Receiver,
};
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::acoustic::AcousticFix;
use merrow_model::state::frames::view::PointMotion;

/// Acoustic positioning instrument at the instant of a sample.
pub(crate) struct AcousticReceiver<'a> {
    /// Specification of the instrument.
    pub spec: &'a AcousticSpec,
    /// Inputs of the sample.
    pub sample: &'a Observation<'a>,
    /// Medium of the sound.
    pub medium: AcousticMedium<'a>,
    /// Wind speed, for the ambient noise [m/s].
    pub wind: f64,
    /// Speed of sound that converts times to ranges [m/s].
    pub sound_speed: f64,
}

impl Observe for AcousticSpec {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let at = sample.environment;
        let medium = AcousticMedium {
            environment: at,
            refracts: self.hearing().refraction,
            absorption: AbsorptionLaw::FrancoisGarrison,
            spreading: 2.0,
            water: &PathWater::Sampled,
        };
        let assumed = self.hearing().sound_speed_m_s;
        let instrument = AcousticReceiver {
            spec: self,
            sample,
            medium,
            wind: air::weather(&at.sea.air, at.time).wind.norm(),
            sound_speed: assumed.unwrap_or_else(|| at.sound_speed(sample.pose.p_WS)),
        };
        FrameData::Acoustic(match &self.kind {
            AcousticKind::Hydrophone(keys) => {
                hydrophone::receive_pings(&instrument, keys.synchronised)
            }
            AcousticKind::Usbl(keys) => usbl::interrogate(&instrument, keys),
            AcousticKind::Lbl(keys) => baseline::lbl_fix(&instrument, keys),
            AcousticKind::Sbl(keys) => baseline::sbl_fixes(&instrument, keys),
        })
    }

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        self.targets.len() as f64 * (RECEPTION + 2.0 * site.world.ray())
    }
}

impl<'a> AcousticReceiver<'a> {
    /// Returns the beacon number `index` of the world.
    pub(crate) fn beacon(&self, index: usize) -> &'a Beacon {
        &self.sample.scene.beacons[index]
    }

    /// Returns the instant of the sample [s].
    pub(crate) fn now(&self) -> f64 {
        self.sample.view.time_ns as f64 * 1e-9
    }

    /// Returns the motion of beacon number `index`, or `None` if the beacon is dead or the robot
    /// that carries it has no power.
    pub(crate) fn beacon_motion(&self, index: usize) -> Option<PointMotion> {
        let (view, beacon) = (self.sample.view, self.beacon(index));
        let motion = view.powered_point(beacon.on, beacon.p);
        motion.filter(|_| !view.beacons[index].dead)
    }

    /// Returns true if the straight line between two points is free: both are in the water and no
    /// terrain, structure or robot lies between them.
    pub(crate) fn has_line_of_sight(&self, a: PathEnd, b: PathEnd) -> bool {
        let environment = self.sample.environment;
        let is_in_water = |end: PathEnd| environment.height_above_surface(end.p) < 0.0;
        let ray_scene = self.sample.ray_scenes.collision();
        is_in_water(a) && is_in_water(b) && ray_scene.find_between(a, b).is_none()
    }

    /// Returns the source level [dB re 1 µPa at 1 m] of beacon number `index`, reduced by its
    /// faults.
    pub(crate) fn source_level(&self, index: usize) -> f64 {
        self.beacon(index).keys.source_level_db + level(self.sample.view.beacons[index].fraction)
    }

    /// Returns the delay of the transmission of beacon number `index` by its faults [s].
    pub(crate) fn transmission_delay(&self, index: usize) -> f64 {
        self.sample.view.beacons[index].offset
    }

    /// Computes the position in W of the point `p_S` [m] of the instrument (in S) `time` [s] after
    /// the sample.
    pub(crate) fn point_after(&self, p_S: Vec3, time: f64) -> PathEnd {
        let (R, p) = self.sample.pose.extrapolate(time);
        PathEnd {
            robot: Some(self.sample.pose.robot),
            p: p + R.mul_vec(p_S),
        }
    }

    /// Returns the random numbers of target number `target` in this sample.
    pub(crate) fn draw(&self, target: usize) -> Draw {
        self.sample.errors.draw(target as u64)
    }

    /// Returns the level [dB re 1 µPa] of the interrogation at the transponder number `index` with
    /// the motion `motion`. (6)
    pub(crate) fn interrogation_level(
        &self,
        interrogator: &Interrogator,
        (index, motion): (usize, &PointMotion),
        path: &AcousticPath,
    ) -> f64 {
        let (own, other) = (&self.spec.transducer, &self.beacon(index).transducer);
        let R_WM = self.sample.pose.extrapolate(0.0).0.mul_mat(&own.mount);
        let gains = gain_level(&own.transmit, &R_WM, path.to)
            + gain_level(&other.receive, &motion.attitude(&other.mount), path.from);
        interrogator.source_level_db - path.loss() + gains
    }

    /// Returns the level [dB re 1 µPa] of the signal of beacon number `index` with the motion
    /// `motion` that reaches the instrument `time` [s] after the sample. (6)
    pub(crate) fn signal_level(
        &self,
        (index, motion): (usize, &PointMotion),
        path: &AcousticPath,
        time: f64,
    ) -> f64 {
        let (own, other) = (&self.spec.transducer, &self.beacon(index).transducer);
        let R_WM = self.sample.pose.extrapolate(time).0.mul_mat(&own.mount);
        let gains = gain_level(&other.transmit, &motion.attitude(&other.mount), path.to)
            + gain_level(&own.receive, &R_WM, path.from);
        self.source_level(index) - path.loss() + gains
    }

    /// Returns the spectral noise [µPa²/Hz] of the thrusters of the same robot at `frequency` [Hz].
    fn thruster_noise(&self, frequency: f64) -> f64 {
        let speeds = self.sample.view.shaft_speeds.get(self.sample.pose.robot);
        let noise = self.spec.kind.reception().thruster_noise.as_ref();
        noise.zip(speeds).map_or(0.0, |(noise, speeds)| {
            thruster_noise::spectral_power(noise, speeds, frequency)
        })
    }

    /// Returns the signal-to-noise ratio [dB] of a signal of `frequency` [Hz] and level `received`
    /// [dB re 1 µPa] at the instrument, or `None` if it is not detected.
    pub(crate) fn detect(&self, frequency: f64, received: f64, draw: &mut Draw) -> Option<f64> {
        let level = (received, self.thruster_noise(frequency));
        self.detect_with(&self.spec.hearing().ear, frequency, level, draw)
    }

    /// Returns the signal-to-noise ratio [dB] of a signal of `frequency` [Hz] at a receiver, or
    /// `None` if it is not detected. `level`: received level [dB re 1 µPa] and spectral noise of
    /// thrusters [µPa²/Hz].
    pub(crate) fn detect_with(
        &self,
        ear: &Receiver,
        frequency: f64,
        level: (f64, f64),
        draw: &mut Draw,
    ) -> Option<f64> {
        let fading = self.sample.errors.std(ear.fading_std_db);
        path::detect((ear, fading), (frequency, self.wind), level, draw)
    }

    /// Returns the fix of target number `target` by a signal that arrives `time` [s] after the
    /// sample with the signal-to-noise ratio `snr` [dB]: position [m] and covariance [m²] in S, and
    /// in W if they are known.
    pub(crate) fn fix(
        &self,
        (target, time, snr): (usize, f64, f64),
        (p_S, covariance): (Vec3, Mat3),
        world: Option<(Vec3, Mat3)>,
    ) -> AcousticFix {
        AcousticFix {
            target,
            stamp_ns: self.stamp(time),
            p_S,
            covariance,
            snr,
            world,
        }
    }

    /// Converts a time after the sample [s] to a stamp [ns].
    pub(crate) fn stamp(&self, time: f64) -> u64 {
        ((self.now() + time) * 1e9).round().max(0.0) as u64
    }

    /// Adds errors and resolution to a range [m] and returns it with its variance [m²]. (1), (2)
    pub(crate) fn measured_range(&self, range: f64, draw: &mut Draw) -> (f64, f64) {
        let (hearing, fault) = (&self.spec.hearing(), &self.sample.errors.fault);
        let range_std = self.sample.errors.std(hearing.range_std_m);
        let range = range + range_std * draw.normal() + fault.offset + fault.noise * draw.normal();
        let step = hearing.resolution_m;
        (
            quantise(range, step),
            hearing.range_std_m * hearing.range_std_m + step * step / 12.0,
        )
    }

    /// Adds errors to the bearing `d` (unit vector in S) of a signal with the signal-to-noise ratio
    /// `snr` [dB]. Returns the unit vector in S and the variance of its angles, which includes
    /// the misalignment [rad²]. (3)
    pub(crate) fn measured_bearing(&self, d: Vec3, snr: f64, draw: &mut Draw) -> (Vec3, f64) {
        let spec = self.spec;
        let weak = ratio(spec.hearing().ear.threshold_db - snr);
        let bearing_std = spec.hearing().bearing_std_deg.to_radians();
        let variance = bearing_std * bearing_std * (1.0 + weak);
        let noise = Vec3::new(draw.normal(), draw.normal(), draw.normal());
        let turn = if self.sample.errors.noise {
            spec.misaligned + noise.scale(variance.sqrt())
        } else {
            Vec3::zero()
        };
        let d = d + turn.cross(d);
        let alignment_std = spec.hearing().alignment_std_deg.to_radians();
        let fixed = alignment_std * alignment_std;
        (d.scale(1.0 / d.norm()), variance + fixed)
    }

    /// Converts the position `p_S` [m] in S with its covariance [m²] to W, with the pose of the
    /// carrier `time` [s] after the sample and the errors of that pose. Returns position [m] and
    /// covariance [m²] in W; `None` if the pose is not known. (5)
    pub(crate) fn to_world(
        &self,
        carrier: &CarrierKeys,
        (p_S, covariance): (Vec3, &Mat3),
        time: f64,
        draw: &mut Draw,
    ) -> Option<(Vec3, Mat3)> {
        let (attitude_std, position_std) =
            (carrier.attitude_std()?, carrier.carrier_position_std_m);
        let (R, p) = self.sample.pose.extrapolate(time);
        let on = self.sample.errors.std(1.0);
        let mut error = |std: [f64; 3]| Vec3::from(std.map(|s| on * s * draw.normal()));
        let (turn, shift) = (error(attitude_std), error(position_std));
        let found = p + shift + R.mul_vec(p_S + turn.cross(p_S));
        // computed in S, because the attitude covariance refers to the axes of S
        let mut inner = *covariance;
        let lever = Mat3::cross(p_S);
        let squares = |std: [f64; 3]| Mat3::diagonal(Vec3::from(std.map(|s| s * s)));
        let attitude = squares(attitude_std);
        inner = inner + lever.mul_mat(&attitude).mul_mat_tr(&lever);
        Some((
            found,
            R.mul_mat(&inner).mul_mat_tr(&R) + squares(position_std),
        ))
    }
}
