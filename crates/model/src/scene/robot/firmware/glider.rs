//! Keys, settings and state of the control law of an underwater glider in
//! `crates/control/src/laws/glider.rs`.

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
    /// Firmware of a glider with a buoyancy engine. Pairs of values are for dive and climb.
    pub struct GliderKeys {
        /// Description of the firmware.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Control cycles per second.
        rate_hz: f64 [in 0.1..=10000.0] = 1.0,
        /// Name of the buoyancy engine.
        engine: String [frame] = "engine".to_string(),
        /// Volumes of the buoyancy engine.
        volumes_m3: [f64; 2],
        /// Sliding mass that sets the pitch angle. Default: none.
        slide: Option<GliderSlide>,
        /// Steering by a mass that rolls. Default: the glider does not steer.
        steering: Option<GliderSteering>,
        /// Depth at which a dive ends, without a depth set-point.
        dive_depth_m: f64 [positive] = 50.0,
        /// Depth at which a climb ends and the next dive begins.
        turn_depth_m: f64 [positive] = 3.0,
        /// Look-ahead distance of the line-of-sight guidance.
        look_ahead_m: f64 [positive] = 100.0,
        /// Integral gain of the line-of-sight guidance; 0: no integral.
        cross_track_integral_gain_m_s: f64 [non_negative] = 0.0,
        /// Distance from a waypoint at which the next leg begins.
        acceptance_radius_m: f64 [positive] = 50.0,
        ..source_of_motion: MotionSource,
    }

    /// Sliding mass that sets the pitch angle.
    pub struct GliderSlide {
        /// Name of the prismatic joint.
        joint: String [frame] = "slide".to_string(),
        /// Positions of the joint.
        positions_m: [f64; 2],
    }

    /// Steering by a mass that rolls. Pairs of gains are for dive and climb.
    pub struct GliderSteering {
        /// Name of the revolute joint.
        joint: String [frame] = "roll".to_string(),
        /// Joint angle per heading error, both counter-clockwise about their axes.
        heading_gain: [f64; 2],
        /// Joint angle per yaw rate.
        yaw_rate_gain_s: [f64; 2] = [0.0, 0.0],
        /// Maximum angle of the joint.
        max_angle_deg: f64 [in 1.0..=180.0] = 45.0,
    }
}

follows_paths!(GliderKeys);
law_keys!(GliderKeys, |_keys| f64::INFINITY, None);

/// Settings of the firmware of an underwater glider.
#[derive(Clone, Debug, PartialEq)]
pub struct Glider {
    /// Volumes, depths and gains of the file.
    pub keys: GliderKeys,
    /// Index of the buoyancy engine.
    pub engine: usize,
    /// Joint of the sliding mass, if there is one.
    pub slide_joint: Option<usize>,
    /// Joint that rolls the mass, if the glider steers.
    pub steering_joint: Option<usize>,
}

/// State of the firmware of a glider.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct GliderState {
    /// True while it is active.
    pub on: bool,
    /// True in a dive, false in a climb.
    pub is_diving: bool,
    /// Depth at which a dive ends [m]; at most the turn depth: the glider stays at the surface.
    pub depth: f64,
    /// Heading set-point, clockwise from north [rad]; `None`: the glider does not steer.
    pub heading: Option<f64>,
    /// Path that sets the heading, if any. At its end the glider surfaces.
    pub path: Option<PathProgress>,
}

impl LawSettings for Glider {
    type Keys = GliderKeys;
    type State = GliderState;

    fn start(&self) -> GliderState {
        GliderState {
            is_diving: true,
            depth: self.keys.dive_depth_m,
            ..GliderState::default()
        }
    }

    fn abilities(&self, _is_guided: bool) -> Abilities {
        let steers = self.steering_joint.is_some();
        Abilities {
            heading: steers,
            depth: true,
            paths: steers,
            path_key: "steering",
            modes: &[ControlMode::Off, ControlMode::Dive],
            ..Abilities::NONE
        }
    }
}

impl LawState for GliderState {
    fn activity<'a>(&'a self, _task: &'a GuidanceTask) -> Activity<'a> {
        Activity {
            mode: match self.on {
                true => mode_along(self.path.as_ref(), ControlMode::Dive),
                false => ControlMode::Off,
            },
            path: self.path.as_ref(),
            buoyancy_engines: self.on,
            ..Activity::IDLE
        }
    }

    fn reference(&self, (p, q): (Vec3, Quat)) -> Option<(Vec3, Quat)> {
        let p = Vec3::new(p.x, p.y, -self.depth);
        self.on.then(|| (p, self.heading.map_or(q, level_at)))
    }
}
