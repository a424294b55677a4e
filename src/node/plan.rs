//! List of the topics and actions of a world, from which the endpoints are created and `describe`
//! prints.
//!
//! Names are relative to the node's namespace, so `__ns` moves all of them. `/clock`, `/tf`,
//! `/tf_static` and `/diagnostics` are absolute, as usual in ROS.

use crate::arm;
use crate::arm::{ActionPlan, GroupIndex};
use crate::computer;
use crate::input;
use crate::input::command_services;
use crate::input::firmware;
use crate::input::firmware::FirmwareCommand;
use crate::input::motion_control::MotionCommand;
use crate::input::services;
use crate::modem;
use crate::node::world_topics;
use crate::profile;
use crate::profile::ProfileCommand;
use merrow_messages::convert::topic;
use merrow_model::scene::sensor::PublisherQos;
use merrow_model::scene::sensor::camera::has_labels;
use merrow_model::scene::{Fin, FinLaw, JointKind, JointMode, Robot, Scene};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};
use merrow_ros2::msg::sensor_msgs::{BatteryState, JointState};
use merrow_ros2::msg::std_msgs::{Float64, Float64MultiArray, String as StringMsg};
use merrow_ros2::msg::vision_msgs::LabelInfo;
use merrow_ros2::names::{Endpoint, NameResolver};
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
        command: FirmwareCommand,
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

impl Plan {
    /// Lists the topics and actions of `scene`.
    pub fn new(scene: &Scene) -> Self {
        let mut outputs = world_topics::outputs(scene);
        let (mut inputs, mut actions) = (Vec::new(), Vec::new());
        for (i, robot) in scene.robots.iter().enumerate() {
            let first = (outputs.len(), inputs.len());
            robot_outputs(i, robot, &mut outputs);
            let mut own = Vec::new();
            robot_inputs(i, robot, &mut own);
            profile::apply(i, robot, &mut outputs[first.0..], &mut own);
            inputs.append(&mut own);
            for output in &mut outputs[first.0..] {
                output.topic = robot.in_namespace(&output.topic);
            }
            for input in &mut inputs[first.1..] {
                input.topic = robot.in_namespace(&input.topic);
            }
            actions.extend(arm::actions(i, robot).into_iter().map(|action| ActionPlan {
                name: robot.in_namespace(&action.name),
                ..action
            }));
        }
        for (k, coupling) in scene.couplings.iter().enumerate() {
            world_topics::add_coupling(k, coupling, &mut outputs, &mut inputs);
        }
        for (i, tether) in scene.tethers.iter().enumerate() {
            world_topics::add_tether(i, tether, &mut outputs, &mut inputs);
        }
        modem::add_topics(scene, &mut outputs, &mut inputs);
        let mut calls = modem::calls::records(scene);
        calls.push(command_services::requests());
        Self {
            outputs,
            inputs,
            calls,
            actions,
        }
    }

    /// Checks the names of all topics, services and actions of `scene` for a node with the names of
    /// `resolver`.
    ///
    /// # Errors
    /// The first name that ROS does not allow, in one line.
    pub fn check_names(&self, scene: &Scene, resolver: &NameResolver) -> Result<(), String> {
        let check = |kind: Endpoint, name: &str| match resolver.resolve(kind, name) {
            Ok(_) => Ok(()),
            Err(e) => Err(e.to_string()),
        };
        let inputs = self.inputs.iter().chain(&self.calls);
        let topics = self.outputs.iter().map(|output| &output.topic);
        for topic in topics.chain(inputs.map(|input| &input.topic)) {
            check(Endpoint::Topic, topic)?;
        }
        for name in services::names_in_namespace(scene) {
            check(Endpoint::Service, &name)?;
        }
        for action in &self.actions {
            for (part, _) in arm::action_services("") {
                check(
                    Endpoint::Service,
                    &format!("{}/_action/{part}", action.name),
                )?;
            }
            check(
                Endpoint::Topic,
                &format!("{}/_action/feedback", action.name),
            )?;
        }
        Ok(())
    }
}

fn robot_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    sensor_outputs(i, robot, outputs);
    add_joint_states(i, robot, outputs);
    arm::outputs(i, robot, outputs);
    firmware::outputs(i, robot, outputs);
    computer::add_topics(i, robot, outputs);
    body_outputs(i, robot, outputs);
}

