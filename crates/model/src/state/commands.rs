//! External commands: issued by ROS or a script between steps, and applied by
//! `crates/sim/src/control` at the next step.

use crate::persist::Persist;
use crate::scene::Scene;
use crate::scene::correspondence::Correspondence;
use crate::scene::robot::firmware::motion_control::GainKind;
use crate::scene::robot::joint::JointMode;
use crate::state::comms::ModemCommand;
use crate::state::fault_effect::Health;
use crate::state::firmware::ControlMode;
use crate::state::joint::Trajectory;
use merrow_math::{Quat, Vec3};
use std::sync::Arc;

/// One command. The first field of a command to a robot is the index of the robot; other objects are
/// named by their indices in the scene too.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Commands thrusters, fins, buoyancy engines and the thruster manager of a robot.
    Actuator(usize, ActuatorCommand),
    /// Commands joints and joint groups of a robot.
    Joint(usize, JointCommand),
    /// Commands the firmware of a robot.
    Firmware(usize, FirmwareCommand),
    /// Places or pushes a robot.
    Body(usize, BodyCommand),
    /// Sets the condition of a device of a robot, or operates it.
    Device(usize, DeviceCommand),
    /// A report of a robot to the task of the world.
    Report(usize, merrow_tasks::Report),
    /// Engages or releases a coupling. An engaged latch is armed and captures its tip; a grasp
    /// holds `partner`, or the body that it touches, or the nearest body.
    SetCoupling {
        coupling: usize,
        engage: bool,
        partner: Option<usize>,
    },
    /// Starts a fault now; its `end_ns` is a duration [ns]. Replaces a fault of the same name.
    Fault(Box<crate::scene::fault::Fault>),
    /// Ends a fault and removes the water of a leak; without a robot, a fault of a beacon or of a
    /// fixed modem.
    Repair {
        robot: Option<usize>,
        name: Arc<str>,
    },
    /// Commands the winch of a tether with a speed [m/s] or an unstretched length [m].
    Winch {
        tether: usize,
        command: crate::state::tether::WinchCommand,
    },
    /// Commands a modem, which `ModemCommand` selects by its index.
    Modem(ModemCommand),
    /// Transmits a message of a bridge, in CDR, unless the limit of its rate forbids it.
    Bridge { bridge: usize, message: Vec<u8> },
    /// Transmits the request or the response of a call over a bridge.
    Call(BridgedCall),
    /// Changes the sea but not the weather. Waves that differ from the current waves replace them
    /// over their `ramp`.
    Sea(Box<crate::scene::sea::Sea>),
    /// Changes the weather over a duration.
    Weather(Box<WeatherChange>),
}

macro_rules! of_robot {
    ($($kind:ident => $variant:ident),* $(,)?) => {$(
        impl $kind {
            /// Returns the command to a robot, by its index.
            pub fn of(self, robot: usize) -> Command {
                Command::$variant(robot, self)
            }
        }
    )*};
}

of_robot! {
    ActuatorCommand => Actuator, JointCommand => Joint, FirmwareCommand => Firmware,
    BodyCommand => Body, DeviceCommand => Device,
}

/// Command to actuators of a robot, which are named by their indices.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum ActuatorCommand {
    /// Commands one thruster, in its own unit.
    Thruster { thruster: usize, value: f64 },
    /// Commands all thrusters of a robot, each in its own unit; optionally followed by all its fins
    /// [rad].
    Thrusters { values: Vec<f64> },
    /// Commands the angle of one fin [rad].
    Fin { fin: usize, value: f64 },
    /// Commands the angles of all fins of a robot [rad].
    Fins { values: Vec<f64> },
    /// Commands the volume of a buoyancy engine [m³].
    BuoyancyEngine { engine: usize, value: f64 },
    /// Commands the thrust allocation with a force [N] and moment [N m] at the base origin, in B.
    Wrench { force: Vec3, moment: Vec3 },
}

