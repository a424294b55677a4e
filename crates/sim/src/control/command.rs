//! Applies commands at the start of a step and rejects invalid commands.

use crate::control::joints::command as joint_command;
use crate::control::{actuator_command, coupling, fault, firmware, sampler, wrench};
use merrow_environment::air;
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_model::scene::fault::Device;
use merrow_model::scene::fault_devices::{check_fault, device_path, world_device_path};
use merrow_model::scene::sea::air::Weather;
use merrow_model::scene::{Fault, Robot, Scene, Sea, Waves};
use merrow_model::state::commands::{CommandRejection, WeatherChange};
use merrow_model::state::{
    BodyCommand, Command, DeviceCommand, FaultState, Health, RobotState, State, WinchCommand,
};

/// Maximum velocity [m/s] and angular velocity [rad/s] that a robot can be given.
const SPEED_MAX: f64 = 1000.0;

/// Applies one command to the state. If it is rejected, returns the reason and leaves the state
/// unchanged.
pub fn apply(scene: &Scene, state: &mut State, command: &Command) -> Result<(), CommandRejection> {
    match command {
        Command::Modem(_) | Command::Bridge { .. } | Command::Call(_) => Err(CommandRejection {
            robot: None,
            reason: "a command to a modem needs the network of a simulation".to_string(),
        }),
        Command::Sea(sea) => {
            change_sea(state, sea);
            Ok(())
        }
        Command::Weather(change) => change_weather(state, change),
        Command::Actuator(robot, command) => actuator_command::apply(scene, state, *robot, command),
        Command::Joint(robot, command) => joint_command::apply(scene, state, *robot, command),
        Command::Firmware(robot, command) => firmware::apply(scene, state, *robot, command),
        Command::Body(robot, command) => apply_to_body(scene, state, *robot, command),
        Command::Device(robot, command) => apply_to_device(scene, state, *robot, command),
        Command::SetCoupling {
            coupling: index,
            engage,
            partner,
        } => coupling::apply(scene, state, *index, *engage, *partner),
        Command::Fault(new) => start_fault(scene, state, new),
        Command::Repair { robot, name } => repair_fault(scene, state, *robot, name),
        Command::Winch { tether, command } => command_winch(scene, state, *tether, *command),
    }
}

/// Changes the water; the waves change smoothly.
fn change_sea(state: &mut State, sea: &Sea) {
    let mut waves = state.sea.waves.transition_to(&sea.waves, state.time_ns);
    if sea.regions != state.sea.regions {
        waves.regions = Waves::surface_regions(&sea.regions);
    }
    let air = state.sea.air.clone();
    state.sea = Sea {
        air,
        waves,
        ..sea.clone()
    };
}

/// Sets position and attitude of a robot, and its angular and linear velocity.
fn set_pose(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    (p_WB, q_WB): (Vec3, Quat),
    (w_WB_B, v_WB_B): (Vec3, Vec3),
) -> Result<(), CommandRejection> {
    let held_by = coupling::holding_coupling(scene, state, robot);
    let (model, target) = find_robot(scene, state, robot)?;
    let norm = q_WB.w * q_WB.w + q_WB.x * q_WB.x + q_WB.y * q_WB.y + q_WB.z * q_WB.z;
    if !p_WB.is_finite() || !v_WB_B.is_finite() || !w_WB_B.is_finite() || !norm.is_finite() {
        return Err(reject(
            robot,
            "pose: found a value that is not finite".into(),
        ));
    }
    let speed = [v_WB_B.norm(), w_WB_B.norm()];
    if speed.iter().any(|speed| *speed > SPEED_MAX) {
        let reason = format!(
            "twist: expected at most {SPEED_MAX} m/s and rad/s, found {} m/s and {} rad/s",
            speed[0], speed[1]
        );
        return Err(reject(robot, reason));
    }
    if (norm - 1.0).abs() > 1e-2 {
        let reason = format!(
            "pose: expected a unit quaternion, found the norm {}",
            norm.sqrt()
        );
        return Err(reject(robot, reason));
    }
    if !model.floating {
        return Err(reject(
            robot,
            "the robot has a fixed base, so its pose cannot be set".into(),
        ));
    }
    if let Some(name) = held_by {
        return Err(reject(
            robot,
            format!("the robot is held by the coupling {name}: release it first"),
        ));
    }
    target.motion.p_WB = p_WB;
    target.motion.q_WB = q_WB.normalized();
    target.motion.V_WB_B = SpatialVelocity {
        w: w_WB_B,
        v: v_WB_B,
    };
    // the radiated waves belong to the former position
    target.radiation_state.fill([SpatialVelocity::zero(); 2]);
    target.halted = None;
    Ok(())
}

