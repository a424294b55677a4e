//! Registry of sensors: every kind of sensor and of reading, listed once.
//!
//! A sensor that is evaluated in the step has its parameters and its reading in a module of this
//! folder and one entry in [`each_step_sensor!`]. The parameters implement [`StepSensor`]. The
//! crates above implement one trait each for the same type: `merrow_sensors::measure::Measure` is
//! the law, `merrow_messages::convert::topic::Publish` the topics with their messages. They call
//! [`each_step_sensor!`] to select the implementation, so that a sensor without one of them does
//! not compile.
//!
//! Exteroceptive sensors are listed in [`each_exteroceptive_sensor!`] in the same way, and their
//! frames in [`each_frame!`]. Parameters and frame are in a module of
//! `crates/model/src/scene/sensor`. `merrow_sensors::exteroceptive::Observe` is the law.

pub mod gnss;
pub mod inertial;
pub mod vehicle;
pub mod water;

use crate::scene::SensorKind;
use crate::state::frames::FrameData;
use crate::state::reading::Reading;

/// Calls the macro `$then` with all kinds of sensors that are evaluated in the step: the name of
/// the kind and the type of its parameters.
#[macro_export]
macro_rules! each_step_sensor {
    ($then:ident) => {
        $then! {
            /// Gyro and accelerometer, optionally with attitude.
            Imu($crate::sensor::inertial::ImuSpec),
            /// Gyro, accelerometer and the attitude from a filter that also uses a magnetometer.
            Ahrs($crate::sensor::inertial::AhrsSpec),
            /// Inertial navigation, with or without aiding sensors.
            Ins($crate::sensor::inertial::InsSpec),
            /// GNSS receiver for position and velocity.
            Gnss($crate::sensor::gnss::GnssSpec),
            /// Heading from two GNSS antennas.
            GnssHeading($crate::sensor::gnss::HeadingSpec),
            /// Doppler velocity log (DVL).
            Dvl($crate::sensor::water::DvlSpec),
            /// Absolute pressure sensor [Pa].
            Pressure($crate::sensor::water::PressureSpec),
            /// Three-axis magnetometer that measures the field [T].
            Magnetometer($crate::sensor::inertial::MagnetometerSpec),
            /// Single-beam echo sounder along its x axis [m].
            Altimeter($crate::sensor::water::AltimeterSpec),
            /// Ground truth of pose and velocity.
            Odometry($crate::sensor::vehicle::OdometrySpec),
            /// Force and torque through the joint of the sensor's link, at So and expressed in S.
            Wrench($crate::sensor::vehicle::WrenchSpec),
            /// Probe of one quantity of the water.
            Probe($crate::sensor::water::ProbeSpec),
            /// Conductivity, temperature and pressure (CTD).
            Ctd($crate::sensor::water::CtdSpec),
            /// Water sampler with bottles.
            WaterSampler($crate::sensor::water::SamplerSpec),
            /// Barometer: air pressure [Pa].
            Barometer($crate::sensor::vehicle::BarometerSpec),
            /// Wind speed and direction.
            Anemometer($crate::sensor::vehicle::AnemometerSpec),
            /// Detector of water in the hull.
            LeakDetector($crate::sensor::vehicle::LeakSpec),
            /// Telemetry of a motor controller.
            Motor($crate::sensor::vehicle::MotorSpec),
            /// Voltage, current and charge of the battery.
            PowerMeter($crate::sensor::vehicle::PowerSpec),
        }
    };
}

