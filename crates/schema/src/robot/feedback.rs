//! Keys of the motion that a firmware uses.

use merrow_yaml::spec::{fieldless_choice, spec};

fieldless_choice! {
    /// Source of the motion that the firmware uses.
    pub enum FeedbackConfig {
        /// The true motion of the vehicle.
        Truth = "truth",
        /// The robot's own sensors.
        Sensors = "sensors",
    }
}

spec! {
    /// Source of the motion that the firmware uses, and its sensors.
    pub struct MotionSourceConfig {
        /// Source of the motion that the firmware uses.
        feedback: FeedbackConfig = FeedbackConfig::Truth,
        /// Names of the sensors for `feedback: sensors`. Default: the first of each kind.
        feedback_sensors: Option<FeedbackSensorsConfig>,
    }
}

spec! {
    /// Sensors on the base that the firmware uses. A kind that is not named is not used.
    pub struct FeedbackSensorsConfig {
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
