//! State of the stock firmwares.

pub mod motion_control;

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

/// State of a control law.
#[derive(Clone, Debug, PartialEq, Persist)]
#[allow(clippy::large_enum_variant)] // a box would allocate when the state is copied
pub enum FirmwareLawState {
    /// State of the multirotor firmware.
    Multirotor(MultirotorState),
    /// State of the heading and depth hold.
    HeadingDepthHold(HeadingDepthState),
    /// State of a differential drive.
    Drive(DifferentialDriveState),
    /// State of the velocity controller of a surface vehicle.
    SurgeYawRate(SurgeYawRateState),
    /// State of the motion controller.
    MotionControl(MotionControlState),
    /// State of the firmware of a sailing boat.
    Sailing(SailingState),
    /// State of the firmware of a glider.
    Glider(GliderState),
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

    /// Returns true if the firmware controls the thrusters.
    #[inline]
    pub fn controls_thrusters(&self) -> bool {
        match &self.memory {
            FirmwareLawState::Multirotor(flight) => flight.mode != FlightMode::Off,
            FirmwareLawState::SurgeYawRate(control) => control.on,
            FirmwareLawState::MotionControl(control) => control.mode != ControlMode::Off,
            FirmwareLawState::HeadingDepthHold(hold) => hold.speed_integral.is_some(),
            FirmwareLawState::Drive(_)
            | FirmwareLawState::Sailing(_)
            | FirmwareLawState::Glider(_) => false,
        }
    }

    /// Returns true if the firmware controls the fins.
    #[inline]
    pub fn controls_fins(&self) -> bool {
        match &self.memory {
            FirmwareLawState::HeadingDepthHold(hold) => hold.on,
            FirmwareLawState::Sailing(sailing) => sailing.on,
            _ => false,
        }
    }

    /// Returns true if the firmware controls the buoyancy engines.
    #[inline]
    pub fn controls_buoyancy_engines(&self) -> bool {
        matches!(
            self.memory,
            FirmwareLawState::Glider(GliderState { on: true, .. })
        )
    }

    /// Returns the path that the firmware follows, if any.
    pub fn path(&self) -> Option<&PathProgress> {
        match (&self.memory, &self.task) {
            (FirmwareLawState::MotionControl(control), _) => control.path.as_ref(),
            (FirmwareLawState::HeadingDepthHold(hold), _) => hold.path.as_ref(),
            (FirmwareLawState::Sailing(sailing), _) => {
                sailing.path.as_ref().filter(|_| !sailing.is_course)
            }
            (FirmwareLawState::Glider(glider), _) => glider.path.as_ref(),
            (_, GuidanceTask::Path(path)) => Some(path),
            _ => None,
        }
    }

    /// Returns the mode of the active firmware; `Off` if it does not control the vehicle. The mode
    /// of a firmware without modes follows from its task.
    pub fn mode(&self) -> ControlMode {
        let by_task = match self.task {
            GuidanceTask::None => ControlMode::Velocity,
            GuidanceTask::Goal { .. } => ControlMode::StationKeeping,
            GuidanceTask::Path(_) => ControlMode::PathFollowing,
        };
        match &self.memory {
            FirmwareLawState::MotionControl(control) => control.mode,
            FirmwareLawState::Multirotor(flight) if flight.mode != FlightMode::Off => by_task,
            FirmwareLawState::Drive(drive) if drive.on => by_task,
            FirmwareLawState::SurgeYawRate(control) if control.on => by_task,
            FirmwareLawState::HeadingDepthHold(hold) if hold.on => {
                if hold.path.is_some() {
                    ControlMode::PathFollowing
                } else if hold.speed_integral.is_some() {
                    ControlMode::Velocity
                } else {
                    ControlMode::DepthHold
                }
            }
            FirmwareLawState::Sailing(sailing) if sailing.on => {
                if sailing.is_course {
                    ControlMode::HeadingHold
                } else if sailing.path.is_some() {
                    ControlMode::PathFollowing
                } else {
                    ControlMode::StationKeeping
                }
            }
            FirmwareLawState::Glider(glider) if glider.on => {
                if glider.path.is_some() {
                    ControlMode::PathFollowing
                } else {
                    ControlMode::Dive
                }
            }
            _ => ControlMode::Off,
        }
    }
}
