//! Keys and state of the velocity controller of a surface vehicle in
//! `crates/control/src/laws/surge_yaw_rate.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, ControlledHeight, LawSettings, LawState, law_keys,
};
use crate::scene::robot::guidance::VelocityGuidance;
use crate::state::firmware::tasks::GuidanceTask;
use merrow_yaml::spec::spec;

spec! {
    /// Firmware of a surface vehicle. The gains give thrust and moment per error, distributed by
    /// the thruster allocation.
    pub struct SurgeYawRate {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 20.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Thrust per speed error.
        speed_gain_n_s_per_m: f64 [non_negative],
        /// Thrust per integral of the speed error.
        speed_integral_gain_n_per_m: f64 [non_negative],
        /// Moment per yaw rate error.
        yaw_rate_gain_nm_s_per_rad: f64 [non_negative],
        /// Moment per integral of the yaw rate error.
        yaw_integral_gain_nm_per_rad: f64 [non_negative],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum yaw rate set-point.
        max_yaw_rate_rad_s: f64 [positive],
        /// Maximum acceleration of the speed set-point.
        max_acceleration_m_s2: f64 [positive] = 0.5,
        /// Maximum acceleration of the yaw rate set-point.
        max_yaw_acceleration_rad_s2: f64 [positive] = 0.5,
        /// Guidance to goals and along paths. Default: goals and paths are refused.
        guidance: Option<VelocityGuidance>,
        ..source_of_motion: MotionSource,
    }
}

law_keys!(
    SurgeYawRate,
    |keys| keys.command_timeout_s,
    keys.guidance.as_ref()
);

/// State of the velocity controller of a surface vehicle; pairs are for surge speed and yaw rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct SurgeYawRateState {
    /// True while it is active: from a velocity command until the command times out.
    pub on: bool,
    /// Set-points of speed [m/s] and yaw rate [rad/s].
    pub set_point: [f64; 2],
    /// Time integrals of the errors [m, rad].
    pub error_integral: [f64; 2],
}

impl LawSettings for SurgeYawRate {
    type Keys = Self;
    type State = SurgeYawRateState;

    fn start(&self) -> SurgeYawRateState {
        SurgeYawRateState::default()
    }

    fn abilities(&self, is_guided: bool) -> Abilities {
        Abilities {
            moves_sideways: false,
            ..Abilities::of_velocity(is_guided, ControlledHeight::Water)
        }
    }

    fn max_velocity(&self) -> [f64; 4] {
        [self.max_speed_m_s, 0.0, 0.0, self.max_yaw_rate_rad_s]
    }
}

impl LawState for SurgeYawRateState {
    fn activity<'a>(&'a self, task: &'a GuidanceTask) -> Activity<'a> {
        Activity {
            thrusters: self.on,
            ..Activity::guided(self.on, task)
        }
    }
}
