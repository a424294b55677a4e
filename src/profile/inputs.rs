//! Inputs of the profiles: thrusts, speeds and angles under the names of other simulators.

use crate::topics::Input;
use merrow_messages::msg::uuv_gazebo_ros_plugins_msgs::FloatStamped;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::ActuatorCommand;
use merrow_ros2::msg::std_msgs::{Float64, Float64MultiArray};

/// Adds the inputs of a profile to those of robot `i`.
pub(super) fn add(profile: Profile, i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    match profile {
        Profile::Vrx => vrx(i, robot, inputs),
        Profile::Gz => gz(i, robot, inputs),
        Profile::Stonefish => stonefish(i, robot, inputs),
        Profile::Uuv | Profile::Plankton => uuv(i, robot, inputs),
    }
}

/// Adds thrusts and azimuth angles.
fn vrx(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let topic = |what: &str| format!("{}/thrusters/{}/{what}", robot.name, thruster.name);
        inputs.push(thrust_input(i, topic("thrust"), k));
        if let Some(fin) = thruster.azimuth {
            inputs.push(Input::new(topic("pos"), "rad", move |_, angle: Float64| {
                let value = angle.data;
                ActuatorCommand::Fin { fin, value }.of(i)
            }));
        }
    }
}

/// Adds thrusts; thrusters count from 1.
fn gz(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for thruster in 0..robot.thrusters.len() {
        let (name, k) = (&robot.name, thruster + 1);
        let topic = format!("/model/{name}/joint/thruster{k}_joint/cmd_thrust");
        inputs.push(thrust_input(i, topic, thruster));
    }
}

/// Adds the array of normalised thruster setpoints.
fn stonefish(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    if !robot.thrusters.is_empty() {
        let topic = format!("{}/thruster_setpoints", robot.name);
        let unit = format!("{} values: rotor speed, -1..1", robot.thrusters.len());
        inputs.push(Input::new(
            topic,
            unit,
            move |arrival, speeds: Float64MultiArray| {
                let (robot, density) = (&arrival.scene.robots[i], arrival.scene.sea.density);
                let values = commands_of_speeds(robot, &speeds.data, density)?;
                Ok(ActuatorCommand::Thrusters { values }.of(i))
            },
        ));
    }
}

/// Adds the inputs of thrusters and fins.
fn uuv(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (thruster, t) in robot.thrusters.iter().enumerate() {
        let topic = format!("{}/thrusters/id_{thruster}/input", robot.name);
        let unit = t.motor.command.symbol();
        inputs.push(Input::new(topic, unit, move |_, message: FloatStamped| {
            let value = message.data;
            ActuatorCommand::Thruster { thruster, value }.of(i)
        }));
    }
    let fins = robot.fins.iter().enumerate();
    for (id, (fin, _)) in fins.filter(|(_, fin)| fin.is_movable()).enumerate() {
        let topic = format!("{}/fins/id_{id}/input", robot.name);
        inputs.push(Input::new(topic, "rad", move |_, message: FloatStamped| {
            let value = message.data;
            ActuatorCommand::Fin { fin, value }.of(i)
        }));
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
