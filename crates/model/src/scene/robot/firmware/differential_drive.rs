//! Keys, settings and state of the control law of a differential drive in
//! `crates/control/src/laws/differential_drive.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, ControlledHeight, LawSettings, LawState, law_keys,
};
use crate::scene::robot::guidance::VelocityGuidance;
use crate::state::firmware::tasks::GuidanceTask;
use merrow_yaml::spec::spec;

spec! {
    /// Firmware of a differential drive.
    pub struct DifferentialDriveKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 0.5,
        /// Joints of the left wheels; each must have a servo.
        left: Vec<String> [not_empty],
        /// Joints of the right wheels; each must have a servo.
        right: Vec<String> [not_empty],
        /// Radius of the wheels.
        wheel_radius_m: f64 [positive],
        /// Distance between left and right wheels that the firmware assumes.
        track_m: f64 [positive],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive],
        /// Maximum acceleration of the speed set-point.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Maximum acceleration of the yaw rate set-point.
        max_yaw_acceleration_rad_s2: f64 [positive] = 2.0,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }
}

law_keys!(
    DifferentialDriveKeys,
    |keys| keys.command_timeout_s,
    keys.guidance.as_ref()
);

/// Settings of the differential drive.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferentialDrive {
    /// Dimensions and limits of the file.
    pub keys: DifferentialDriveKeys,
    /// Joint indices of the wheels on the left and on the right.
    pub wheels: [Vec<usize>; 2],
}

/// State of a differential drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct DifferentialDriveState {
    /// True while it is active.
    pub on: bool,
    /// Set-points of speed [m/s] and yaw rate [rad/s].
    pub set_point: [f64; 2],
    /// Last measured mean wheel angles, left and right [rad]; `None` before the first tick.
    pub angles: Option<[f64; 2]>,
    /// Wheel odometry: position (x, y) [m] and yaw [rad] relative to the start.
    pub odometry: [f64; 3],
    /// Speed [m/s] and yaw rate [rad/s] from the wheels.
    pub measured: [f64; 2],
}

impl LawSettings for DifferentialDrive {
    type Keys = DifferentialDriveKeys;
    type State = DifferentialDriveState;

    fn start(&self) -> DifferentialDriveState {
        DifferentialDriveState {
            on: true,
            ..DifferentialDriveState::default()
        }
    }

    fn abilities(&self, is_guided: bool) -> Abilities {
        Abilities {
            moves_sideways: false,
            ..Abilities::of_velocity(is_guided, ControlledHeight::Ground)
        }
    }

    fn max_velocity(&self) -> [f64; 4] {
        let keys = &self.keys;
        [keys.max_speed_m_s, 0.0, 0.0, keys.max_yaw_rate_rad_s]
    }
}

impl LawState for DifferentialDriveState {
    fn activity<'a>(&'a self, task: &'a GuidanceTask) -> Activity<'a> {
        Activity::guided(self.on, task)
    }
}