/// Calls the macro `$then` with all kinds of readings: the tag in checkpoints, the name of the kind
/// and its type.
#[macro_export]
macro_rules! each_reading {
    ($then:ident) => {
        $then! {
            /// Inertial measurement (IMU or AHRS).
            Imu($crate::sensor::inertial::Imu),
            /// Position fix of a GNSS receiver.
            Gnss($crate::sensor::gnss::Gnss),
            /// Heading from two GNSS antennas.
            Heading($crate::sensor::gnss::Heading),
            /// Position, velocity and attitude of an INS.
            Navigation($crate::sensor::inertial::Navigation),
            /// Velocity over ground or through the water.
            Dvl($crate::sensor::water::Dvl),
            /// Absolute pressure of the water.
            Pressure($crate::sensor::water::Pressure),
            /// Magnetic field in S.
            Magnetometer($crate::sensor::inertial::Magnetometer),
            /// Range to the seabed.
            Altimeter($crate::sensor::water::Altimeter),
            /// Ground truth pose and velocity.
            Odometry($crate::sensor::vehicle::Odometry),
            /// Force and torque through a joint.
            Wrench($crate::sensor::vehicle::Wrench),
            /// One quantity of the water.
            Probe($crate::sensor::water::Probe),
            /// Conductivity, temperature and pressure.
            Ctd($crate::sensor::water::Ctd),
            /// Bottle of a water sampler.
            Bottle($crate::state::bottle::Bottle),
            /// Apparent wind at the sensor.
            Wind($crate::sensor::vehicle::Wind),
            /// Leak detection in the hull.
            Leak($crate::sensor::vehicle::Leak),
            /// Telemetry of a motor controller.
            Motor($crate::sensor::vehicle::Motor),
            /// Voltage, current and charge of the battery.
            Power($crate::sensor::vehicle::Power),
        }
    };
}

/// Calls the macro `$then` with all kinds of exteroceptive sensors: the name of the kind and the
/// type of its parameters.
#[macro_export]
macro_rules! each_exteroceptive_sensor {
    ($then:ident) => {
        $then! {
            /// Scanning laser, planar or multi-ring.
            Laser($crate::scene::sensor::laser::LaserSpec),
            /// Camera with lens, exposure and noise.
            Camera($crate::scene::sensor::camera::CameraSpec),
            /// Active sonar of any type.
            Sonar($crate::scene::sensor::sonar::SonarSpec),
            /// Acoustic positioning instrument (hydrophone, USBL, LBL, SBL).
            Acoustic($crate::scene::sensor::acoustic::AcousticSpec),
            /// Obstacle detector, from the echoes of another sensor or from the obstacles of the
            /// world file.
            Obstacles($crate::scene::sensor::obstacle::DetectorSpec),
            /// Receiver of AIS messages.
            Ais($crate::scene::sensor::ais::ReceiverSpec),
            /// Navigation radar with rotating antenna.
            Radar($crate::scene::sensor::radar::RadarSpec),
        }
    };
}

/// Calls the macro `$then` with all kinds of frames: the tag in checkpoints, the name of the kind
/// and its type.
#[macro_export]
macro_rules! each_frame {
    ($then:ident) => {
        $then! {
            /// Ranges in a plane (laser).
            Scan($crate::scene::sensor::laser::Scan),
            /// Point cloud of a laser.
            Cloud(Vec<$crate::scene::sensor::laser::Point>),
            /// Images of a camera.
            CameraImages($crate::scene::sensor::camera::CameraImages),
            /// Echoes of a sonar.
            Ping($crate::scene::sensor::sonar::Ping),
            /// Observations of beacons by an acoustic instrument.
            Acoustic($crate::scene::sensor::acoustic::AcousticObservations),
            /// Bounding boxes of obstacles.
            Detections(Vec<$crate::scene::sensor::obstacle::Detection>),
            /// Echoes that the detector accumulates with the echoes of earlier samples.
            Echoes($crate::scene::sensor::obstacle::EchoSet),
            /// Spokes of a radar.
            Sweep($crate::scene::sensor::radar::Sweep),
            /// AIS sentences of a receiver.
            Sentences(Vec<$crate::scene::sensor::ais::Sentence>),
        }
    };
}

