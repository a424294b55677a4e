//! Applies commands at the start of a step and rejects invalid commands.

use crate::control::{coupling, fault};
use merrow_control::allocation;
use merrow_environment::air;
use merrow_math::{Quat, SpatialVelocity, Vec3};
use merrow_model::ensure;
use merrow_model::scene::fault::Device;
use merrow_model::scene::fault_devices::{check_fault, device_path};
use merrow_model::scene::sea::air::Weather;
use merrow_model::scene::{Fault, Robot, Scene, Sea, Waves};
use merrow_model::state::commands::{Accepted, CommandRejection, WeatherChange};
use merrow_model::state::{
    ActuatorCommand, BodyCommand, Command, DeviceCommand, FaultState, Health, RobotState, State,
    WinchCommand,
};

/// Maximum velocity [m/s] and angular velocity [rad/s] that a robot can be given.
const SPEED_MAX: f64 = 1000.0;

/// Robot that a command is for, with the values of the world that commands use.
pub(crate) struct Target<'a> {
    pub(crate) model: &'a Robot,
    pub(crate) state: &'a mut RobotState,
    /// Time of the command [ns].
    pub(crate) now_ns: u64,
    /// Density of the water [kg/m³].
    pub(crate) density: f64,
}

/// Applies one command to the state. If it is rejected, returns the reason and leaves the state
/// unchanged.
pub fn apply(scene: &Scene, state: &mut State, command: &Command) -> Result<(), CommandRejection> {
    accept(scene, state, command).map_err(|reason| command.reject(scene, reason))
}