/// Command to joints of a robot, which are named by their indices.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum JointCommand {
    /// Commands a joint in its current mode: effort [N m or N], velocity [rad/s or m/s] or position
    /// [rad or m]. Ends the goal of its group.
    Joint { joint: usize, value: f64 },
    /// Commands a joint in `mode` and switches the mode if necessary. Ends the goal of its group.
    JointWithMode {
        joint: usize,
        mode: JointMode,
        value: f64,
    },
    /// Switches the command mode of a servo. Its set-point becomes zero effort, zero velocity or
    /// the current position. Ends the goal of its group.
    JointMode { joint: usize, mode: JointMode },
    /// Commands all joints of a group and switches them to `mode`; one value per joint of the
    /// group. Ends its goal.
    JointGroup {
        group: usize,
        mode: JointMode,
        values: Vec<f64>,
    },
    /// Starts a trajectory. `RobotState::groups` reports the state of the goal `id`. Replaces the
    /// goal of the group.
    Trajectory {
        group: usize,
        id: u64,
        trajectory: Arc<Trajectory>,
    },
    /// Cancels goal `id` (trajectory or gripper) of a group and holds the position.
    CancelGoal { group: usize, id: u64 },
    /// Moves a gripper to `position` [rad or m]; a `max_effort` of 0 selects the limit of its
    /// joints [N m or N]. Replaces the goal of the group.
    Gripper {
        group: usize,
        id: u64,
        position: f64,
        max_effort: f64,
    },
}

/// Command to the firmware of a robot.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum FirmwareCommand {
    /// Commands the firmware with a velocity: forward, left and up [m/s], and an angular velocity
    /// about these axes [rad/s].
    Velocity { linear: Vec3, angular: Vec3 },
    /// Commands the firmware with a heading, clockwise from north [rad], a depth [m], or both.
    /// `None` keeps the set-point, or holds the current value if the firmware was not steering.
    HeadingDepth {
        heading: Option<f64>,
        depth: Option<f64>,
    },
    /// Requests a mode of the motion controller.
    ControlMode { mode: ControlMode },
    /// Requests station keeping at a pose: `p_WB` [m]; without an attitude the current heading is
    /// held.
    PoseGoal { p_WB: Vec3, q_WB: Option<Quat> },
    /// Requests to follow waypoints in W [m].
    FollowPath { waypoints: Arc<Vec<Vec3>> },
    /// Deflections of a joystick in surge, sway, heave and yaw, -1..1.
    Joystick { sticks: [f64; 4] },
    /// Sets a gain of the motion controller in one degree of freedom (0..5: surge to yaw).
    Gain {
        kind: GainKind,
        axis: usize,
        value: f64,
    },
    /// Orders a take-off, a landing, or the enabling of the firmware.
    FirmwareOrder { order: FirmwareOrder },
}

/// Pose of a robot, and wrenches on its links.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq)]
pub enum BodyCommand {
    /// Sets pose and velocity of a robot: `p_WB` [m], `v_WB_B` [m/s], `w_WB_B` [rad/s].
    SetPose {
        p_WB: Vec3,
        q_WB: Quat,
        v_WB_B: Vec3,
        w_WB_B: Vec3,
    },
    /// Applies a wrench to a link. Its `start_ns` is a delay and its `end_ns` a duration [ns].
    ApplyWrench {
        wrench: crate::state::wrench::AppliedWrench,
    },
    /// Ends the wrenches that the service has applied to a link, or to all links.
    ClearWrenches { link: Option<usize> },
}

/// Condition and operation of devices of a robot, which are named by their indices.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceCommand {
    /// Sets the health of a thruster. It replaces the active faults of the thruster.
    Health { thruster: usize, health: Health },
    /// Sets the health of a fin: `Reduced` keeps that fraction of its area, `Dead` none; `Stuck`
    /// holds its angle. It replaces the active faults of the fin.
    FinHealth { fin: usize, health: Health },
    /// Switches the noise of a sensor on or off.
    Noise { sensor: usize, on: bool },
    /// Sets the level of a load, 0 to 1.
    Load { load: usize, level: f64 },
    /// Opens the next bottle of a water sampler, or closes the open bottle.
    Sample { sensor: usize, on: bool },
}

