//! State of the stock firmwares.

pub mod motion_control;

use crate::state::firmware::motion_control::PathProgress;
pub use crate::state::firmware::motion_control::{ControlMode, MotionControlState};

use crate::scene::Robot;
use crate::scene::robot::firmware::FirmwareLaw;
use merrow_math::Vec3;

/// State of the firmware of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct FirmwareState {
    /// Number of ticks so far.
    pub ticks: u64,
    /// True after the first tick of the robot, which can be later than the first tick of the run.
    pub started: bool,
    /// Latest velocity command: linear [m/s] and angular [rad/s].
    pub command: [Vec3; 2],
    /// Time of the latest velocity command [ns]; `None` before the first.
    pub command_ns: Option<u64>,
    /// State of the control law.
    pub memory: FirmwareLawState,
}

/// State of a control law.
#[derive(Clone, Debug, PartialEq)]
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
}

/// State of the velocity controller of a surface vehicle; pairs are for surge speed and yaw rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurgeYawRateState {
    /// True while it is active: from a velocity command until the command times out.
    pub on: bool,
    /// Set-points of speed [m/s] and yaw rate [rad/s].
    pub set_point: [f64; 2],
    /// Time integrals of the errors [m, rad].
    pub error_integral: [f64; 2],
}

/// State of the heading and depth hold.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadingDepthState {
    /// True while it is active.
    pub on: bool,
    /// Heading set-point, clockwise from north [rad].
    pub heading: f64,
    /// Depth set-point, positive down [m].
    pub depth: f64,
    /// Path that sets heading and depth, if any. At its end the vehicle circles.
    pub path: Option<PathProgress>,
}

/// State of a differential drive.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Flight phase of a multirotor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlightMode {
    /// Rotors off, or commanded externally.
    Off,
    /// Climbs to the take-off height.
    TakingOff,
    /// Flies and follows velocity commands.
    Flying,
    /// Descends until it stands on a surface.
    Landing,
}

impl FlightMode {
    /// Returns the name as published.
    pub fn keyword(self) -> &'static str {
        match self {
            FlightMode::Off => "off",
            FlightMode::TakingOff => "taking_off",
            FlightMode::Flying => "flying",
            FlightMode::Landing => "landing",
        }
    }
}

/// State of the multirotor firmware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultirotorState {
    /// Flight phase of the multirotor.
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
                let mode = if settings.starts_flying {
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
                FirmwareLawState::HeadingDepthHold(HeadingDepthState {
                    on: false,
                    heading: 0.0,
                    depth: 0.0,
                    path: None,
                })
            }
            FirmwareLaw::Drive(_) => FirmwareLawState::Drive(DifferentialDriveState {
                on: true,
                set_point: [0.0; 2],
                angles: None,
                odometry: [0.0; 3],
                measured: [0.0; 2],
            }),
            FirmwareLaw::SurgeYawRate(_) => FirmwareLawState::SurgeYawRate(SurgeYawRateState {
                on: false,
                set_point: [0.0; 2],
                error_integral: [0.0; 2],
            }),
            FirmwareLaw::MotionControl(settings) => {
                FirmwareLawState::MotionControl(MotionControlState::new(settings))
            }
        };
        Some(Self {
            ticks: 0,
            started: false,
            command: [zero; 2],
            command_ns: None,
            memory,
        })
    }

    /// Returns true if the firmware controls the thrusters.
    pub fn controls_thrusters(&self) -> bool {
        match &self.memory {
            FirmwareLawState::Multirotor(flight) => flight.mode != FlightMode::Off,
            FirmwareLawState::SurgeYawRate(control) => control.on,
            FirmwareLawState::MotionControl(control) => control.mode != ControlMode::Off,
            FirmwareLawState::HeadingDepthHold(_) | FirmwareLawState::Drive(_) => false,
        }
    }

    /// Returns true if the firmware controls the fins.
    pub fn controls_fins(&self) -> bool {
        matches!(
            self.memory,
            FirmwareLawState::HeadingDepthHold(HeadingDepthState { on: true, .. })
        )
    }

    /// Returns true if the firmware controls the wheel joints.
    pub fn controls_joints(&self) -> bool {
        matches!(
            self.memory,
            FirmwareLawState::Drive(DifferentialDriveState { on: true, .. })
        )
    }
}
