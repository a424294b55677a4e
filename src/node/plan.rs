//! List of the topics and actions of a world, from which the endpoints are created and `describe`
//! prints.
//!
//! Names are relative to the node's namespace, so `__ns` moves all of them. `/clock`, `/tf`,
//! `/tf_static` and `/diagnostics` are absolute, as usual in ROS.

use crate::arm;
use crate::computer;
use crate::input;
use crate::input::firmware;
use crate::input::own_services;
use crate::input::services;
use crate::modem::{self, bridges};
use crate::node::world_topics;
use crate::profile;
use crate::tasks;
use crate::topics::{ActionPlan, Content, Input, Output, PageControl, Plan};
use merrow_messages::convert::{self, camera, contacts, header, topic};
use merrow_messages::frames;
use merrow_messages::urdf::urdf;
use merrow_model::scene::{Fin, FinLaw, JointKind, Robot, Scene};
use merrow_model::sensor::camera::has_labels;
use merrow_model::sensor::{PublisherQos, Reliability};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};
use merrow_ros2::msg::sensor_msgs::{BatteryState, JointState};
use merrow_ros2::msg::std_msgs::{Float64, String as StringMsg};
use merrow_ros2::names::{Endpoint, NameResolver};
use merrow_ros2::qos::Qos;
use merrow_view::teleoperation::actuators::ActuatorControl;
use std::collections::HashMap;

impl Plan {
    /// Lists the topics and actions of `scene`.
    pub fn new(scene: &Scene) -> Self {
        let mut outputs = world_topics::outputs(scene);
        let (mut inputs, mut actions) = (Vec::new(), Vec::new());
        for (i, robot) in scene.robots.iter().enumerate() {
            let (own_outputs, own_inputs) = robot_topics(i, robot);
            outputs.extend(own_outputs);
            inputs.extend(own_inputs);
            actions.extend(arm::actions(i, robot).into_iter().map(|action| ActionPlan {
                name: robot.in_namespace(&action.name),
                ..action
            }));
        }
        add_connections(scene, &mut outputs, &mut inputs);
        bridges::add_topics(scene, &mut outputs, &mut inputs);
        let mut calls = modem::calls::records(scene);
        calls.push(own_services::requests());
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

/// A topic of a robot that already is another topic of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedTopic {
    /// Name of the topic, without the first slash.
    pub topic: String,
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor of the robot that publishes the topic, if any.
    pub sensor: Option<usize>,
    /// Both uses of the topic, as text.
    pub uses: [String; 2],
}

/// Returns the topics of robots that another object has too, that have two types, or that the node
/// both publishes and receives. With a profile, sensors of one robot and one type can have the same
/// topic of the other simulator. Bridges use the topics of other objects.
pub fn repeated_topics(scene: &Scene) -> Vec<RepeatedTopic> {
    let (mut outputs, mut inputs) = (world_topics::outputs(scene), Vec::new());
    add_connections(scene, &mut outputs, &mut inputs);
    let robots = scene.robots.iter().enumerate();
    let robots = robots.map(|(i, robot)| (Some(i), robot_topics(i, robot)));
    let (mut known, mut repeated) = (HashMap::new(), Vec::new());
    for (owner, (outputs, inputs)) in std::iter::once((None, (outputs, inputs))).chain(robots) {
        let published = outputs.into_iter().map(|output| {
            let sensor = output.sensor().map(|(_, sensor)| sensor);
            (output.topic, sensor, (owner, "published", output.info.name))
        });
        let received = inputs.into_iter();
        let received = received.map(|i| (i.topic, None, (owner, "received", i.info.name)));
        for (topic, sensor, own_use) in published.chain(received) {
            let topic = topic.trim_start_matches('/').to_string();
            let (first, first_sensor) = *known.entry(topic.clone()).or_insert((own_use, sensor));
            let Some(robot) = owner.filter(|_| first != own_use) else {
                continue;
            };
            let text = |(owner, verb, kind): (Option<usize>, &str, &str)| {
                let owner = owner.map_or("the world", |i: usize| &scene.robots[i].name);
                format!("{kind} {verb} by {owner}")
            };
            repeated.push(RepeatedTopic {
                topic,
                robot,
                sensor: sensor.or(first_sensor.filter(|_| first.0 == owner)),
                uses: [text(first), text(own_use)],
            });
        }
    }
    repeated
}

/// Lists the topics of a robot.
fn robot_topics(i: usize, robot: &Robot) -> (Vec<Output>, Vec<Input>) {
    let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
    robot_outputs(i, robot, &mut outputs);
    robot_inputs(i, robot, &mut inputs);
    profile::apply(i, robot, &mut outputs, &mut inputs);
    for output in &mut outputs {
        output.topic = robot.in_namespace(&output.topic);
    }
    for input in &mut inputs {
        input.topic = robot.in_namespace(&input.topic);
        input.robot = Some(i);
    }
    (outputs, inputs)
}

/// Lists the topics of couplings, tethers and modems.
fn add_connections(scene: &Scene, outputs: &mut Vec<Output>, inputs: &mut Vec<Input>) {
    for (k, coupling) in scene.couplings.iter().enumerate() {
        world_topics::add_coupling(k, coupling, outputs, inputs);
    }
    for (i, tether) in scene.tethers.iter().enumerate() {
        world_topics::add_tether(i, tether, outputs, inputs);
    }
    modem::add_topics(scene, outputs, inputs);
    tasks::add_topics(scene, outputs, inputs);
}

fn robot_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    sensor_outputs(i, robot, outputs);
    add_joint_states(i, robot, outputs);
    arm::outputs(i, robot, outputs);
    firmware::outputs(i, robot, outputs);
    computer::add_topics(i, robot, outputs);
    body_outputs(i, robot, outputs);
}