/// Parameters of one kind of sensor.
pub trait SensorParameters: 'static {
    /// Returns the parameters if `kind` is of this type.
    fn from_kind(kind: &SensorKind) -> Option<&Self>;
}

/// Parameters of a sensor that is evaluated in the step.
pub trait StepSensor: SensorParameters {
    /// Reading that the sensor outputs.
    type Reading: SensorReading;

    /// Returns the type name as in world files and in `describe`.
    fn name(&self) -> &'static str;

    /// Returns the channels that can have separate faults.
    fn fault_channels(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the maximum number of rays of a sample, for the cost estimate. With rays, the scene
    /// prepares the static geometry.
    fn rays(&self) -> usize {
        0
    }

    /// Returns the computing effort of a sample in addition to its rays.
    fn workload(&self) -> Workload {
        Workload::Reading
    }

    /// Returns true if the sensor measures the magnetic field.
    fn is_magnetic(&self) -> bool {
        false
    }

    /// Returns true if the sensor receives satellite signals, which can be jammed.
    fn is_gnss_receiver(&self) -> bool {
        false
    }

    /// Returns true if a lost sample does not change the state of the sensor.
    fn skips_lost_samples(&self) -> bool {
        false
    }
}

/// Computing effort of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Errors of a few numbers.
    Reading,
    /// Filter that estimates the attitude.
    AttitudeFilter,
    /// Navigation filter, or derived quantities of similar effort.
    Filter,
}

/// One kind of reading.
pub trait SensorReading: Into<Reading> + Copy + 'static {
    /// Returns the reading if it is of this kind.
    fn from_reading(reading: &Reading) -> Option<&Self>;
}

/// One kind of frame, or [`FrameData`] for a sensor with frames of several kinds.
pub trait SensorFrame: 'static {
    /// Returns the content if the frame is of this kind.
    fn from_data(data: &FrameData) -> Option<&Self>;
}

/// Parameters of an exteroceptive sensor.
pub trait ExteroceptiveSensor: SensorParameters {
    /// Returns the type name as in world files and in `describe`.
    fn name(&self) -> &'static str;

    /// Returns the time that a sample takes, such as a sweep, an exposure or the wait for echoes
    /// [ns].
    fn sample_duration_ns(&self) -> u64;

    /// Returns true if the sensor outputs ranges or positions, to which a fault can add an offset.
    fn supports_offset_faults(&self) -> bool {
        false
    }

    /// Returns the noise of the thrusters of the same robot at the sensor, if it receives sound.
    fn thruster_noise(&self) -> Option<&crate::scene::comms::medium::ThrusterNoise> {
        None
    }

    /// Returns the tilt unit that carries the sensor, if any.
    fn tilt(&self) -> Option<&crate::scene::sensor::laser::Tilt> {
        None
    }

    /// Returns true if the tilt unit has one angle during a sample, which is part of the pose of
    /// the sensor; false if the law applies the angle of each beam.
    fn has_one_tilt_per_sample(&self) -> bool {
        false
    }

    /// Returns the index of another sensor on the same robot from whose frames this sensor
    /// computes its own, if any.
    fn source(&self) -> Option<usize> {
        None
    }

    /// Returns true if the frames contain echoes from which obstacles can be detected.
    fn has_echoes(&self) -> bool {
        false
    }

    /// Returns the number of samples in which a rotating or moving head covers all its bearings;
    /// `None` if every sample covers them.
    fn samples_per_sweep(&self) -> Option<u64> {
        None
    }

    /// Returns true if several threads can compute a sample together.
    fn is_parallel(&self) -> bool {
        false
    }

    /// Returns the shapes that must not contain the sensor.
    fn obstruction(&self) -> Obstruction {
        Obstruction::None
    }
}

/// Shapes that must not contain a sensor, because it would measure their inner side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstruction {
    /// No shape affects the sensor.
    None,
    /// Structures of the world.
    Structures,
    /// Structures, and the robot that carries the sensor.
    StructuresAndRobot,
}
