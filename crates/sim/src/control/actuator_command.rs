//! Commands to thrusters, fins and buoyancy engines.

use crate::control::command::{Target, check};
use merrow_control::allocation;
use merrow_math::Vec3;
use merrow_model::ensure;
use merrow_model::state::ActuatorCommand;
use merrow_model::state::commands::Accepted;

impl Target<'_> {
    /// Applies a command to actuators, or returns why it is rejected. A rejected command has no
    /// effect.
    pub(crate) fn actuate(&mut self, command: &ActuatorCommand) -> Accepted {
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
