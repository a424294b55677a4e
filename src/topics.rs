//! The topics and actions of a world: what each is, and what its messages contain or command.
//!
//! `node/plan.rs` lists them for a scene.

use merrow_messages::convert::topic;
use merrow_model::scene::{JointGroup, JointMode, Robot, Scene};
use merrow_ros2::message::TypeInfo;
use merrow_ros2::qos::Qos;

/// Rate of `/tf` and `joint_states` in simulation time [Hz].
pub const FRAME_RATE: f64 = 50.0;

/// Rate of battery states in simulation time [Hz].
pub const BATTERY_RATE: f64 = 1.0;

/// Rate of `/diagnostics` in simulation time [Hz].
pub const DIAGNOSTICS_RATE: f64 = 1.0;

/// Source of the content of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Simulation time for `/clock`.
    Clock,
    /// Moving frames for `/tf`.
    Tf,
    /// Static frames for `/tf_static`.
    TfStatic,
    /// Health data for `/diagnostics`.
    Diagnostics,
    /// URDF of the robot.
    Description {
        /// Index of the robot.
        robot: usize,
    },
    /// Message of a sensor.
    Sensor {
        /// Index of the robot.
        robot: usize,
        /// Index of the sensor.
        sensor: usize,
        /// Index of the message among the messages of the sensor.
        part: usize,
    },
    /// Names of the label numbers of a camera.
    Labels {
        /// Index of the robot.
        robot: usize,
        /// Index of the sensor.
        sensor: usize,
    },
    /// Joint states of a robot.
    Joints {
        /// Index of the robot.
        robot: usize,
    },
    /// Reference, measured state and command of the controller of a group of joints.
    Controller {
        /// Group of joints, by index.
        group_index: GroupIndex,
    },
    /// Contacts between all bodies.
    Contacts,
    /// Contact wrench on a link.
    ContactWrench {
        /// Index of the robot.
        robot: usize,
        /// Index of the link.
        link: usize,
    },
    /// State of a battery.
    Battery {
        /// Index of the robot.
        robot: usize,
    },
    /// Volume of a buoyancy engine.
    BuoyancyEngine {
        /// Index of the robot.
        robot: usize,
        /// Index of the buoyancy engine.
        engine: usize,
    },
    /// Flight mode of a multirotor.
    FlightMode {
        /// Index of the robot.
        robot: usize,
    },
    /// Status of a motion controller.
    ControllerStatus {
        /// Index of the robot.
        robot: usize,
    },
    /// Odometry computed from wheel rotation.
    WheelOdometry {
        /// Index of the robot.
        robot: usize,
    },
    /// Whether a coupling is engaged.
    Coupling {
        /// Index of the coupling.
        coupling: usize,
    },
    /// Load on a coupling.
    CouplingLoad {
        /// Index of the coupling.
        coupling: usize,
    },
    /// Positions of the nodes of a tether.
    TetherPath {
        /// Index of the tether.
        tether: usize,
    },
    /// Tension at both ends of a tether.
    TetherTension {
        /// Index of the tether.
        tether: usize,
    },
    /// Whether a tether with a breaking load is intact.
    TetherIntact {
        /// Index of the tether.
        tether: usize,
    },
    /// Messages that a modem received.
    ModemReceived {
        /// Index of the modem.
        modem: usize,
    },
    /// Ranges that a modem measured.
    ModemRange {
        /// Index of the modem.
        modem: usize,
    },
    /// Position of another modem that a modem with an array measured.
    ModemFix {
        /// Index of the modem.
        modem: usize,
        /// Index of the other modem.
        other: usize,
    },
    /// State of a modem.
    ModemStatus {
        /// Index of the modem.
        modem: usize,
    },
    /// Messages of a topic that arrive over modems.
    Bridged {
        /// Index of the bridge.
        bridge: usize,
        /// Index of the receiver of the bridge.
        receiver: usize,
    },
    /// State of all links between modems.
    Links,
    /// Log of the packets of all modems.
    Packets,
    /// Schedule trace of all modems.
    ModemSchedule,
    /// State of a computer of a robot.
    ComputerStatus {
        /// Index of the robot.
        robot: usize,
        /// Index of the computer on the robot.
        computer: usize,
    },
    /// Schedule trace of a computer of a robot.
    TaskSchedule {
        /// Index of the robot.
        robot: usize,
        /// Index of the computer on the robot.
        computer: usize,
    },
    /// Unwound length of a tether on a winch.
    TetherLength {
        /// Index of the tether.
        tether: usize,
    },
}

