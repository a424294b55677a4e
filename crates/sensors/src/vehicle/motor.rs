//! Motor telemetry: quantities that the motor controller of a thruster reports.
//!
//! # Law
//! ```text
//!   I = P/V,  T = T_water + heat,  Q = P_shaft/ω, or |a| |F|  (1)
//!   ω = k √|F| sign F                                         (2)
//!   (2) for thrust curves without a shaft speed
//! ```
//! # Symbols
//! I current · P electrical power · V voltage of the battery · T temperature of the motor · Q
//! torque at the shaft · heat, P_shaft as in `crates/sim/src/control/energy/power.rs` · ω shaft
//! speed · F thrust · a reaction moment per newton of thrust · k coefficient stated with the
//! controller, at bollard pull.
//!
//! # Frames
//! None; ω has the sign of the command, Q has the sign of ω.
//!
//! # Limits
//! Power, heat and torque are values of the preceding step. Without a battery voltage and current
//! are NaN. The shaft speed is NaN without (2) and without a propeller model. A motor that draws no
//! power by its data has no current.
//!
//! # Checked by
//! test/sensors/instruments/telemetry.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use crate::water::probe;
use merrow_model::sensor::vehicle::{Motor, MotorSpec};
use merrow_model::sensor::water::Quantity;

impl Measure for MotorSpec {
    /// Takes one sample: shaft speed [rad/s], current [A], voltage [V], temperature [°C], torque
    /// [N m] and power [W].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Motor> {
        let (spec, truth, on_board) = (self, sample.truth, sample.on_board);
        let thruster = &on_board.robot.thrusters[spec.thruster];
        let actuator = &on_board.state.actuators[spec.thruster];
        let none = f64::NAN;
        let [drive, torque] = actuator.shaft;
        let speed = match spec.keys.speed_per_root_thrust_rad_s_per_sqrt_n {
            _ if thruster.drive_is_speed() => drive,
            k if k > 0.0 => k * drive.abs().sqrt().copysign(drive),
            _ => none,
        };
        let voltage = if on_board.robot.battery.is_some() {
            on_board.state.battery.voltage
        } else {
            none
        };
        let current = if voltage > 0.0 {
            actuator.power / voltage
        } else {
            none
        };
        let temperature = probe::true_quantity(Quantity::Temperature, truth) + actuator.heat;
        let [speed, current, voltage, temperature] =
            sample.measure_scalars(&spec.errors, [speed, current, voltage, temperature]);
        Some(Motor {
            speed,
            current,
            voltage,
            temperature,
            torque: torque.copysign(drive),
            power: actuator.power,
        })
    }
}

faulty!(Motor: speed; parts: speed, current, voltage, temperature);