fn sensor_outputs(robot: usize, own: &Robot, outputs: &mut Vec<Output>) {
    for (sensor, device) in own.sensors.iter().enumerate() {
        let name = format!("{}/{}", own.name, device.name);
        for (part, topic) in topic::topics(device).into_iter().enumerate() {
            let content = Content::Sensor {
                robot,
                sensor,
                part,
            };
            let output = Output::new(format!("{name}{}", topic.suffix), topic.info, content)
                .at_rate(topic.rate.unwrap_or(device.rate));
            outputs.push(output.with_qos(sensor_qos(&device.qos)));
        }
        if has_labels(&device.kind) {
            outputs.push(Output::once(
                format!("{name}/labels/names"),
                move |moment| {
                    let frame = frames::optical_frame(&moment.scene.robots[robot], sensor);
                    camera::labels(moment.scene, header(moment.now_ns, &frame))
                },
            ));
        }
    }
}

fn add_joint_states(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let mut sensors = robot.sensors.iter();
    let nods = sensors.any(|sensor| sensor.kind.tilt().is_some());
    if has_joints(robot) || robot.fins.iter().any(Fin::is_movable) || nods {
        let topic = format!("{}/joint_states", robot.name);
        outputs.push(Output::states(topic, move |moment, states| {
            arm::joint_state(moment.scene, i, states)
        }));
    }
}

/// Lists the topics of buoyancy engines, battery, contact wrenches and the robot description.
fn body_outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let name = &robot.name;
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        let topic = format!("{name}/buoyancy_engines/{}/volume", engine.name);
        outputs.push(Output::states(topic, move |_, states| Float64 {
            data: states.buoyancy_engines[i][k],
        }));
    }
    if let Some(battery) = robot.battery.clone() {
        let frame = frames::link_frame(robot, 0);
        let topic = format!("{name}/battery_state");
        let output = Output::status(topic, move |moment, all| {
            let state = &all.state.robots[i].battery;
            convert::battery_state(&battery, state, header(moment.now_ns, &frame))
        });
        outputs.push(
            output.restored_by(move |simulation, message: &BatteryState| {
                let battery = &mut simulation.state.robots[i].battery;
                battery.charge = f64::from(message.percentage);
                battery.voltage = f64::from(message.voltage);
                battery.current = -f64::from(message.current);
            }),
        );
    }
    for &link in &robot.contact_wrenches {
        let topic = format!("{name}/{}/contact_wrench", robot.links[link].name);
        outputs.push(Output::states(topic, move |moment, states| {
            contacts::wrench(moment.scene, i, link, states)
        }));
    }
    outputs.push(Output::once(
        format!("{name}/robot_description"),
        move |moment| StringMsg {
            data: urdf(&moment.scene.robots[i]),
        },
    ));
}

fn robot_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    wrench_inputs(i, robot, inputs);
    thruster_inputs(i, robot, inputs);
    buoyancy_engine_inputs(i, robot, inputs);
    fin_inputs(i, robot, inputs);
    if has_joints(robot) {
        let topic = format!("{}/joint_commands", robot.name);
        let unit =
            "position [rad, m], velocity [rad/s, m/s] or effort [N m, N], depending on the drive";
        let controls = ActuatorControl::joints(robot);
        let input = Input::new(topic, unit, move |arrival, message: JointState| {
            input::joint_commands(&arrival.scene.robots[i], i, &message)
        });
        inputs.push(input.on_page(PageControl::Joints(controls)));
    }
    arm::inputs(i, robot, inputs);
    firmware::inputs(i, robot, inputs);
}

