//! Profiles: topic names, types, units and frames of other simulators, so that their control stacks
//! connect without a change.
//!
//! [`apply`] renames the topics of a robot and adds the inputs of its profile; the frames are in
//! `merrow_messages::frames`, the units and axes of readings in
//! `merrow_messages::convert::profile`. A topic that the other simulator lacks keeps the name of
//! Merrow. Each module names the files of the other simulator from which its names come.

mod gz;
mod stonefish;
mod uuv;
mod vrx;

use crate::topics::{Input, Output, ProfileCommand, Source, Target};
use merrow_messages::msg::uuv_gazebo_ros_plugins_msgs::FloatStamped;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::std_msgs::{Float64, Float64MultiArray};

/// A sensor topic: the robot, the sensor, and its topic after the name of the sensor.
#[derive(Clone, Copy, Debug)]
struct SensorTopic<'a> {
    robot: &'a Robot,
    /// Kind of the sensor as in world files.
    kind: &'a str,
    name: &'a str,
    suffix: &'a str,
    /// True for the first sensor of its kind.
    is_first: bool,
}

/// Renames the topics of robot `i` and adds the inputs of its profile.
pub(crate) fn apply(i: usize, robot: &Robot, outputs: &mut [Output], inputs: &mut Vec<Input>) {
    let Some(profile) = robot.profile else {
        return;
    };
    for output in outputs {
        if let Some(name) = topic_name(profile, robot, output) {
            output.topic = name;
        }
    }
    let mut add = |topic: String, info: &'static TypeInfo, command: ProfileCommand, unit: &str| {
        inputs.push(Input {
            topic,
            info,
            target: Target::Profile { robot: i, command },
            unit: unit.to_string(),
        });
    };
    match profile {
        Profile::Vrx => vrx::add_inputs(robot, &mut add),
        Profile::Gz => gz::add_inputs(robot, &mut add),
        Profile::Stonefish => stonefish::add_inputs(robot, &mut add),
        Profile::Uuv | Profile::Plankton => uuv::add_inputs(robot, &mut add),
    }
}

/// Adds an input: topic, type, command and its unit.
type AddInput<'a> = dyn FnMut(String, &'static TypeInfo, ProfileCommand, &str) + 'a;

/// Returns the name of an output in the profile, if the other simulator has it.
fn topic_name(profile: Profile, robot: &Robot, output: &Output) -> Option<String> {
    let Source::Sensor { sensor, .. } = output.source else {
        return None;
    };
    let own = &robot.sensors[sensor];
    let prefix = format!("{}/{}", robot.name, own.name);
    let same = |other: &merrow_model::scene::Sensor| other.kind.name() == own.kind.name();
    let topic = SensorTopic {
        robot,
        kind: own.kind.name(),
        name: &own.name,
        suffix: output.topic.strip_prefix(&prefix)?,
        is_first: robot.sensors.iter().position(same) == Some(sensor),
    };
    match profile {
        Profile::Vrx => vrx::sensor_topic(&topic),
        Profile::Gz => gz::sensor_topic(&topic),
        Profile::Stonefish => stonefish::sensor_topic(&topic),
        Profile::Uuv | Profile::Plankton => uuv::sensor_topic(&topic),
    }
}