fn sensor_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let name = &robot.name;
    let mut add = |topic: String, info, qos, rate_hz, source| {
        outputs.push(Output {
            topic,
            info,
            qos,
            rate_hz,
            source,
        });
    };
    for (k, sensor) in robot.sensors.iter().enumerate() {
        for (part, topic) in topic::topics(sensor).into_iter().enumerate() {
            let source = Source::Sensor {
                robot: i,
                sensor: k,
                part,
            };
            let name = format!("{name}/{}{}", sensor.name, topic.suffix);
            let rate = topic.rate.unwrap_or(sensor.rate);
            add(
                name,
                topic.info,
                sensor_qos(&sensor.qos),
                Some(rate),
                source,
            );
        }
        if has_labels(&sensor.kind) {
            let topic = format!("{name}/{}/labels/names", sensor.name);
            add(
                topic,
                LabelInfo::info(),
                Qos::LATCHED,
                None,
                Source::Labels {
                    robot: i,
                    sensor: k,
                },
            );
        }
    }
}

fn add_joint_states(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let nods = robot
        .sensors
        .iter()
        .any(|sensor| sensor.kind.tilt().is_some());
    if has_joints(robot) || robot.fins.iter().any(Fin::is_movable) || nods {
        outputs.push(Output {
            topic: format!("{}/joint_states", robot.name),
            info: JointState::info(),
            qos: Qos::DEFAULT,
            rate_hz: Some(FRAME_RATE),
            source: Source::Joints { robot: i },
        });
    }
}

/// Lists the topics of buoyancy engines, battery, contact wrenches and the robot description.
fn body_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let name = &robot.name;
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        outputs.push(Output {
            topic: format!("{name}/buoyancy_engines/{}/volume", engine.name),
            info: Float64::info(),
            qos: Qos::DEFAULT,
            rate_hz: Some(FRAME_RATE),
            source: Source::BuoyancyEngine {
                robot: i,
                engine: k,
            },
        });
    }
    let mut add = |topic: String, info, qos, rate_hz, source| {
        outputs.push(Output {
            topic,
            info,
            qos,
            rate_hz,
            source,
        });
    };
    if robot.battery.is_some() {
        let source = Source::Battery { robot: i };
        let topic = format!("{name}/battery_state");
        add(
            topic,
            BatteryState::info(),
            Qos::DEFAULT,
            Some(BATTERY_RATE),
            source,
        );
    }
    for link in &robot.contact_wrenches {
        let source = Source::ContactWrench {
            robot: i,
            link: *link,
        };
        let topic = format!("{name}/{}/contact_wrench", robot.links[*link].name);
        add(
            topic,
            WrenchStamped::info(),
            Qos::DEFAULT,
            Some(FRAME_RATE),
            source,
        );
    }
    let topic = format!("{name}/robot_description");
    add(
        topic,
        StringMsg::info(),
        Qos::LATCHED,
        None,
        Source::Description { robot: i },
    );
}

fn robot_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    wrench_inputs(i, robot, inputs);
    thruster_inputs(i, robot, inputs);
    buoyancy_engine_inputs(i, robot, inputs);
    fin_inputs(i, robot, inputs);
    if has_joints(robot) {
        let unit =
            "position [rad, m], velocity [rad/s, m/s] or effort [N m, N], depending on the drive"
                .to_string();
        inputs.push(Input {
            topic: format!("{}/joint_commands", robot.name),
            info: JointState::info(),
            target: Target::Joints { robot: i },
            unit,
        });
    }
    arm::inputs(i, robot, inputs);
    firmware::inputs(i, robot, inputs);
}

fn thruster_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let name = &robot.name;
    let mut add = |topic: String, info, target, unit: String| {
        inputs.push(Input {
            topic,
            info,
            target,
            unit,
        });
    };
    let mut units = Vec::new();
    for (k, t) in robot.thrusters.iter().enumerate() {
        let unit = format!(
            "{} [{}, {}]",
            t.unit.symbol(),
            t.command_range[0],
            t.command_range[1]
        );
        let target = Target::Thruster {
            robot: i,
            thruster: k,
        };
        add(
            format!("{name}/thrusters/{}/command", t.name),
            Float64::info(),
            target,
            unit.clone(),
        );
        units.push(unit);
    }
    if !robot.thrusters.is_empty() {
        units.dedup();
        let mut unit = format!("{} values: {}", robot.thrusters.len(), units.join(", "));
        if !robot.fins.is_empty() {
            unit += &format!(
                "; or {} values, with the fins' angles [rad] appended",
                robot.thrusters.len() + robot.fins.len()
            );
        }
        let target = Target::Thrusters { robot: i };
        add(
            format!("{name}/thrusters/command"),
            Float64MultiArray::info(),
            target,
            unit,
        );
        let unit = "N, N m at base_link, expressed in base_link".to_string();
        let target = Target::Wrench { robot: i };
        add(
            format!("{name}/thruster_manager/input"),
            Wrench::info(),
            target,
            unit.clone(),
        );
        let target = Target::WrenchStamped { robot: i };
        add(
            format!("{name}/thruster_manager/input_stamped"),
            WrenchStamped::info(),
            target,
            unit,
        );
    }
}

