//! Keys, settings and state of the depth hold in `crates/control/src/laws/thruster_depth_hold.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, LawSettings, LawState, law_keys,
};
use crate::state::firmware::tasks::{ControlMode, GuidanceTask};
use merrow_yaml::spec::spec;

spec! {
    /// Depth hold with one vertical thruster.
    pub struct ThrusterDepthHoldKeys {
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 50.0,
        /// Name of the thruster, which pushes up.
        thruster: String [frame],
        /// Thrust per depth error.
        depth_gain_n_per_m: f64 [non_negative],
        /// Thrust per sink rate.
        sinking_gain_n_s_per_m: f64 [non_negative],
        /// Depth set-point at the start of the run, positive down.
        depth_m: f64,
        ..source_of_motion: MotionSource,
    }
}

law_keys!(ThrusterDepthHoldKeys, |_keys| f64::INFINITY, None);

/// Settings of the depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrusterDepthHold {
    /// Gains of the file.
    pub keys: ThrusterDepthHoldKeys,
    /// Index of the thruster.
    pub thruster: usize,
}

/// State of the depth hold.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct ThrusterDepthHoldState {
    /// True while it is active.
    pub on: bool,
    /// Depth set-point, positive down [m].
    pub depth: f64,
}

impl LawSettings for ThrusterDepthHold {
    type Keys = ThrusterDepthHoldKeys;
    type State = ThrusterDepthHoldState;

    fn start(&self) -> ThrusterDepthHoldState {
        ThrusterDepthHoldState {
            on: true,
            depth: self.keys.depth_m,
        }
    }

    fn abilities(&self, _is_guided: bool) -> Abilities {
        Abilities {
            depth: true,
            ..Abilities::NONE
        }
    }
}

impl LawState for ThrusterDepthHoldState {
    fn activity<'a>(&'a self, _task: &'a GuidanceTask) -> Activity<'a> {
        if !self.on {
            return Activity::IDLE;
        }
        Activity {
            mode: ControlMode::DepthHold,
            thrusters: true,
            ..Activity::IDLE
        }
    }
}