impl Command {
    /// Returns the index of the robot that the command is for, or whose device it commands. `None`:
    /// there is no such robot in the scene.
    pub fn robot(&self, scene: &Scene) -> Option<usize> {
        let robot = match self {
            Self::Actuator(robot, _)
            | Self::Joint(robot, _)
            | Self::Firmware(robot, _)
            | Self::Body(robot, _)
            | Self::Device(robot, _)
            | Self::Report(robot, _) => Some(*robot),
            Self::SetCoupling { coupling, .. } => {
                let coupling = scene.couplings.get(*coupling)?;
                let link = coupling.a.link().or(coupling.b.and_then(|b| b.link()));
                link.map(|(robot, _)| robot)
            }
            Self::Fault(fault) => fault.robot,
            Self::Repair { robot, .. } => *robot,
            Self::Modem(command) => {
                let carrier = scene.modems.get(*command.clone().modem_mut())?.on;
                carrier.map(|(robot, _)| robot)
            }
            Self::Winch { .. }
            | Self::Bridge { .. }
            | Self::Call(_)
            | Self::Sea(_)
            | Self::Weather(_) => None,
        };
        robot.filter(|robot| *robot < scene.robots.len())
    }

    /// Returns the rejection of the command.
    pub fn reject(&self, scene: &Scene, reason: String) -> CommandRejection {
        let robot = self.robot(scene);
        CommandRejection { robot, reason }
    }

    /// Returns the same command with the indices of the scene that replaces its scene; `None` if an
    /// object that it names no longer exists.
    pub fn in_scene(mut self, same: &Correspondence) -> Option<Self> {
        match &mut self {
            Self::Actuator(robot, _)
            | Self::Joint(robot, _)
            | Self::Firmware(robot, _)
            | Self::Body(robot, _)
            | Self::Device(robot, _)
            | Self::Report(robot, _) => *robot = same.robot(*robot)?,
            Self::SetCoupling {
                coupling, partner, ..
            } => {
                *coupling = same.couplings.get(*coupling).copied().flatten()?;
                if let Some(robot) = partner {
                    *robot = same.robot(*robot)?;
                }
            }
            Self::Fault(fault) => {
                if let Some(robot) = &mut fault.robot {
                    *robot = same.robot(*robot)?;
                }
                fault.device = fault.device.in_scene(same)?;
            }
            Self::Repair { robot, .. } => {
                if let Some(robot) = robot {
                    *robot = same.robot(*robot)?;
                }
            }
            Self::Winch { tether, .. } => {
                *tether = same.tethers.get(*tether).copied().flatten()?;
            }
            Self::Modem(command) => {
                let modem = command.modem_mut();
                *modem = same.modems.get(*modem).copied().flatten()?;
            }
            // a change of a running world does not change its bridges
            Self::Bridge { .. } | Self::Call(_) | Self::Sea(_) | Self::Weather(_) => {}
        }
        Some(self)
    }
}

/// Request or response of a call of a service over a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgedCall<M = Vec<u8>> {
    /// Index of the bridge in the scene.
    pub bridge: usize,
    /// Number of the call, which its request and its response share.
    pub call: u32,
    /// True for a response of the server, false for a request of the caller.
    pub is_response: bool,
    /// Request or response in CDR.
    pub message: M,
}

/// Orders to a firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum FirmwareOrder {
    /// Starts the rotors and climbs.
    TakeOff,
    /// Descends until it stands on a surface, then stops the rotors.
    Land,
    /// Enables the firmware, or disables it and releases the actuators at once.
    Enable(bool),
}

/// Requested change of the weather. `None` keeps the value, or the target of a change in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeatherChange {
    /// Mean wind velocity at the reference height, in W [m/s].
    pub wind: Option<Vec3>,
    /// Factor on the gusts [-].
    pub gustiness: Option<f64>,
    /// Air temperature at sea level [°C].
    pub temperature_c: Option<f64>,
    /// Fraction of the sky covered by clouds, 0..1.
    pub cloud_cover: Option<f64>,
    /// Rain rate at the surface [mm/h].
    pub rain_mm_h: Option<f64>,
    /// Meteorological visibility in air [m].
    pub visibility_m: Option<f64>,
    /// Universal time of day, set immediately [s].
    pub time_of_day_s: Option<f64>,
    /// Duration of the change [s].
    pub duration_s: f64,
}

/// Whether a command is accepted, and why not.
pub type Accepted = Result<(), String>;

/// Robot and reason of a command that was not applied.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRejection {
    /// Index of the robot, if the command is for a robot.
    pub robot: Option<usize>,
    /// One line: what is wrong, the value found and the expected value.
    pub reason: String,
}