/// A topic that the node publishes.
#[derive(Clone, Debug)]
pub struct Output {
    /// Topic name, without remapping.
    pub topic: String,
    /// Message type of the topic.
    pub info: &'static TypeInfo,
    /// Quality of service of the topic.
    pub qos: Qos,
    /// Rate of the messages [Hz]; `None` if the topic is published once or on change.
    pub rate_hz: Option<f64>,
    /// Source of the content.
    pub source: Source,
}

/// Target of the commands on a subscribed topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One thruster of a robot.
    Thruster {
        /// Index of the robot.
        robot: usize,
        /// Index of the thruster.
        thruster: usize,
    },
    /// All thrusters, optionally followed by all fins.
    Thrusters {
        /// Index of the robot.
        robot: usize,
    },
    /// One fin of a robot.
    Fin {
        /// Index of the robot.
        robot: usize,
        /// Index of the fin.
        fin: usize,
    },
    /// One buoyancy engine of a robot.
    BuoyancyEngine {
        /// Index of the robot.
        robot: usize,
        /// Index of the buoyancy engine.
        engine: usize,
    },
    /// All fins of a robot.
    Fins {
        /// Index of the robot.
        robot: usize,
    },
    /// Thruster manager, commanded by a wrench.
    Wrench {
        /// Index of the robot.
        robot: usize,
    },
    /// Thruster manager, commanded by a stamped wrench.
    WrenchStamped {
        /// Index of the robot.
        robot: usize,
    },
    /// External wrench on a link.
    ExternalWrench {
        /// Index of the robot.
        robot: usize,
        /// Index of the link.
        link: usize,
    },
    /// Joints, selected by name.
    Joints {
        /// Index of the robot.
        robot: usize,
    },
    /// Firmware of a robot.
    Firmware {
        /// Index of the robot.
        robot: usize,
        /// Kind of the command.
        command: FirmwareTopic,
    },
    /// Motion controller of a robot.
    Motion {
        /// Index of the robot.
        robot: usize,
        /// Kind of the command.
        command: MotionCommand,
    },
    /// Actuators, in the unit of another simulator.
    Profile {
        /// Index of the robot.
        robot: usize,
        /// Kind of the command.
        command: ProfileCommand,
    },
    /// A coupling, to engage or release.
    Coupling {
        /// Index of the coupling.
        coupling: usize,
    },
    /// Transmit queue of a modem.
    Modem {
        /// Index of the modem.
        modem: usize,
    },
    /// Modem that transmits the messages of a topic.
    Bridge {
        /// Index of the bridge.
        bridge: usize,
    },
    /// Bridge of a service whose calls a bag repeats.
    Call {
        /// Index of the bridge.
        bridge: usize,
    },
    /// Services whose requests a bag repeats.
    Service,
    /// Winch of a tether.
    Winch {
        /// Index of the tether.
        tether: usize,
    },
    /// Group of joints, along a trajectory.
    Trajectory {
        /// Group of joints, by index.
        group_index: GroupIndex,
    },
    /// All joints of a group, in one command mode.
    Group {
        /// Group of joints, by index.
        group_index: GroupIndex,
        /// Command mode of the joints.
        mode: JointMode,
    },
}

/// A topic to which the node subscribes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Topic name, without remapping.
    pub topic: String,
    /// Message type of the topic.
    pub info: &'static TypeInfo,
    /// Target of the commands.
    pub target: Target,
    /// Unit and range of the command, as text for users.
    pub unit: String,
}

impl Input {
    /// Returns the QoS of the subscription.
    pub const fn qos(&self) -> Qos {
        match self.target {
            // messages of sensors and of controllers
            Target::Bridge { .. } => Qos::SENSOR_SUBSCRIPTION,
            _ => Qos::COMMAND,
        }
    }
}

