//! Commands to thrusters, fins and buoyancy engines.

use crate::control::command::{check, find_robot, reject};
use crate::control::firmware;
use merrow_control::allocation;
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::{ActuatorCommand, RobotState, State};

/// Applies a command to actuators of a robot, or returns why it is rejected. A rejected command has
/// no effect.
pub(crate) fn apply(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &ActuatorCommand,
) -> Result<(), CommandRejection> {
    match command {
        ActuatorCommand::Thruster { thruster, value } => {
            set_thruster(scene, state, robot, *thruster, *value)
        }
        ActuatorCommand::Thrusters { values } => set_thrusters(scene, state, robot, values),
        ActuatorCommand::Fin { fin, value } => {
            let (model, target) = find_robot(scene, state, robot)?;
            let f = model
                .fins
                .get(*fin)
                .ok_or_else(|| reject(robot, "no such fin".into()))?;
            check(robot, &f.name, *value)?;
            firmware::check_fins(robot, target)?;
            target.fins[*fin].set_command(f, *value);
            Ok(())
        }
        ActuatorCommand::Fins { values } => {
            let (model, target) = find_robot(scene, state, robot)?;
            let n = model.fins.len();
            if values.len() != n {
                let reason = format!("expected {n} values, one per fin, found {}", values.len());
                return Err(reject(robot, reason));
            }
            set_fins(robot, model, target, values)
        }
        ActuatorCommand::BuoyancyEngine { engine, value } => {
            let (model, target) = find_robot(scene, state, robot)?;
            let b = model.buoyancy_engines.get(*engine);
            let b = b.ok_or_else(|| reject(robot, "no such buoyancy engine".into()))?;
            check(robot, &b.name, *value)?;
            firmware::check_buoyancy_engines(robot, target)?;
            target.buoyancy_engines[*engine].command = value.clamp(b.range_m3[0], b.range_m3[1]);
            Ok(())
        }
        ActuatorCommand::Wrench { force, moment } => {
            set_wrench(scene, state, robot, *force, *moment)
        }
    }
}

fn set_thruster(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    thruster: usize,
    value: f64,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let t = model
        .thrusters
        .get(thruster)
        .ok_or_else(|| reject(robot, "no such thruster".into()))?;
    check(robot, &t.name, value)?;
    firmware::allow_direct_commands(robot, model, target)?;
    target.actuators[thruster].set_command(t, value);
    target.last_command_ns = Some(now);
    Ok(())
}

/// Sets the commands of all thrusters of a robot, and of all its fins if they are appended.
fn set_thrusters(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    values: &[f64],
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let (n, n_fins) = (model.thrusters.len(), model.fins.len());
    if values.len() != n && values.len() != n + n_fins {
        let and_fins = if n_fins > 0 {
            format!(", or {} with the fins appended", n + n_fins)
        } else {
            String::new()
        };
        let reason = format!(
            "expected {n} values, one per thruster{and_fins}, found {}",
            values.len()
        );
        return Err(reject(robot, reason));
    }
    let (for_thrusters, for_fins) = values.split_at(n);
    for (t, value) in model.thrusters.iter().zip(for_thrusters) {
        check(robot, &t.name, *value)?;
    }
    firmware::allow_direct_commands(robot, model, target)?;
    if !for_fins.is_empty() {
        set_fins(robot, model, target, for_fins)?;
    }
    set_all(model, target, for_thrusters, now);
    Ok(())
}

/// Allocates a force and a moment to the thrusters of a robot.
fn set_wrench(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    force: Vec3,
    moment: Vec3,
) -> Result<(), CommandRejection> {
    let (now, density) = (state.time_ns, state.sea.density);
    let (model, target) = find_robot(scene, state, robot)?;
    if model.allocation.is_none() {
        return Err(reject(robot, "the robot has no thruster manager".into()));
    }
    if !force.is_finite() || !moment.is_finite() {
        let reason = "wrench: found a value that is not finite";
        return Err(reject(robot, reason.into()));
    }
    if firmware::set_pilot_wrench(model, target, force, moment, now) {
        return Ok(());
    }
    firmware::allow_direct_commands(robot, model, target)?;
    let mut commands = vec![0.0; model.thrusters.len()];
    allocation::allocate(model, force, moment, density, &mut commands);
    set_all(model, target, &commands, now);
    Ok(())
}

/// Sets the commands of all thrusters of a robot at `now_ns` [ns].
fn set_all(model: &Robot, target: &mut RobotState, commands: &[f64], now_ns: u64) {
    let actuators = target.actuators.iter_mut().zip(&model.thrusters);
    for ((actuator, thruster), command) in actuators.zip(commands) {
        actuator.set_command(thruster, *command);
    }
    target.last_command_ns = Some(now_ns);
}

/// Sets the commands of all fins of a robot; sets none if a value is not finite.
fn set_fins(
    robot: usize,
    model: &Robot,
    target: &mut RobotState,
    values: &[f64],
) -> Result<(), CommandRejection> {
    firmware::check_fins(robot, target)?;
    for (fin, value) in model.fins.iter().zip(values) {
        check(robot, &fin.name, *value)?;
    }
    for ((memory, fin), value) in target.fins.iter_mut().zip(&model.fins).zip(values) {
        memory.set_command(fin, *value);
    }
    Ok(())
}