/// Places a robot, or changes the wrenches on its links.
fn apply_to_body(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &BodyCommand,
) -> Result<(), CommandRejection> {
    match command {
        BodyCommand::SetPose {
            p_WB,
            q_WB,
            v_WB_B,
            w_WB_B,
        } => set_pose(scene, state, robot, (*p_WB, *q_WB), (*w_WB_B, *v_WB_B)),
        BodyCommand::ApplyWrench { wrench: new } => wrench::apply(scene, state, robot, new),
        BodyCommand::ClearWrenches { link } => wrench::clear(scene, state, robot, *link),
    }
}

/// Sets the health of an actuator, the noise of a sensor or the level of a load, or operates a water
/// sampler.
fn apply_to_device(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &DeviceCommand,
) -> Result<(), CommandRejection> {
    if let DeviceCommand::Sample { sensor, on } = command {
        return sampler::switch_pump(scene, state, robot, *sensor, *on);
    }
    let now_ns = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    let missing = |what: &str| reject(robot, format!("no such {what}"));
    match command {
        DeviceCommand::Health { thruster, health } => {
            let actuator = target.actuators.get_mut(*thruster);
            let actuator = actuator.ok_or_else(|| missing("thruster"))?;
            check_health(robot, health)?;
            actuator.health = *health;
            fault::end_faults(model, target, Device::Thruster(*thruster), now_ns);
        }
        DeviceCommand::FinHealth { fin, health } => {
            let memory = target.fins.get_mut(*fin);
            let memory = memory.ok_or_else(|| missing("fin"))?;
            check_health(robot, health)?;
            memory.health = *health;
            fault::end_faults(model, target, Device::Fin(*fin), now_ns);
        }
        DeviceCommand::Noise { sensor, on } => {
            let memory = target.sensors.get_mut(*sensor);
            memory.ok_or_else(|| missing("sensor"))?.noise = *on;
        }
        DeviceCommand::Load { load, level } => {
            let l = model.loads.get(*load).ok_or_else(|| missing("load"))?;
            if !(0.0..=1.0).contains(level) {
                return Err(reject(
                    robot,
                    format!("{}: expected a level from 0 to 1, found {level}", l.name),
                ));
            }
            target.loads[*load] = *level;
        }
        DeviceCommand::Sample { .. } => {} // above
    }
    Ok(())
}

/// Starts a fault of a robot, a beacon or a fixed modem. It replaces an earlier fault of the same
/// name.
fn start_fault(scene: &Scene, state: &mut State, new: &Fault) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (name, faults) = match new.robot {
        Some(robot) => {
            let (_, target) = find_robot(scene, state, robot)?;
            let name = device_path(scene, robot, new.device);
            (name, &mut target.faults)
        }
        None => (world_device_name(scene, new.device)?, &mut state.faults),
    };
    check_fault(new.device, &name, new.kind).map_err(|reason| CommandRejection {
        robot: new.robot,
        reason,
    })?;
    let memory = FaultState::new(&Fault {
        start_ns: now,
        end_ns: now.saturating_add(new.end_ns),
        ..new.clone()
    });
    match faults.iter_mut().find(|f| f.fault.name == new.name) {
        Some(old) => *old = memory,
        None => faults.push(memory),
    }
    Ok(())
}

/// Removes a fault of a robot; without a robot, a fault of a beacon or of a fixed modem.
fn repair_fault(
    scene: &Scene,
    state: &mut State,
    robot: Option<usize>,
    name: &str,
) -> Result<(), CommandRejection> {
    let is_repaired = match robot {
        Some(robot) => {
            let (model, target) = find_robot(scene, state, robot)?;
            fault::repair(model, target, name)
        }
        None => fault::remove_fault(&mut state.faults, name),
    };
    if is_repaired {
        return Ok(());
    }
    Err(CommandRejection {
        robot,
        reason: format!("no fault {name:?} to repair"),
    })
}

/// Returns the name of a device that belongs to no robot.
fn world_device_name(scene: &Scene, device: Device) -> Result<String, CommandRejection> {
    let missing = match device {
        Device::Beacon(k) if k >= scene.beacons.len() => format!("no beacon number {k}"),
        Device::Modem(k) if k >= scene.modems.len() => format!("no modem number {k}"),
        _ => return Ok(world_device_path(scene, device)),
    };
    Err(CommandRejection {
        robot: None,
        reason: missing,
    })
}

