//! Sensors: conversion of their keys to the scene, and the keys that no law reads.
//!
//! A kind of sensor has its keys in `crates/model/src/sensor` or in a module of this folder, its
//! builder ([`BuildSensor`]) in such a module, and one entry in the registry below. Sensors whose
//! parameters are only keys and error models are built by one line of `build_instruments!` here.

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod gnss;
pub mod inertial;
pub mod laser;
pub mod obstacle;
pub mod placement;
pub mod radar;
pub mod sonar;
pub mod vehicle;
pub mod water;

use crate::context::Context;
use crate::sensor::inertial::AidsConfig;
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Robot, Sensor, SensorKind};
use merrow_model::sensor as model;
use merrow_model::sensor::inertial::{ImuKeys, ImuSpec, MagnetometerKeys, MagnetometerSpec};
use merrow_model::sensor::vehicle::{AnemometerKeys, AnemometerSpec, OdometrySpec};
use merrow_model::sensor::water::{PressureKeys, PressureSpec};
use merrow_model::sensor::{Errors, Noise, PublisherQos};
use merrow_yaml::spec::spec;
use std::ops::Deref;

/// Maximum number of readings between measurement and delivery. Memory for them is allocated at the
/// start.
const MAX_IN_FLIGHT: f64 = 10_000.0;

/// Substitute for an invalid rate [Hz], at which all other rate checks pass.
const SUBSTITUTE_RATE: f64 = 1.0 / 3600.0;

/// Context of the world, with the values of one sensor.
pub(crate) struct SensorContext<'a> {
    /// Context of the world.
    world: Context<'a>,
    /// Name of the sensor.
    name: &'a str,
    /// Keys of the sensor.
    file: &'a SensorConfig,
    /// Index of the link that carries the sensor.
    link: usize,
    /// Robot whose links, thrusters and battery are built.
    carrier: &'a Robot,
    /// Sample rate of the sensor [Hz].
    rate: f64,
}

impl<'a> Deref for SensorContext<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.world
    }
}

impl SensorContext<'_> {
    /// Returns the random number stream of a part of the sensor.
    fn stream(&self, part: &str) -> Stream {
        let name = format!("{}/{}/{part}", self.carrier.name, self.name);
        Stream::new(self.seed, &name)
    }

    /// Builds the error model of a channel of the sensor.
    fn errors(&self, file: &Noise, channel: &str) -> Errors {
        Errors::new(file, self.rate, self.stream(channel))
    }
}

/// Keys of a kind of sensor, from which its parameters are built.
pub(crate) trait BuildSensor {
    /// True if the sensor measures the thruster that the key `thruster` names.
    const MEASURES_THRUSTER: bool = false;

    /// Parameters of the sensor.
    type Spec: Into<SensorKind>;

    /// Builds the parameters and reports errors that concern several keys.
    fn build(&self, cx: &SensorContext<'_>) -> Self::Spec;
}

/// Builds the sensors whose parameters are their keys and the error models of their channels.
macro_rules! build_instruments {
    ($($keys:ident => $spec:ident),*) => {
        $(impl BuildSensor for $keys {
            type Spec = $spec;

            fn build(&self, cx: &SensorContext<'_>) -> $spec {
                $spec::new(self, |noise, channel| cx.errors(noise, channel))
            }
        })*
    };
}

build_instruments!(
    AnemometerKeys => AnemometerSpec,
    ImuKeys => ImuSpec,
    MagnetometerKeys => MagnetometerSpec,
    PressureKeys => PressureSpec
);

impl BuildSensor for OdometrySpec {
    type Spec = Self;

