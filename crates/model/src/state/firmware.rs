//! State of the stock firmwares.

pub mod motion_control;

use crate::each_control_law;
use crate::persist::Persist;
pub use crate::state::firmware::motion_control::{ControlMode, MotionControlState};
use crate::state::firmware::motion_control::{MotionEstimate, PathProgress, PoseGoal};

use crate::scene::Robot;
use crate::scene::robot::firmware::FirmwareLaw;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

/// State of the firmware of a robot.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct FirmwareState {
    /// Number of ticks so far.
    pub ticks: u64,
    /// True after the first tick of the robot, which can be later than the first tick of the run.
    pub started: bool,
    /// Latest velocity command: linear [m/s] and angular [rad/s].
    pub command: [Vec3; 2],
    /// Time of the latest velocity command [ns]; `None` before the first.
    pub command_ns: Option<u64>,
    /// Task of the guidance by velocity commands.
    pub task: GuidanceTask,
    /// Motion of the base as the sensors of the firmware measure it.
    pub estimate: MotionEstimate,
    /// State of the control law, of the same kind as the law of the robot.
    pub memory: FirmwareLawState,
}

/// Motion that a task has read for the firmware at the start of its job.
#[derive(Clone, Debug, Persist)]
pub struct FirmwareInput {
    /// Motion of the robot as the firmware has it.
    pub motion: crate::state::Motion,
    /// Which parts of it are known.
    pub known: Known,
}

/// Parts of the motion that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Known {
    /// Attitude and angular velocity.
    pub attitude: bool,
    /// Horizontal components of the velocity.
    pub velocity: bool,
    /// Depth and vertical velocity.
    pub depth: bool,
}

impl Known {
    /// The whole motion is known.
    pub const ALL: Self = Self {
        attitude: true,
        velocity: true,
        depth: true,
    };
}

/// Task of the guidance that moves a vehicle by velocity commands.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum GuidanceTask {
    /// No control; external velocity commands are accepted.
    None,
    /// Approaches and holds a pose. A vehicle that cannot move sideways stops when it has arrived,
    /// until it has left twice the acceptance radius.
    Goal {
        /// Position and heading of the goal.
        goal: PoseGoal,
        /// True after the arrival.
        has_arrived: bool,
    },
    /// Follows a path, then holds its end.
    Path(PathProgress),
}