fn thruster_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    if robot.thrusters.is_empty() {
        return;
    }
    let name = &robot.name;
    let mut units = Vec::new();
    for (thruster, t) in robot.thrusters.iter().enumerate() {
        let [low, high] = t.motor.range;
        let unit = format!("{} [{low}, {high}]", t.motor.command.symbol());
        units.push(unit.clone());
        let topic = format!("{name}/thrusters/{}/command", t.name);
        let control = ActuatorControl::thruster(robot, thruster);
        inputs.push(Input::slider(topic, unit, control, move |value| {
            Command::Actuator(i, ActuatorCommand::Thruster { thruster, value })
        }));
    }
    units.dedup();
    let mut unit = format!("{} values: {}", robot.thrusters.len(), units.join(", "));
    if !robot.fins.is_empty() {
        unit += &format!(
            "; or {} values, with the fins' angles [rad] appended",
            robot.thrusters.len() + robot.fins.len()
        );
    }
    let topic = format!("{name}/thrusters/command");
    inputs.push(input::array_input(topic, unit, move |values| {
        Command::Actuator(i, ActuatorCommand::Thrusters { values })
    }));
    let unit = "N, N m at base_link, expressed in base_link";
    let topic = format!("{name}/thruster_manager/input");
    let input = Input::new(topic, unit, move |_, wrench: Wrench| {
        input::wrench_command(i, &wrench)
    });
    inputs.push(input.on_page(PageControl::Wrench));
    let topic = format!("{name}/thruster_manager/input_stamped");
    inputs.push(Input::new(
        topic,
        unit,
        move |arrival, message: WrenchStamped| {
            let frame = &message.header.frame_id;
            input::check_wrench_frame(&arrival.scene.robots[i], frame)?;
            Ok(input::wrench_command(i, &message.wrench))
        },
    ));
}

fn buoyancy_engine_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (k, engine) in robot.buoyancy_engines.iter().enumerate() {
        let [low, high] = engine.range_m3;
        let unit = format!("m3 relative to the hull's [{low}, {high}]");
        let topic = format!("{}/buoyancy_engines/{}/command", robot.name, engine.name);
        let control = ActuatorControl::buoyancy_engine(robot, k);
        inputs.push(Input::slider(topic, unit, control, move |value| {
            Command::Actuator(i, ActuatorCommand::BuoyancyEngine { engine: k, value })
        }));
    }
}

fn fin_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let name = &robot.name;
    let fins = robot.fins.iter().enumerate();
    for (k, fin) in fins.filter(|(_, fin)| fin.is_movable()) {
        let unit = format!("rad [{:.4}, {:.4}]", fin.range[0], fin.range[1]);
        let topic = match fin.law {
            FinLaw::Azimuth(thruster) => {
                let thruster = &robot.thrusters[thruster].name;
                format!("{name}/thrusters/{thruster}/azimuth/command")
            }
            _ => format!("{name}/fins/{}/command", fin.name),
        };
        let control = ActuatorControl::fin(robot, k);
        inputs.push(Input::slider(topic, unit, control, move |value| {
            Command::Actuator(i, ActuatorCommand::Fin { fin: k, value })
        }));
    }
    let mut fins = robot.fins.iter();
    if fins.any(|fin| fin.is_movable() && !fin.is_azimuth()) {
        let unit = format!("{} values: rad", robot.fins.len());
        inputs.push(input::array_input(
            format!("{name}/fins/command"),
            unit,
            move |values| Command::Actuator(i, ActuatorCommand::Fins { values }),
        ));
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
    match offer.reliability {
        Reliability::Reliable => Qos::reliable(offer.depth),
        Reliability::BestEffort => Qos::best_effort(offer.depth),
    }
}

/// Adds the topics of wrenches on the links.
fn wrench_inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (k, link) in robot.links.iter().enumerate() {
        let unit = format!(
            "N, N m at the origin of {}, for {} s; frame: world or the link",
            link.name,
            input::WRENCH_TIMEOUT_S
        );
        let topic = format!("{}/{}/external_wrench", robot.name, link.name);
        let input = Input::new(topic, unit, move |arrival, message: WrenchStamped| {
            input::external_wrench(arrival.scene, i, k, &message)
        });
        inputs.push(input.on_page(PageControl::Push));
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