    fn build(&self, _: &SensorContext<'_>) -> Self {
        self.clone()
    }
}

macro_rules! declare_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $word:literal ($config:ty),)*) => {
        spec! {
            /// Measured quantity of a sensor.
            pub(crate) enum MeasurementConfig {
                $($(#[doc = $doc])* $kind = $word ($config),)*
            }
        }

        impl MeasurementConfig {
            /// Returns true if the sensor measures the thruster that the key `thruster` names.
            fn measures_thruster(&self) -> bool {
                match self {
                    $(Self::$kind(_) => <$config as BuildSensor>::MEASURES_THRUSTER,)*
                }
            }

            /// Builds the parameters of the sensor.
            fn build(&self, cx: &SensorContext<'_>) -> SensorKind {
                match self {
                    $(Self::$kind(keys) => keys.build(cx).into(),)*
                }
            }
        }
    };
}

declare_kinds! {
    /// Angular velocity, proper acceleration, and attitude if `attitude_std_deg` is given.
    Imu = "imu" (model::inertial::ImuKeys),
    /// Attitude from a filter of gyroscope, accelerometer and magnetometer.
    Ahrs = "ahrs" (model::inertial::AhrsKeys),
    /// Position, velocity and attitude from inertial navigation.
    Ins = "ins" (model::inertial::InsKeys),
    /// Position from satellite navigation (GNSS).
    Gnss = "gnss" (model::gnss::GnssKeys),
    /// Heading from two GNSS antennas.
    GnssHeading = "gnss_heading" (model::gnss::HeadingReceiver),
    /// Velocity over the seabed or through the water (Doppler velocity log).
    Dvl = "dvl" (model::water::DopplerVelocityLog),
    /// Absolute pressure at the sensor [Pa].
    Pressure = "pressure" (model::water::PressureKeys),
    /// Magnetic flux density [T].
    Magnetometer = "magnetometer" (model::inertial::MagnetometerKeys),
    /// Distance to the seabed along the x axis of the sensor [m].
    Altimeter = "altimeter" (model::water::AltimeterKeys),
    /// Ground truth of position, attitude and velocity.
    Odometry = "odometry" (model::vehicle::OdometrySpec),
    /// One quantity of the water at the sensor.
    Probe = "probe" (model::water::ProbeKeys),
    /// Conductivity, temperature and pressure of the water, and quantities derived from them.
    Ctd = "ctd" (model::water::CtdKeys),
    /// Water samples in bottles.
    WaterSampler = "water_sampler" (model::water::WaterSamplerKeys),
    /// Atmospheric pressure at the sensor.
    Barometer = "barometer" (model::vehicle::BarometerKeys),
    /// Apparent wind at the sensor.
    Anemometer = "anemometer" (model::vehicle::AnemometerKeys),
    /// Water inside the hull.
    LeakDetector = "leak_detector" (model::vehicle::LeakDetector),
    /// State of a thruster as reported by its motor controller.
    MotorTelemetry = "motor_telemetry" (model::vehicle::MotorTelemetry),
    /// Voltage, current and charge of the battery.
    PowerMeter = "power_meter" (model::vehicle::PowerMeter),
    /// Distances from a laser that scans in a plane.
    Laser = "laser" (laser::LaserConfig),
    /// Distances from a planar scanning laser on a tilt unit; the scans of each tilt period are
    /// also combined.
    TiltingLaser = "tilting_laser" (laser::TiltingLaserConfig),
    /// Images of a camera.
    Camera = "camera" (model::camera::CameraKeys),
    /// Points from a laser that scans on several cones.
    Lidar = "lidar" (laser::LidarConfig),
    /// Images of a forward-looking sonar.
    ImagingSonar = "imaging_sonar" (sonar::ImagingSonarConfig),
    /// Seabed profiles of a multibeam echo sounder.
    Multibeam = "multibeam" (sonar::MultibeamConfig),
    /// Echo lines to port and starboard from a towed or mounted side-scan sonar.
    SideScan = "side_scan" (sonar::SideScanConfig),
    /// Echo lines from a sonar with one rotating beam.
    ScanningSonar = "scanning_sonar" (sonar::ScanningSonarConfig),
    /// Bearings and ranges of acoustic pingers.
    Hydrophone = "hydrophone" (model::acoustic::HydrophoneKeys),
    /// Positions of transponders from an ultra-short baseline (USBL) array.
    Usbl = "usbl" (model::acoustic::UsblKeys),
    /// Position of the instrument from a long baseline (LBL) of transponders.
    Lbl = "lbl" (model::acoustic::LblKeys),
    /// Positions of locators from a short baseline (SBL) of receivers.
    Sbl = "sbl" (model::acoustic::SblKeys),
    /// Bounding boxes of obstacles.
    ObstacleDetector = "obstacle_detector" (model::obstacle::ObstacleDetector),
    /// Echo sectors of a radar with a rotating antenna.
    Radar = "radar" (model::radar::Radar),
    /// Messages of the Automatic Identification System (AIS).
    AisReceiver = "ais_receiver" (model::ais::AisReceiver),
    /// Force and torque through the joint of the link on which the sensor is mounted.
    Wrench = "wrench" (model::vehicle::WrenchKeys),
}

spec! {
    /// A sensor: its type and its mounting.
    pub struct SensorConfig {
        /// Type of the sensor: a name in `params/sensors`, a file, or a map.
        device: DeviceConfig,
        /// Link on which the sensor is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Position of the sensor frame in the link frame (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the sensor frame relative to the link frame.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Samples per second. Default: the rate of the device.
        rate_hz: Option<f64> [in 0.00027..=1000000.0],
        /// Time of the first sample.
        start_s: f64 [non_negative] = 0.0,
        /// Thruster that is measured; for `motor_telemetry` only.
        thruster: Option<String> [name],
        /// Whether frames of an exteroceptive sensor are computed only while the sensor is
        /// subscribed to or recorded.
        lazy: bool = true,
        /// Quality of service of the topics of this sensor.
        qos: PublisherQos => "{}",
        /// Aiding sensors of an `ins`.
        aids: Option<AidsConfig>,
    }

    /// Type of a sensor.
    pub struct DeviceConfig {
        /// Description of the sensor.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Samples per second, at least one per hour.
        rate_hz: f64 [in 0.00027..=1000000.0],
        /// Maximum rate that the device supports. Default: unlimited.
        max_rate_hz: Option<f64> [positive],
        /// Delay between measurement and delivery.
        latency_s: f64 [in 0.0..=60.0] = 0.0,
        /// Fraction of the samples that are lost.
        loss_probability: f64 [fraction] = 0.0,
        /// Electrical power consumption of the device.
        power_w: f64 [non_negative] = 0.0,
        ..measures: MeasurementConfig,
    }
}

/// Builds the sensor `name` on a link of `carrier`, whose links, thrusters and battery are built.
pub(crate) fn build_sensor(
    name: &str,
    file: &SensorConfig,
    link: usize,
    carrier: &Robot,
    world: Context<'_>,
) -> Sensor {
    let device = &file.device;
    let rate = checked_rate(name, file, world);
    if file.thruster.is_some() && !device.measures.measures_thruster() {
        let text = format!(
            "{name} is a {}: only `motor_telemetry` has a `thruster`",
            device.measures.kind()
        );
        world.error(file.at.key_place("thruster"), text);
    }
    let p_UoS_U = Vec3::from(file.position_m);
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let R_US = Mat3::from_rpy(r, p, y);
    let R_LU = &carrier.links[link].R_LU;
    let stream_name = format!("{}/{name}", carrier.name);
    let kind = device.measures.build(&SensorContext {
        world,
        name,
        file,
        link,
        carrier,
        rate,
    });
    if kind.exteroceptive().is_none() && file.at.has_key("lazy") {
        let text = format!("`lazy` has no effect for {name}, which is not an exteroceptive sensor");
        world.error(file.at.key_place("lazy"), text);
    }
    Sensor {
        name: name.to_string(),
        link,
        p_LoS: R_LU.mul_vec(p_UoS_U),
        R_LS: R_LU.mul_mat(&R_US),
        p_UoS_U,
        R_US,
        rate,
        latency_ns: (device.latency_s * 1e9) as u64,
        start_ns: (file.start_s * 1e9) as u64,
        loss_probability: device.loss_probability,
        queue: (device.latency_s * rate).min(MAX_IN_FLIGHT) as usize + 2,
        power_w: device.power_w,
        stream: Stream::new(world.seed, &stream_name),
        lazy: file.lazy,
        qos: file.qos.clone(),
        kind,
    }
}

/// Returns the rate of the sensor [Hz]. An invalid rate is reported once and replaced by a valid
/// one, so that no other errors follow from it.
fn checked_rate(name: &str, file: &SensorConfig, cx: Context<'_>) -> f64 {
    let dt = cx.dt;
    let device = &file.device;
    let rate = file.rate_hz.unwrap_or(device.rate_hz);
    let mut place = if file.at.has_key("rate_hz") {
        file.at.key_place("rate_hz")
    } else {
        device.at.key_place("rate_hz")
    };
    let max_rate = device.max_rate_hz.unwrap_or(f64::INFINITY);
    let text = if rate > max_rate {
        format!(
            "{name} is set to {rate} samples per second, the device supports at most {max_rate}"
        )
    // A rate equal to the rate of the time step must pass in spite of rounding.
    } else if rate * dt > 1.0 + 1e-9 {
        place = cx.step_rate_place(place);
        format!(
            "{name} is set to {rate} samples per second, but the time step allows {:.0}; lower the rate or `dt_s`",
            1.0 / dt
        )
    } else if device.latency_s * rate > MAX_IN_FLIGHT {
        format!(
            "{name} would have {:.0} readings in transit at once; expected at most {MAX_IN_FLIGHT}; \
             lower the rate or `latency_s`",
            device.latency_s * rate
        )
    } else {
        return rate;
    };
    cx.error(place, text);
    SUBSTITUTE_RATE
}