fn buoyancy_engine_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let name = &robot.name;
    let mut add = |topic: String, info, target, unit: String| {
        inputs.push(Input {
            topic,
            info,
            target,
            unit,
        });
    };
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        let unit = format!(
            "m3 relative to the hull's [{}, {}]",
            engine.range[0], engine.range[1]
        );
        let target = Target::BuoyancyEngine {
            robot: i,
            engine: k,
        };
        add(
            format!("{name}/buoyancy_engines/{}/command", engine.name),
            Float64::info(),
            target,
            unit,
        );
    }
}

fn fin_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let name = &robot.name;
    let mut add = |topic: String, info, target, unit: String| {
        inputs.push(Input {
            topic,
            info,
            target,
            unit,
        });
    };
    for (k, fin) in robot
        .fins
        .iter()
        .enumerate()
        .filter(|(_, fin)| fin.is_movable())
    {
        let unit = format!("rad [{:.4}, {:.4}]", fin.range[0], fin.range[1]);
        let target = Target::Fin { robot: i, fin: k };
        let topic = match fin.law {
            FinLaw::Azimuth(thruster) => {
                format!(
                    "thrusters/{}/azimuth/command",
                    robot.thrusters[thruster].name
                )
            }
            _ => format!("fins/{}/command", fin.name),
        };
        add(format!("{name}/{topic}"), Float64::info(), target, unit);
    }
    if robot
        .fins
        .iter()
        .any(|fin| fin.is_movable() && !fin.is_azimuth())
    {
        let unit = format!("{} values: rad", robot.fins.len());
        let target = Target::Fins { robot: i };
        add(
            format!("{name}/fins/command"),
            Float64MultiArray::info(),
            target,
            unit,
        );
    }
}

/// Returns true if the robot has a movable joint.
fn has_joints(robot: &Robot) -> bool {
    robot.links[1..]
        .iter()
        .any(|l| l.joint.kind != JointKind::Fixed)
}

/// Returns the quality of service of a sensor's topics. It is reliable, as with ROS drivers, unless
/// the robot file requests otherwise, so that reliable and best-effort subscribers both match.
const fn sensor_qos(offer: &PublisherQos) -> Qos {
    if offer.reliable {
        Qos::reliable(offer.depth)
    } else {
        Qos::best_effort(offer.depth)
    }
}

/// Adds the topics of wrenches on the links.
fn wrench_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (k, link) in robot.links.iter().enumerate() {
        inputs.push(Input {
            topic: format!("{}/{}/external_wrench", robot.name, link.name),
            info: WrenchStamped::info(),
            target: Target::ExternalWrench { robot: i, link: k },
            unit: format!(
                "N, N m at the origin of {}, for {} s; frame: world or the link",
                link.name,
                input::WRENCH_TIMEOUT_S
            ),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_world::{Overrides, load_text};

    fn scene(model: &str, sensor: &str) -> Scene {
        let text = format!(
            "robots: {{rov: {{model: {{extends: robots/{model}.yaml, sensors: {{{sensor}: {{device: truth}}}}}}, \
             position_m: [0, 0, -5]}}}}"
        );
        let world = load_text("w.yaml", &text, Overrides::default());
        world.unwrap_or_else(|e| panic!("{e}")).scene
    }

    /// Returns the error of the names for a node whose namespace has `length` letters.
    fn error(scene: &Scene, length: usize) -> Option<String> {
        let namespace = format!("/{}", "n".repeat(length));
        let names = NameResolver::new(&namespace, "merrow", Vec::new()).expect("a resolver");
        Plan::new(scene).check_names(scene, &names).err()
    }

    #[test]
    fn names_are_checked_with_the_namespace_of_the_node() {
        let sensor = "s".repeat(100);
        let rov = scene("bluerov2", &sensor);
        assert_eq!(error(&rov, 50), None);
        let found = error(&rov, 150).expect("an error");
        assert!(
            found.contains(&sensor) && found.contains("bytes, at most"),
            "{found}"
        );
        // every topic has at most 247 bytes, but the services of the actions have more
        let arm = scene("osu_uvms", "s");
        let plan = Plan::new(&arm);
        let topics = plan.outputs.iter().map(|output| output.topic.len());
        let topics = topics.chain(plan.inputs.iter().map(|input| input.topic.len()));
        let found = error(&arm, 245 - topics.max().expect("a topic")).expect("an error");
        assert!(found.contains("/_action/"), "{found}");
    }
}
