//! Keys, settings and state of the heading and depth hold in
//! `crates/control/src/laws/heading_depth_hold.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, LawSettings, LawState, law_keys, level_at, mode_along,
};
use crate::scene::robot::guidance::{LineOfSight, follows_paths};
use crate::state::firmware::tasks::{ControlMode, GuidanceTask, PathProgress};
use merrow_math::{Quat, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Heading and depth hold. The gains give fin angles per error.
    pub struct HeadingDepthHoldKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 0.1..=10000.0] = 10.0,
        /// Age after which a velocity command is ignored.
        command_timeout_s: f64 [positive] = 1.0,
        /// Name of the rudder fin; a positive angle turns the vehicle to the right.
        rudder: String [frame] = "rudder".to_string(),
        /// Name of the stern plane fin; a positive angle pitches the nose down.
        stern_planes: String [frame] = "stern_planes".to_string(),
        /// Name of the bow plane fin; a positive angle pitches the nose up. Default: none.
        bow_planes: Option<String> [frame],
        /// Rudder angle per heading error.
        heading_gain: f64 [non_negative],
        /// Rudder angle per yaw rate.
        yaw_rate_gain_s: f64 [non_negative],
        /// Pitch set-point per depth error.
        depth_gain_rad_per_m: f64 [non_negative],
        /// Pitch set-point per sink rate.
        sinking_gain_rad_per_m_s: f64 [non_negative],
        /// Stern plane angle per pitch error.
        pitch_gain: f64 [non_negative],
        /// Stern plane angle per pitch rate.
        pitch_rate_gain_s: f64 [non_negative],
        /// Bow plane angle per stern plane angle.
        bow_gain: f64 [non_negative] = 0.0,
        /// Limits of the pitch set-point: down (negative) and up.
        pitch_limits_deg: [f64; 2],
        /// Thruster that a path starts if it is stopped. Default: paths start no thruster.
        cruise: Option<HeadingDepthStart>,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 10.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 5.0,
        /// Radius of the circle around the end of a path.
        loiter_radius_m: f64 [positive] = 20.0,
        /// Lead time of the heading set-point on that circle, which balances the lag of the heading
        /// control.
        turn_lead_time_s: f64 [non_negative] = 0.0,
        /// Speed control by the propeller, for velocity commands. Default: they are refused.
        speed_control: Option<SpeedControlKeys>,
        /// Start together with the run. Default: the firmware waits for its first set-point.
        start: Option<HeadingDepthStart>,
        ..source_of_motion: MotionSource,
    }
}

follows_paths!(HeadingDepthHoldKeys);
law_keys!(HeadingDepthHoldKeys, |keys| keys.command_timeout_s, None);

spec! {
    /// Thruster that is started, and its command.
    pub struct HeadingDepthStart {
        /// Name of the thruster.
        propeller: String [frame] = "propeller".to_string(),
        /// Command of this thruster, in its own unit; a message on `thrusters/...` can change it
        /// later.
        command: f64,
    }
}

/// Settings of the heading and depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadingDepthHold {
    /// Gains, limits and distances of the file.
    pub keys: HeadingDepthHoldKeys,
    /// Thruster that a path starts if it is stopped, and its command; `None`: paths start no
    /// thruster.
    pub cruise: Option<(usize, f64)>,
    /// Speed control for velocity commands; `None`: velocity commands are refused.
    pub speed_control: Option<SpeedControl>,
    /// Index of the fin that is the rudder.
    pub rudder: usize,
    /// Index of the fin that is the stern planes.
    pub stern_planes: usize,
    /// Index of the fin that is the bow planes, if any.
    pub bow_planes: Option<usize>,
    /// Thruster that is started with the run and its command; `None`: the firmware does not start
    /// with the run.
    pub start: Option<(usize, f64)>,
}

spec! {
    /// Speed control by a propeller.
    pub struct SpeedControlKeys {
        /// Name of the thruster.
        propeller: String [frame] = "propeller".to_string(),
        /// Thrust per speed error.
        speed_gain_n_s_per_m: f64 [non_negative],
        /// Thrust per integral of the speed error.
        speed_integral_gain_n_per_m: f64 [non_negative],
        /// Maximum forward speed set-point.
        max_speed_m_s: f64 [positive],
        /// Maximum rate of the depth set-point.
        max_climb_m_s: f64 [positive],
        /// Maximum rate of the heading set-point.
        max_yaw_rate_rad_s: f64 [positive],
    }
}

/// Settings of the speed control of a torpedo-shaped vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedControl {
    /// Gains and limits of the file.
    pub keys: SpeedControlKeys,
    /// Index of the propeller.
    pub propeller: usize,
}

/// State of the heading and depth hold.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct HeadingDepthState {
    /// True while it is active.
    pub on: bool,
    /// Heading set-point, clockwise from north [rad].
    pub heading: f64,
    /// Depth set-point, positive down [m].
    pub depth: f64,
    /// Path that sets heading and depth, if any. At its end the vehicle circles.
    pub path: Option<PathProgress>,
    /// Time integral of the speed error [m] while velocity commands act; `None` otherwise.
    pub speed_integral: Option<f64>,
}

impl HeadingDepthState {
    /// Returns the state that holds `heading` [rad, clockwise from north] and `depth` [m].
    pub fn hold(on: bool, heading: f64, depth: f64) -> Self {
        Self {
            on,
            heading,
            depth,
            ..Self::default()
        }
    }
}

impl LawSettings for HeadingDepthHold {
    type Keys = HeadingDepthHoldKeys;
    type State = HeadingDepthState;

    fn start(&self) -> HeadingDepthState {
        HeadingDepthState::default()
    }

    fn abilities(&self, _is_guided: bool) -> Abilities {
        Abilities {
            velocity: self.speed_control.is_some(),
            heading: true,
            depth: true,
            paths: true,
            modes: &[
                ControlMode::Off,
                ControlMode::HeadingHold,
                ControlMode::DepthHold,
            ],
            ..Abilities::NONE
        }
    }

    fn max_velocity(&self) -> [f64; 4] {
        self.speed_control.as_ref().map_or([0.0; 4], |speed| {
            let keys = &speed.keys;
            [
                keys.max_speed_m_s,
                0.0,
                keys.max_climb_m_s,
                keys.max_yaw_rate_rad_s,
            ]
        })
    }
}

impl LawState for HeadingDepthState {
    fn activity<'a>(&'a self, _task: &'a GuidanceTask) -> Activity<'a> {
        let path = self.path.as_ref();
        Activity {
            mode: match self.speed_integral {
                _ if !self.on => ControlMode::Off,
                Some(_) => mode_along(path, ControlMode::Velocity),
                None => mode_along(path, ControlMode::DepthHold),
            },
            path,
            thrusters: self.speed_integral.is_some(),
            fins: self.on,
            ..Activity::IDLE
        }
    }

    fn reference(&self, (p, _): (Vec3, Quat)) -> Option<(Vec3, Quat)> {
        let p = Vec3::new(p.x, p.y, -self.depth);
        self.on.then(|| (p, level_at(self.heading)))
    }
}
