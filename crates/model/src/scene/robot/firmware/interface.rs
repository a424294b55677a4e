//! Interface of a control law: its keys, its settings and its state, as the rest of Merrow reads
//! them. The law itself is in `crates/control`.

use crate::persist::Persist;
use crate::scene::robot::feedback::MotionSource;
use crate::scene::robot::guidance::VelocityGuidance;
use crate::state::firmware::tasks::{ControlMode, GuidanceTask, PathProgress};
use merrow_math::{Quat, Vec3};
use merrow_yaml::read::Places;

/// Keys of a control law in a file; `kind` selects them.
pub trait LawKeys {
    /// Returns the values that every firmware has.
    fn common(&self) -> CommonKeys<'_>;
}

/// Values that every firmware has.
#[derive(Clone, Copy, Debug)]
pub struct CommonKeys<'a> {
    /// Source of the parameter values.
    pub source: &'a str,
    /// Values that are unverified or estimated, and the reason.
    pub estimated: &'a str,
    /// Control cycles per second [Hz].
    pub rate_hz: f64,
    /// Age after which a velocity command is ignored [s].
    pub command_timeout_s: f64,
    /// Guidance by velocity commands, if the law has none of its own.
    pub guidance: Option<&'a VelocityGuidance>,
    /// Source of the motion that the firmware uses.
    pub source_of_motion: &'a MotionSource,
    /// Positions of the keys.
    pub at: &'a Places,
}

/// Implements [`LawKeys`] for a structure with the keys `source`, `estimated`, `rate_hz` and those
/// of [`MotionSource`], which is called `$keys` in the expressions of the time-out and the guidance.
macro_rules! law_keys {
    ($type:ty, |$keys:ident| $command_timeout_s:expr, $guidance:expr) => {
        impl $crate::scene::robot::firmware::interface::LawKeys for $type {
            fn common(&self) -> $crate::scene::robot::firmware::interface::CommonKeys<'_> {
                let $keys = self;
                $crate::scene::robot::firmware::interface::CommonKeys {
                    source: &self.source,
                    estimated: &self.estimated,
                    rate_hz: self.rate_hz,
                    command_timeout_s: $command_timeout_s,
                    guidance: $guidance,
                    source_of_motion: &self.source_of_motion,
                    at: &self.at,
                }
            }
        }
    };
}
pub(crate) use law_keys;

/// Settings of a control law.
pub trait LawSettings {
    /// Keys of the law in a file.
    type Keys: LawKeys;
    /// Memory of the law between its ticks.
    type State: LawState;

    /// Returns the state at the start of a run.
    fn start(&self) -> Self::State;

    /// Returns what the law accepts; `is_guided` is true for a firmware with a guidance by velocity
    /// commands.
    fn abilities(&self, is_guided: bool) -> Abilities;

    /// Returns the maximum velocity commands in surge, sway and heave [m/s] and yaw [rad/s].
    fn max_velocity(&self) -> [f64; 4] {
        [0.0; 4]
    }

    /// Returns units and limits of the velocity commands; empty if the law accepts none.
    fn velocity_unit(&self) -> String {
        let [surge, _, heave, yaw] = self.max_velocity();
        let up = match heave > 0.0 {
            true => format!(" and up [-{heave}, {heave}];"),
            false => ",".to_string(),
        };
        match surge > 0.0 {
            true => format!("m/s forward [-{surge}, {surge}]{up} rad/s about z [-{yaw}, {yaw}]"),
            false => String::new(),
        }
    }
}

/// State of a control law.
pub trait LawState: Persist {
    /// Returns what the firmware does now. `task` is the task of the guidance by velocity commands.
    fn activity<'a>(&'a self, task: &'a GuidanceTask) -> Activity<'a>;

    /// Returns the position in W [m] and the attitude that the law controls, with those of `pose`
    /// where it controls none. `None`: it has no reference of its own now.
    fn reference(&self, _pose: (Vec3, Quat)) -> Option<(Vec3, Quat)> {
        None
    }
}

/// What a control law accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// True if it accepts velocity commands.
    pub velocity: bool,
    /// True if it accepts heading set-points.
    pub heading: bool,
    /// True if it accepts depth set-points.
    pub depth: bool,
    /// True if it moves to goals and along paths.
    pub paths: bool,
    /// Key of the firmware without which it does not.
    pub path_key: &'static str,
    /// How the vehicle uses the height of goals.
    pub height: ControlledHeight,
    /// True if the vehicle moves sideways to a goal. Others keep station within a distance from it,
    /// or circle about it.
    pub moves_sideways: bool,
    /// Modes that commands can request.
    pub modes: &'static [ControlMode],
}

impl Abilities {
    /// A law that accepts no commands but to switch it on and off.
    pub const NONE: Self = Self {
        velocity: false,
        heading: false,
        depth: false,
        paths: false,
        path_key: "guidance",
        height: ControlledHeight::Commanded,
        moves_sideways: true,
        modes: &[ControlMode::Off],
    };

    /// Returns the abilities of a law that follows velocity commands, also those of a guidance if
    /// `is_guided`.
    pub fn of_velocity(is_guided: bool, height: ControlledHeight) -> Self {
        Self {
            velocity: true,
            paths: is_guided,
            height,
            modes: match is_guided {
                true => &[
                    ControlMode::Off,
                    ControlMode::Velocity,
                    ControlMode::StationKeeping,
                ],
                false => &[ControlMode::Off, ControlMode::Velocity],
            },
            ..Self::NONE
        }
    }
}

/// Height of the goals of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlledHeight {
    /// The vehicle moves to the commanded height.
    Commanded,
    /// The vehicle stays at the height of the water surface.
    Water,
    /// The vehicle stands on the ground.
    Ground,
}

/// What a firmware does.
#[derive(Clone, Copy, Debug)]
pub struct Activity<'a> {
    /// Mode of the active firmware; `Off` if it does not control the vehicle. The mode of a
    /// firmware without modes follows from its task.
    pub mode: ControlMode,
    /// Path that the firmware follows, if any.
    pub path: Option<&'a PathProgress>,
    /// True if it controls the thrusters.
    pub thrusters: bool,
    /// True if it controls the fins.
    pub fins: bool,
    /// True if it controls the buoyancy engines.
    pub buoyancy_engines: bool,
}

impl<'a> Activity<'a> {
    /// The firmware controls nothing.
    pub const IDLE: Self = Self {
        mode: ControlMode::Off,
        path: None,
        thrusters: false,
        fins: false,
        buoyancy_engines: false,
    };

    /// Returns the activity of a law that follows velocity commands of the guidance, if it is `on`.
    pub fn guided(on: bool, task: &'a GuidanceTask) -> Self {
        let (mode, path) = match task {
            GuidanceTask::None => (ControlMode::Velocity, None),
            GuidanceTask::Goal { .. } => (ControlMode::StationKeeping, None),
            GuidanceTask::Path(path) => (ControlMode::PathFollowing, Some(path)),
        };
        Self {
            mode: if on { mode } else { ControlMode::Off },
            path,
            ..Self::IDLE
        }
    }
}

/// Returns the mode of a law that follows `path`, or `other` without a path.
pub(crate) fn mode_along(path: Option<&PathProgress>, other: ControlMode) -> ControlMode {
    match path {
        Some(_) => ControlMode::PathFollowing,
        None => other,
    }
}

/// Returns the attitude of a level vehicle with a heading, clockwise from north [rad].
pub(crate) fn level_at(heading: f64) -> Quat {
    Quat::from_rpy(0.0, 0.0, std::f64::consts::FRAC_PI_2 - heading)
}
