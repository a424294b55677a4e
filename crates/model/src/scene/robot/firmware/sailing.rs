//! Keys, settings and state of the control law of a sailing boat in
//! `crates/control/src/laws/sailing.rs`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::firmware::interface::{
    Abilities, Activity, ControlledHeight, LawSettings, LawState, law_keys, mode_along,
};
use crate::scene::robot::guidance::{LineOfSight, follows_paths};
use crate::state::firmware::tasks::{ControlMode, GuidanceTask, PathProgress};
use merrow_math::{Quat, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Firmware of a boat with one sail and a rudder.
    pub struct SailingKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 1.0..=10000.0] = 10.0,
        /// Name of the fin that is the sail.
        sail: String [frame] = "sail".to_string(),
        /// Name of the rudder fin; a positive angle turns the boat to the left.
        rudder: String [frame] = "rudder".to_string(),
        /// Rudder angle per heading error.
        heading_gain: f64 [positive],
        /// Rudder angle per yaw rate.
        yaw_rate_gain_s: f64 [non_negative],
        /// Minimum angle between the heading and the direction from which the wind blows.
        close_hauled_deg: f64 [in 20.0..=89.0] = 45.0,
        /// Minimum angle between the heading and the direction to which the wind blows.
        running_deg: f64 [in 0.0..=60.0] = 15.0,
        /// Angle between the sail and the apparent wind.
        sail_incidence_deg: f64 [in 1.0..=45.0],
        /// Distance from a leg at which the boat tacks or gybes.
        corridor_m: f64 [positive] = 30.0,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 10.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 8.0,
        /// Distance from the goal beyond which the boat sails back to it.
        loiter_radius_m: f64 [positive] = 20.0,
        ..source_of_motion: MotionSource,
    }
}

follows_paths!(SailingKeys);
law_keys!(SailingKeys, |_keys| f64::INFINITY, None);

/// Settings of the firmware of a sailing boat.
#[derive(Clone, Debug, PartialEq)]
pub struct Sailing {
    /// Gains, angles and distances of the file.
    pub keys: SailingKeys,
    /// Index of the fin that is the sail.
    pub sail: usize,
    /// Index of the fin that is the rudder.
    pub rudder: usize,
}

/// State of the firmware of a sailing boat.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct SailingState {
    /// True while it is active.
    pub on: bool,
    /// Course or path that the boat follows; `None` while it drifts with eased sheet.
    pub path: Option<PathProgress>,
    /// True if `path` is a course, which has no end.
    pub is_course: bool,
    /// Goal near which the boat stays, in W [m].
    pub goal: Option<Vec3>,
    /// Side of the wind on which the boat sails close to it: 1 left of it, -1 right of it.
    pub tack: f64,
    /// False until `tack` is set to the side on which a new path begins.
    pub has_tack: bool,
    /// Heading reference, from east, counter-clockwise [rad].
    pub heading: f64,
}

impl LawSettings for Sailing {
    type Keys = SailingKeys;
    type State = SailingState;

    fn start(&self) -> SailingState {
        SailingState {
            tack: 1.0,
            ..SailingState::default()
        }
    }

    fn abilities(&self, _is_guided: bool) -> Abilities {
        Abilities {
            heading: true,
            paths: true,
            height: ControlledHeight::Water,
            modes: &[
                ControlMode::Off,
                ControlMode::HeadingHold,
                ControlMode::StationKeeping,
            ],
            ..Abilities::NONE
        }
    }
}

impl LawState for SailingState {
    fn activity<'a>(&'a self, _task: &'a GuidanceTask) -> Activity<'a> {
        Activity {
            mode: match self.is_course {
                _ if !self.on => ControlMode::Off,
                true => ControlMode::HeadingHold,
                false => mode_along(self.path.as_ref(), ControlMode::StationKeeping),
            },
            path: self.path.as_ref().filter(|_| !self.is_course),
            fins: self.on,
            ..Activity::IDLE
        }
    }

    fn reference(&self, (p, _): (Vec3, Quat)) -> Option<(Vec3, Quat)> {
        let q = Quat::from_rpy(0.0, 0.0, self.heading);
        self.on.then_some((p, q))
    }
}