fn accept(scene: &Scene, state: &mut State, command: &Command) -> Accepted {
    match command {
        Command::Modem(_) | Command::Bridge { .. } | Command::Call(_) => {
            Err("the world has no modems".to_string())
        }
        Command::Sea(sea) => {
            change_sea(state, sea);
            Ok(())
        }
        Command::Weather(change) => change_weather(state, change),
        Command::Actuator(robot, command) => Target::find(scene, state, *robot)?.actuate(command),
        Command::Joint(robot, command) => {
            Target::find(scene, state, *robot)?.command_joints(command)
        }
        Command::Firmware(robot, command) => {
            Target::find(scene, state, *robot)?.command_firmware(command)
        }
        Command::Body(robot, command) => apply_to_body(scene, state, *robot, command),
        Command::Device(robot, command) => {
            Target::find(scene, state, *robot)?.command_device(command)
        }
        Command::Report(robot, report) => match (&scene.task, &mut state.task.0) {
            (Some(task), Some(own)) => task.report(own, *robot, report),
            _ => Err("the world has no task".to_string()),
        },
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

/// Places a robot, or changes the wrenches on its links.
fn apply_to_body(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &BodyCommand,
) -> Accepted {
    let held_by = coupling::holding_coupling(scene, state, robot);
    let mut target = Target::find(scene, state, robot)?;
    match command {
        BodyCommand::SetPose {
            p_WB,
            q_WB,
            v_WB_B,
            w_WB_B,
        } => target.set_pose(held_by, (*p_WB, *q_WB), (*w_WB_B, *v_WB_B))?,
        BodyCommand::ApplyWrench { wrench } => target.apply_wrench(wrench)?,
        BodyCommand::ClearWrenches { link } => target.clear_wrenches(*link),
    }
    Ok(())
}

impl<'a> Target<'a> {
    /// Finds robot number `robot`.
    ///
    /// # Errors
    /// There is no such robot.
    fn find(scene: &'a Scene, state: &'a mut State, robot: usize) -> Result<Self, String> {
        let found = scene.robots.get(robot).zip(state.robots.get_mut(robot));
        let (model, target) = found.ok_or_else(|| format!("no robot number {robot}"))?;
        Ok(Self {
            model,
            state: target,
            now_ns: state.time_ns,
            density: state.sea.density,
        })
    }

    /// Sets position and attitude, and angular and linear velocity. `held_by` is the coupling that
    /// holds the robot.
    fn set_pose(
        &mut self,
        held_by: Option<&str>,
        (p_WB, q_WB): (Vec3, Quat),
        (w_WB_B, v_WB_B): (Vec3, Vec3),
    ) -> Accepted {
        let norm = q_WB.w * q_WB.w + q_WB.x * q_WB.x + q_WB.y * q_WB.y + q_WB.z * q_WB.z;
        ensure!(
            p_WB.is_finite() && v_WB_B.is_finite() && w_WB_B.is_finite() && norm.is_finite(),
            "pose: found a value that is not finite"
        );
        let [v, w] = [v_WB_B.norm(), w_WB_B.norm()];
        ensure!(
            v <= SPEED_MAX && w <= SPEED_MAX,
            "twist: expected at most {SPEED_MAX} m/s and rad/s, found {v} m/s and {w} rad/s"
        );
        ensure!(
            (norm - 1.0).abs() <= 1e-2,
            "pose: expected a unit quaternion, found the norm {}",
            norm.sqrt()
        );
        ensure!(
            self.model.floating,
            "the robot has a fixed base, so its pose cannot be set"
        );
        if let Some(name) = held_by {
            return Err(format!(
                "the robot is held by the coupling {name}: release it first"
            ));
        }
        let motion = &mut self.state.motion;
        (motion.p_WB, motion.q_WB) = (p_WB, q_WB.normalized());
        motion.V_WB_B = SpatialVelocity::new(w_WB_B, v_WB_B);
        // the radiated waves belong to the former position
        let radiated = &mut self.state.radiation_state;
        radiated.fill([SpatialVelocity::zero(); 2]);
        self.state.halted = None;
        Ok(())
    }

    /// Sets the health of an actuator, the noise of a sensor or the level of a load, or operates a
    /// water sampler.
    fn command_device(&mut self, command: &DeviceCommand) -> Accepted {
        let state = &mut *self.state;
        match command {
            DeviceCommand::Health { thruster, health } => {
                let actuator = state.actuators.get_mut(*thruster);
                let actuator = actuator.ok_or("no such thruster")?;
                check_health(health)?;
                actuator.health = *health;
                fault::end_faults(self.model, state, Device::Thruster(*thruster), self.now_ns);
            }
            DeviceCommand::FinHealth { fin, health } => {
                let memory = state.fins.get_mut(*fin).ok_or("no such fin")?;
                check_health(health)?;
                memory.health = *health;
                fault::end_faults(self.model, state, Device::Fin(*fin), self.now_ns);
            }
            DeviceCommand::Noise { sensor, on } => {
                let memory = state.sensors.get_mut(*sensor);
                memory.ok_or("no such sensor")?.noise = *on;
            }
            DeviceCommand::Load { load, level } => {
                let l = self.model.loads.get(*load).ok_or("no such load")?;
                ensure!(
                    (0.0..=1.0).contains(level),
                    "{}: expected a level from 0 to 1, found {level}",
                    l.name
                );
                state.loads[*load] = *level;
            }
            DeviceCommand::Sample { sensor, on } => self.switch_pump(*sensor, *on)?,
        }
        Ok(())
    }

    /// Applies a command to actuators, or returns why it is rejected. A rejected command has no
    /// effect.
    fn actuate(&mut self, command: &ActuatorCommand) -> Accepted {
        let model = self.model;
        match command {
            ActuatorCommand::Thruster { thruster, value } => {
                let t = model.thrusters.get(*thruster).ok_or("no such thruster")?;
                check(&t.name, *value)?;
                self.allow_direct_commands()?;
                self.state.actuators[*thruster].set_command(t, *value);
                self.state.last_command_ns = Some(self.now_ns);
            }
            ActuatorCommand::Thrusters { values } => self.set_thrusters(values)?,
            ActuatorCommand::Fin { fin, value } => {
                let f = model.fins.get(*fin).ok_or("no such fin")?;
                check(&f.name, *value)?;
                self.check_fins()?;
                self.state.fins[*fin].set_command(f, *value);
            }
            ActuatorCommand::Fins { values } => {
                let (n, found) = (model.fins.len(), values.len());
                ensure!(
                    found == n,
                    "expected {n} values, one per fin, found {found}"
                );
                self.set_fins(values)?;
            }
            ActuatorCommand::BuoyancyEngine { engine, value } => {
                let b = model.buoyancy_engines.get(*engine);
                let b = b.ok_or("no such buoyancy engine")?;
                check(&b.name, *value)?;
                self.check_buoyancy_engines()?;
                let [min, max] = b.range_m3;
                self.state.buoyancy_engines[*engine].command = value.clamp(min, max);
            }
            ActuatorCommand::Wrench { force, moment } => self.set_wrench(*force, *moment)?,
        }
        Ok(())
    }

    /// Sets the commands of all thrusters, and of all fins if they are appended.
    fn set_thrusters(&mut self, values: &[f64]) -> Accepted {
        let (n, n_fins) = (self.model.thrusters.len(), self.model.fins.len());
        let and_fins = if n_fins > 0 {
            format!(", or {} with the fins appended", n + n_fins)
        } else {
            String::new()
        };
        let found = values.len();
        ensure!(
            found == n || found == n + n_fins,
            "expected {n} values, one per thruster{and_fins}, found {found}"
        );
        let (for_thrusters, for_fins) = values.split_at(n);
        for (t, value) in self.model.thrusters.iter().zip(for_thrusters) {
            check(&t.name, *value)?;
        }
        self.allow_direct_commands()?;
        if !for_fins.is_empty() {
            self.set_fins(for_fins)?;
        }
        self.set_all(for_thrusters);
        Ok(())
    }

    /// Allocates a force and a moment to the thrusters.
    fn set_wrench(&mut self, force: Vec3, moment: Vec3) -> Accepted {
        let has_manager = self.model.allocation.is_some();
        ensure!(has_manager, "the robot has no thruster manager");
        let is_finite = force.is_finite() && moment.is_finite();
        ensure!(is_finite, "wrench: found a value that is not finite");
        if self.set_pilot_wrench(force, moment) {
            return Ok(());
        }
        self.allow_direct_commands()?;
        let mut commands = vec![0.0; self.model.thrusters.len()];
        allocation::allocate(self.model, force, moment, self.density, &mut commands);
        self.set_all(&commands);
        Ok(())
    }

    /// Sets the commands of all thrusters.
    fn set_all(&mut self, commands: &[f64]) {
        let actuators = self.state.actuators.iter_mut().zip(&self.model.thrusters);
        for ((actuator, thruster), command) in actuators.zip(commands) {
            actuator.set_command(thruster, *command);
        }
        self.state.last_command_ns = Some(self.now_ns);
    }

    /// Sets the commands of all fins; sets none if a value is not finite.
    fn set_fins(&mut self, values: &[f64]) -> Accepted {
        self.check_fins()?;
        for (fin, value) in self.model.fins.iter().zip(values) {
            check(&fin.name, *value)?;
        }
        let fins = self.state.fins.iter_mut().zip(&self.model.fins);
        for ((memory, fin), value) in fins.zip(values) {
            memory.set_command(fin, *value);
        }
        Ok(())
    }
}

/// Starts a fault of a robot, a beacon or a fixed modem. It replaces an earlier fault of the same
/// name.
fn start_fault(scene: &Scene, state: &mut State, new: &Fault) -> Accepted {
    let now = state.time_ns;
    let faults = match new.robot {
        Some(robot) => &mut Target::find(scene, state, robot)?.state.faults,
        None => {
            check_world_device(scene, new.device)?;
            &mut state.faults
        }
    };
    let name = device_path(scene, new.robot, new.device);
    check_fault(new.device, &name, new.kind)?;
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
fn repair_fault(scene: &Scene, state: &mut State, robot: Option<usize>, name: &str) -> Accepted {
    let is_repaired = match robot {
        Some(robot) => {
            let target = Target::find(scene, state, robot)?;
            fault::repair(target.model, target.state, name)
        }
        None => fault::remove_fault(&mut state.faults, name),
    };
    ensure!(is_repaired, "no fault {name:?} to repair");
    Ok(())
}

/// Checks that there is a device that belongs to no robot.
fn check_world_device(scene: &Scene, device: Device) -> Accepted {
    match device {
        Device::Beacon(k) if k >= scene.beacons.len() => Err(format!("no beacon number {k}")),
        Device::Modem(k) if k >= scene.modems.len() => Err(format!("no modem number {k}")),
        _ => Ok(()),
    }
}

/// Starts a change of the weather.
fn change_weather(state: &mut State, change: &WeatherChange) -> Accepted {
    let numbers = [
        change.gustiness,
        change.temperature_c,
        change.cloud_cover,
        change.rain_mm_h,
        change.visibility_m,
        change.time_of_day_s,
        Some(change.duration_s),
    ];
    let is_finite = numbers.iter().flatten().all(|x| x.is_finite())
        && change.wind.is_none_or(|wind| wind.is_finite());
    ensure!(
        is_finite && change.duration_s >= 0.0,
        "weather: found a value that is not finite, or a negative duration"
    );
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

fn check_health(health: &Health) -> Accepted {
    if let Health::Reduced(part) = health {
        let is_part = (0.0..=1.0).contains(part);
        ensure!(is_part, "health: expected 0 to 1, found {part}");
    }
    Ok(())
}

fn command_winch(
    scene: &Scene,
    state: &mut State,
    tether: usize,
    command: WinchCommand,
) -> Accepted {
    let found = scene.tethers.get(tether).zip(state.tethers.get_mut(tether));
    let (model, target) = found.ok_or_else(|| format!("no tether number {tether}"))?;
    let name = &model.name;
    ensure!(model.winch.is_some(), "tether {name} has no winch");
    let (WinchCommand::Speed(value) | WinchCommand::Length(value)) = command;
    check(&format!("winch of {name}"), value)?;
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

/// Checks that a value called `name` is finite.
pub(crate) fn check(name: &str, value: f64) -> Accepted {
    let is_finite = value.is_finite();
    ensure!(is_finite, "{name}: expected a finite number, found {value}");
    Ok(())
}

/// Checks that a vector called `name` is finite.
pub(crate) fn check_finite(name: &str, value: Vec3) -> Accepted {
    let mut components = value.to_array().into_iter();
    components.try_for_each(|x| check(name, x))
}