/// All topics and actions of a world.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Topics that the node publishes.
    pub outputs: Vec<Output>,
    /// Topics to which the node subscribes.
    pub inputs: Vec<Input>,
    /// Topics on which bags contain the calls of services, over bridges and to the simulator.
    pub calls: Vec<Input>,
    /// Actions that the node offers.
    pub actions: Vec<ActionPlan>,
}

/// Group of joints of a robot, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupIndex {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the group among the joint groups of the robot.
    pub group: usize,
}

impl GroupIndex {
    /// Looks up the robot and its group.
    pub fn lookup(self, scene: &Scene) -> (&Robot, &JointGroup) {
        let robot = &scene.robots[self.robot];
        (robot, &robot.joint_groups[self.group])
    }
}

/// Kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Follows a trajectory, by `control_msgs/action/FollowJointTrajectory`.
    Follow,
    /// Moves a gripper, by `control_msgs/action/GripperCommand`.
    Gripper,
    /// Moves a gripper, by `control_msgs/action/ParallelGripperCommand`.
    ParallelGripper,
}

/// An action that the node offers.
#[derive(Clone, Debug)]
pub struct ActionPlan {
    /// Name of the action.
    pub name: String,
    /// ROS name of the action type.
    pub kind: &'static str,
    /// Group of joints that the action moves.
    pub group_index: GroupIndex,
    /// Kind of the action.
    pub action: ActionKind,
}

/// Kind of a command on a firmware topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirmwareTopic {
    /// Velocity command on `cmd_vel`.
    Velocity,
    /// Velocity command with a header.
    VelocityStamped,
    /// Heading command, clockwise from north [deg].
    Heading,
    /// Depth command, positive down [m].
    Depth,
    /// Enables or disables the firmware.
    Enable,
}

/// Kind of a command on a topic of the motion controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionCommand {
    /// Goal of the station keeping.
    GoalPose,
    /// Waypoints of a path to follow.
    Path,
    /// Sticks and buttons of a joystick.
    Joystick,
    /// Name of a mode, for clients without the types of this package.
    Mode,
}

/// Command with a unit of another simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileCommand {
    /// Thrust of one thruster [N], `std_msgs/msg/Float64`.
    Thrust {
        /// Index of the thruster.
        thruster: usize,
    },
    /// Angle of one fin or azimuth thruster [rad], `std_msgs/msg/Float64`.
    Angle {
        /// Index of the fin.
        fin: usize,
    },
    /// Command of one thruster in its own unit, with a header.
    StampedThruster {
        /// Index of the thruster.
        thruster: usize,
    },
    /// Angle of one fin [rad], with a header.
    StampedFin {
        /// Index of the fin.
        fin: usize,
    },
    /// Normalised rotor speeds of all thrusters, -1 to 1.
    NormalizedThrusters,
}

/// Returns the name with a leading slash.
pub fn absolute(topic: &str) -> String {
    format!("/{}", topic.trim_start_matches('/'))
}

/// An exteroceptive sensor, and its outputs with the bits of the data that each contains.
pub(crate) struct ExteroceptiveOutputs {
    /// Index of the robot.
    pub(crate) robot: usize,
    /// Index of the sensor.
    pub(crate) sensor: usize,
    /// Indices of its outputs, with the bits of the data that each contains.
    pub(crate) outputs: Vec<(usize, u8)>,
}

/// Lists all exteroceptive sensors with their outputs.
pub(crate) fn exteroceptive_outputs(scene: &Scene, plan: &Plan) -> Vec<ExteroceptiveOutputs> {
    let mut all: Vec<ExteroceptiveOutputs> = Vec::new();
    for (i, output) in plan.outputs.iter().enumerate() {
        let Source::Sensor {
            robot,
            sensor,
            part,
        } = output.source
        else {
            continue;
        };
        let device = &scene.robots[robot].sensors[sensor];
        if device.kind.exteroceptive().is_none() {
            continue;
        }
        if part == 0 {
            all.push(ExteroceptiveOutputs {
                robot,
                sensor,
                outputs: Vec::new(),
            });
        }
        let topics = topic::topics(device);
        if let (Some(last), Some(topic)) = (all.last_mut(), topics.get(part)) {
            last.outputs.push((i, topic.required_outputs));
        }
    }
    all
}
