//! Source of the motion that a firmware uses.

use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Source of the motion that the firmware uses.
    pub enum FeedbackSource words {
        /// The true motion of the vehicle.
        Truth = "truth",
        /// The robot's own sensors.
        Sensors = "sensors",
    }

    /// Source of the motion that the firmware uses, and its sensors.
    pub struct MotionSource {
        /// Source of the motion that the firmware uses.
        feedback: FeedbackSource = FeedbackSource::Truth,
        /// Names of the sensors for `feedback: sensors`. Default: the first of each kind.
        feedback_sensors: Option<FeedbackSensorNames>,
    }

    /// Sensors on the base that the firmware uses. A kind that is not named is not used.
    pub struct FeedbackSensorNames {
        /// INS: attitude, velocity and position.
        ins: Option<String> [frame],
        /// AHRS, or IMU with attitude.
        attitude: Option<String> [frame],
        /// DVL: velocity over ground.
        dvl: Option<String> [frame],
        /// Pressure sensor that measures the depth.
        pressure: Option<String> [frame],
        /// GNSS receiver: horizontal position and velocity.
        gnss: Option<String> [frame],
    }
}

/// Source of the motion that the firmware uses.
#[derive(Clone, Debug, PartialEq)]
pub enum Feedback {
    /// True motion of the vehicle.
    Truth,
    /// Sensors on the base of the vehicle.
    Sensors(Box<FeedbackSensors>),
}

/// Sensors that the firmware uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeedbackSensors {
    /// INS: attitude, velocity and position.
    pub ins: Option<Mounting>,
    /// AHRS, or IMU with attitude.
    pub attitude: Option<Mounting>,
    /// DVL: velocity over ground.
    pub dvl: Option<Mounting>,
    /// Pressure sensor that measures the depth.
    pub pressure: Option<Mounting>,
    /// GNSS receiver: horizontal position and velocity.
    pub gnss: Option<Mounting>,
}

impl FeedbackSensors {
    /// Returns true if the sensors measure the horizontal velocity.
    pub fn measure_velocity(&self) -> bool {
        self.ins.is_some() || self.dvl.is_some() || self.gnss.is_some()
    }

    /// Returns true if the sensors measure the depth.
    pub fn measure_depth(&self) -> bool {
        self.ins.is_some() || self.pressure.is_some()
    }
}

/// Sensor and its mounting on the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mounting {
    /// Index of the sensor on the robot.
    pub sensor: usize,
    /// Position in the base frame B [m].
    pub p_BoS: Vec3,
    /// Rotation of the sensor frame S in B.
    pub R_BS: Mat3,
}
