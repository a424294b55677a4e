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

use crate::topics::{Input, Output};
use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::ActuatorCommand;
use merrow_ros2::msg::std_msgs::Float64;

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
    let add = &mut |input: Input| inputs.push(input);
    match profile {
        Profile::Vrx => vrx::add_inputs(i, robot, add),
        Profile::Gz => gz::add_inputs(i, robot, add),
        Profile::Stonefish => stonefish::add_inputs(i, robot, add),
        Profile::Uuv | Profile::Plankton => uuv::add_inputs(i, robot, add),
    }
}

/// Adds an input.
type AddInput<'a> = dyn FnMut(Input) + 'a;

/// Returns the name of an output in the profile, if the other simulator has it.
fn topic_name(profile: Profile, robot: &Robot, output: &Output) -> Option<String> {
    let (_, sensor) = output.sensor()?;
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

/// Returns the input of the thrust [N] of a thruster.
fn thrust_input(i: usize, topic: String, thruster: usize) -> Input {
    Input::new(topic, "N", move |arrival, thrust: Float64| {
        let (robot, density) = (&arrival.scene.robots[i], arrival.scene.sea.density);
        let value = command_of_thrust(robot, thruster, thrust.data, density)?;
        Ok(ActuatorCommand::Thruster { thruster, value }.of(i))
    })
}

/// Returns the commands of all thrusters for normalised rotor speeds, -1 to 1.
fn commands_of_speeds(robot: &Robot, speeds: &[f64], density: f64) -> Result<Vec<f64>, String> {
    let (n, found) = (robot.thrusters.len(), speeds.len());
    if found != n {
        return Err(format!(
            "expected {n} values, one per thruster, found {found}"
        ));
    }
    let commands = speeds.iter().enumerate().map(|(k, x)| {
        let [low, high] = robot.thrusters[k].thrust_limits(density);
        let x = check_range(*x)?;
        // thrust is proportional to the square of the rotor speed
        let thrust = x * x * if x < 0.0 { low } else { high };
        command_of_thrust(robot, k, thrust, density)
    });
    commands.collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
            let value = command_of_thrust(&robot, 0, thrust, 1000.0).unwrap();
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
        let mut speeds = vec![0.5; 6];
        assert!(commands_of_speeds(&robot, &speeds, 1000.0).is_ok());
        for bad in [1.5, f64::NAN] {
            speeds[2] = bad;
            let error = commands_of_speeds(&robot, &speeds, 1000.0).unwrap_err();
            assert_eq!(error, format!("expected -1 to 1, found {bad}"));
        }
        speeds.pop();
        let error = commands_of_speeds(&robot, &speeds, 1000.0).unwrap_err();
        assert_eq!(error, "expected 6 values, one per thruster, found 5");
    }
}