macro_rules! declare_states {
    ($($(#[doc = $doc:literal])* $law:ident($settings:ident, $state:ident),)*) => {
        /// State of a control law.
        #[derive(Clone, Debug, PartialEq, Persist)]
        #[allow(clippy::large_enum_variant)] // a box would allocate when the state is copied
        pub enum FirmwareLawState {
            $(
                /// State of the law:
                $(#[doc = $doc])*
                $law($state),
            )*
        }

        impl FirmwareLawState {
            /// Returns the number of the law in the list of laws, from 0.
            pub(crate) fn number(&self) -> usize {
                let is_own = [$(matches!(self, Self::$law(_))),*];
                is_own.iter().take_while(|is_own| !**is_own).count()
            }
        }
    };
}
each_control_law!(declare_states);

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

spec! {
    /// Flight phase of a multirotor.
    #[derive(Persist)]
    pub enum FlightMode words {
        /// Rotors off, or commanded externally.
        Off = "off",
        /// Climbs to the take-off height.
        TakingOff = "taking_off",
        /// Flies and follows velocity commands.
        Flying = "flying",
        /// Descends until it stands on a surface.
        Landing = "landing",
    }
}

/// State of the multirotor firmware.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct MultirotorState {
    /// Flight phase; `Off`: the firmware does not command the rotors.
    pub mode: FlightMode,
    /// Position set-point, in W [m].
    pub p: Vec3,
    /// Velocity set-point, in W [m/s].
    pub v: Vec3,
    /// Yaw set-point, from east, counter-clockwise [rad].
    pub yaw: f64,
    /// Height at which the take-off ends [m].
    pub top: f64,
    /// Time without descent despite a descent command [s].
    pub blocked_time: f64,
    /// False until the position and yaw set-points are initialised with the current pose.
    pub initialised: bool,
}

impl FirmwareState {
    /// Creates the initial state; `None` for a robot without firmware.
    pub fn new(robot: &Robot) -> Option<Self> {
        let firmware = robot.firmware.as_ref()?;
        let zero = Vec3::zero();
        let memory = match &firmware.law {
            FirmwareLaw::Multirotor(settings) => {
                let mode = if settings.keys.starts_flying {
                    FlightMode::Flying
                } else {
                    FlightMode::Off
                };
                FirmwareLawState::Multirotor(MultirotorState {
                    mode,
                    p: zero,
                    v: zero,
                    yaw: 0.0,
                    top: 0.0,
                    blocked_time: 0.0,
                    initialised: false,
                })
            }
            FirmwareLaw::HeadingDepthHold(_) => {
                FirmwareLawState::HeadingDepthHold(HeadingDepthState::default())
            }
            FirmwareLaw::Drive(_) => FirmwareLawState::Drive(DifferentialDriveState {
                on: true,
                ..DifferentialDriveState::default()
            }),
            FirmwareLaw::SurgeYawRate(_) => {
                FirmwareLawState::SurgeYawRate(SurgeYawRateState::default())
            }
            FirmwareLaw::MotionControl(settings) => {
                FirmwareLawState::MotionControl(MotionControlState::new(settings))
            }
            FirmwareLaw::Sailing(_) => FirmwareLawState::Sailing(SailingState {
                tack: 1.0,
                ..SailingState::default()
            }),
            FirmwareLaw::Glider(settings) => FirmwareLawState::Glider(GliderState {
                is_diving: true,
                depth: settings.keys.dive_depth_m,
                ..GliderState::default()
            }),
        };
        Some(Self {
            ticks: 0,
            started: false,
            command: [zero; 2],
            command_ns: None,
            task: GuidanceTask::None,
            estimate: MotionEstimate::default(),
            memory,
        })
    }

    /// Returns what the firmware does now.
    pub fn activity(&self) -> Activity<'_> {
        let idle = Activity {
            mode: ControlMode::Off,
            path: None,
            thrusters: false,
            fins: false,
            buoyancy_engines: false,
        };
        let (mode, path) = match &self.task {
            GuidanceTask::None => (ControlMode::Velocity, None),
            GuidanceTask::Goal { .. } => (ControlMode::StationKeeping, None),
            GuidanceTask::Path(path) => (ControlMode::PathFollowing, Some(path)),
        };
        let guided = |on: bool| Activity {
            mode: if on { mode } else { ControlMode::Off },
            path,
            ..idle
        };
        let follows = |path: &Option<PathProgress>, other: ControlMode| match path {
            Some(_) => ControlMode::PathFollowing,
            None => other,
        };
        match &self.memory {
            FirmwareLawState::Drive(drive) => guided(drive.on),
            FirmwareLawState::SurgeYawRate(control) => Activity {
                thrusters: control.on,
                ..guided(control.on)
            },
            FirmwareLawState::Multirotor(flight) => Activity {
                thrusters: flight.mode != FlightMode::Off,
                ..guided(flight.mode != FlightMode::Off)
            },
            FirmwareLawState::MotionControl(control) => Activity {
                mode: control.mode,
                path: control.path.as_ref(),
                thrusters: control.mode != ControlMode::Off,
                ..idle
            },
            FirmwareLawState::HeadingDepthHold(hold) => Activity {
                mode: match hold.speed_integral {
                    _ if !hold.on => ControlMode::Off,
                    Some(_) => follows(&hold.path, ControlMode::Velocity),
                    None => follows(&hold.path, ControlMode::DepthHold),
                },
                path: hold.path.as_ref(),
                thrusters: hold.speed_integral.is_some(),
                fins: hold.on,
                ..idle
            },
            FirmwareLawState::Sailing(sailing) => Activity {
                mode: match sailing.is_course {
                    _ if !sailing.on => ControlMode::Off,
                    true => ControlMode::HeadingHold,
                    false => follows(&sailing.path, ControlMode::StationKeeping),
                },
                path: sailing.path.as_ref().filter(|_| !sailing.is_course),
                fins: sailing.on,
                ..idle
            },
            FirmwareLawState::Glider(glider) => Activity {
                mode: match glider.on {
                    true => follows(&glider.path, ControlMode::Dive),
                    false => ControlMode::Off,
                },
                path: glider.path.as_ref(),
                buoyancy_engines: glider.on,
                ..idle
            },
        }
    }
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