/// Converts a message to the command of one thruster or fin, or of all thrusters.
///
/// # Errors
/// The reason why the message is invalid.
pub fn command(
    robot_index: usize,
    robot: &Robot,
    density: f64,
    command: ProfileCommand,
    bytes: &[u8],
) -> Result<merrow_model::state::Command, String> {
    use merrow_model::state::{ActuatorCommand, Command};
    let malformed = |e: merrow_ros2::cdr::CdrError| format!("malformed message: {e}");
    match command {
        ProfileCommand::Thrust { thruster } => {
            let thrust = from_bytes::<Float64>(bytes).map_err(malformed)?.data;
            Ok(Command::Actuator(
                robot_index,
                ActuatorCommand::Thruster {
                    thruster,
                    value: command_of_thrust(robot, thruster, thrust, density)?,
                },
            ))
        }
        ProfileCommand::Angle { fin } => Ok(Command::Actuator(
            robot_index,
            ActuatorCommand::Fin {
                fin,
                value: from_bytes::<Float64>(bytes).map_err(malformed)?.data,
            },
        )),
        ProfileCommand::StampedThruster { thruster } => {
            let message = from_bytes::<FloatStamped>(bytes).map_err(malformed)?;
            Ok(Command::Actuator(
                robot_index,
                ActuatorCommand::Thruster {
                    thruster,
                    value: message.data,
                },
            ))
        }
        ProfileCommand::StampedFin { fin } => {
            let message = from_bytes::<FloatStamped>(bytes).map_err(malformed)?;
            Ok(Command::Actuator(
                robot_index,
                ActuatorCommand::Fin {
                    fin,
                    value: message.data,
                },
            ))
        }
        ProfileCommand::NormalizedThrusters => {
            let message = from_bytes::<Float64MultiArray>(bytes).map_err(malformed)?;
            let n = robot.thrusters.len();
            if message.data.len() != n {
                let found = message.data.len();
                return Err(format!(
                    "expected {n} values, one per thruster, found {found}"
                ));
            }
            let values = message.data.iter().enumerate().map(|(k, x)| {
                let [low, high] = robot.thrusters[k].thrust_limits(density);
                let x = check_range(*x)?;
                // thrust is proportional to the square of the rotor speed
                let thrust = x * x * if x < 0.0 { low } else { high };
                command_of_thrust(robot, k, thrust, density)
            });
            Ok(Command::Actuator(
                robot_index,
                ActuatorCommand::Thrusters {
                    values: values.collect::<Result<_, _>>()?,
                },
            ))
        }
    }
}

fn check_range(x: f64) -> Result<f64, String> {
    if (-1.0..=1.0).contains(&x) {
        Ok(x)
    } else {
        Err(format!("expected -1 to 1, found {x}"))
    }
}

/// Returns the command of a thruster in its own unit for a thrust [N], limited to the range that it
/// can exert.
fn command_of_thrust(robot: &Robot, k: usize, thrust: f64, density: f64) -> Result<f64, String> {
    if !thrust.is_finite() {
        return Err(format!("expected a finite thrust, found {thrust}"));
    }
    let thruster = &robot.thrusters[k];
    let [low, high] = thruster.thrust_limits(density);
    Ok(thruster.command_from_thrust(thrust.clamp(low, high), density))
}

/// Adds a `std_msgs/msg/Float64` thrust input for every thruster under the name that `topic` gives.
fn add_thrust_inputs(robot: &Robot, add: &mut AddInput<'_>, topic: impl Fn(usize, &str) -> String) {
    for (thruster, t) in robot.thrusters.iter().enumerate() {
        let command = ProfileCommand::Thrust { thruster };
        add(topic(thruster, &t.name), Float64::info(), command, "N");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::cdr::to_bytes;

    fn robot(model: &str) -> Robot {
        let text = format!("robots: {{r: {{model: {model}}}}}");
        let world = merrow_world::load_text("w.yaml", &text, merrow_world::Overrides::default());
        world.expect("a world").scene.robots.remove(0)
    }

    #[test]
    fn thrusts_become_commands_that_give_them() {
        for model in ["bluerov2", "rexrov", "wamv"] {
            let robot = robot(model);
            let thrust = 0.3 * robot.thrusters[0].thrust_limits(1000.0)[1];
            let bytes = to_bytes(&Float64 { data: thrust });
            let thruster = ProfileCommand::Thrust { thruster: 0 };
            let found = command(0, &robot, 1000.0, thruster, &bytes).unwrap();
            let merrow_model::state::Command::Actuator(
                _,
                merrow_model::state::ActuatorCommand::Thruster { value, .. },
            ) = found
            else {
                panic!("{found:?}");
            };
            let back = robot.thrusters[0].static_thrust(value, 1000.0);
            assert!(
                (back - thrust).abs() < 1e-3 * thrust,
                "{model}: {back} {thrust}"
            );
        }
    }

    #[test]
    fn normalized_values_out_of_range_are_refused() {
        let robot = robot("bluerov2");
        let mut message = Float64MultiArray {
            data: vec![0.5; 6],
            ..Float64MultiArray::default()
        };
        let all = ProfileCommand::NormalizedThrusters;
        assert!(command(0, &robot, 1000.0, all, &to_bytes(&message)).is_ok());
        for bad in [1.5, f64::NAN] {
            message.data[2] = bad;
            let error = command(0, &robot, 1000.0, all, &to_bytes(&message)).unwrap_err();
            assert_eq!(error, format!("expected -1 to 1, found {bad}"));
        }
        message.data.pop();
        let error = command(0, &robot, 1000.0, all, &to_bytes(&message)).unwrap_err();
        assert_eq!(error, "expected 6 values, one per thruster, found 5");
    }
}