/// Starts a change of the weather.
fn change_weather(state: &mut State, change: &WeatherChange) -> Result<(), CommandRejection> {
    let numbers = [
        change.gustiness,
        change.temperature_c,
        change.cloud_cover,
        change.rain_mm_h,
        change.visibility_m,
        change.time_of_day_s,
        Some(change.duration_s),
    ];
    let finite = numbers.iter().flatten().all(|x| x.is_finite());
    if !finite || change.duration_s < 0.0 || !change.wind.unwrap_or_else(Vec3::zero).is_finite() {
        let reason =
            "weather: found a value that is not finite, or a negative duration".to_string();
        return Err(CommandRejection {
            robot: None,
            reason,
        });
    }
    let t = state.time_ns as f64 * 1e-9;
    let air = &mut state.sea.air;
    let (now, to) = (air::weather(air, t), air.to);
    air.from = now;
    air.to = Weather {
        wind: change.wind.unwrap_or(to.wind),
        gustiness: change.gustiness.unwrap_or(to.gustiness),
        temperature_c: change.temperature_c.unwrap_or(to.temperature_c),
        cloud_cover: change.cloud_cover.unwrap_or(to.cloud_cover),
        rain_mm_h: change.rain_mm_h.unwrap_or(to.rain_mm_h),
        visibility_m: change.visibility_m.unwrap_or(to.visibility_m),
    };
    air.change = [t, t + change.duration_s];
    if let Some(of_day) = change.time_of_day_s {
        let utc = air.start_utc + t;
        air.start_utc += of_day - utc.rem_euclid(86_400.0);
    }
    Ok(())
}

fn check_health(robot: usize, health: &Health) -> Result<(), CommandRejection> {
    match health {
        Health::Reduced(part) if !(0.0..=1.0).contains(part) => Err(reject(
            robot,
            format!("health: expected 0 to 1, found {part}"),
        )),
        _ => Ok(()),
    }
}

fn command_winch(
    scene: &Scene,
    state: &mut State,
    tether: usize,
    command: WinchCommand,
) -> Result<(), CommandRejection> {
    let reject = |reason: String| CommandRejection {
        robot: None,
        reason,
    };
    let (Some(model), Some(target)) = (scene.tethers.get(tether), state.tethers.get_mut(tether))
    else {
        return Err(reject(format!("no tether number {tether}")));
    };
    if model.winch.is_none() {
        return Err(reject(format!("tether {} has no winch", model.name)));
    }
    let (WinchCommand::Speed(value) | WinchCommand::Length(value)) = command;
    if !value.is_finite() {
        return Err(reject(format!(
            "winch of {}: expected a finite number, found {value}",
            model.name
        )));
    }
    target.winch = command;
    Ok(())
}

/// Sets the thrusters to neutral when the time-out of the thruster manager has passed since the
/// newest command.
pub(crate) fn time_out(robot: &Robot, state: &mut RobotState, now_ns: u64) {
    let Some(timeout) = robot.allocation.as_ref().and_then(|m| m.command_timeout_s) else {
        return;
    };
    let Some(last) = state.last_command_ns else {
        return;
    };
    if (now_ns - last) as f64 * 1e-9 > timeout {
        for (actuator, thruster) in state.actuators.iter_mut().zip(&robot.thrusters) {
            actuator.set_command(thruster, thruster.motor.neutral);
        }
        state.last_command_ns = None;
    }
}

pub(crate) fn find_robot<'s>(
    scene: &'s Scene,
    state: &'s mut State,
    robot: usize,
) -> Result<(&'s Robot, &'s mut RobotState), CommandRejection> {
    match (scene.robots.get(robot), state.robots.get_mut(robot)) {
        (Some(model), Some(target)) => Ok((model, target)),
        _ => Err(CommandRejection {
            robot: None,
            reason: format!("no robot number {robot}"),
        }),
    }
}

pub(crate) fn reject(robot: usize, reason: String) -> CommandRejection {
    CommandRejection {
        robot: Some(robot),
        reason,
    }
}

pub(crate) fn check(robot: usize, name: &str, value: f64) -> Result<(), CommandRejection> {
    if value.is_finite() {
        return Ok(());
    }
    Err(reject(
        robot,
        format!("{name}: expected a finite number, found {value}"),
    ))
}

pub(crate) fn check_finite(robot: usize, name: &str, value: Vec3) -> Result<(), CommandRejection> {
    value
        .to_array()
        .into_iter()
        .try_for_each(|x| check(robot, name, x))
}
