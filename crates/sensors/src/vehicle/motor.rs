//! Motor telemetry: what the controller of a thruster tells of its motor.
//!
//! # Law
//! ```text
//!   I = P/V,  T = T_water + heat,  Q = P_shaft/ω, or |a| |F|      (1)
//!   ω = k √|F| sign F                                             (2)  where the curve knows thrust alone
//! ```
//! # Symbols
//! P electrical power · V voltage of the battery · heat, P_shaft as in `control/power.rs` · ω shaft speed · F thrust · a its reaction's moment per newton · k stated with
//! the controller, at the bollard.
//!
//! # Frames
//! None; ω has the sign of the command, Q that of ω.
//!
//! # Limits
//! Power, heat and torque are those of the step before. Without a battery there is neither voltage nor current, without (2) or a propeller's own speed none of that (NaN); a motor that draws
//! nothing by its figures has no current.
//!
//! # Checked by
//! test/analytic/telemetry.rs

use crate::water::probe;
use crate::{OnBoard, Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::on_board::MotorSpec;
use merrow_model::scene::sensor::probe::Quantity;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Motor;

/// One sample.
pub fn measure(
    spec: &MotorSpec,
    memory: &mut SensorState,
    (truth, on_board): (&Truth<'_>, &OnBoard<'_>),
    draw: &mut Draw,
) -> Motor {
    let thruster = &on_board.robot.thrusters[spec.thruster];
    let actuator = &on_board.actuators[spec.thruster];
    let none = f64::NAN;
    let [drive, torque] = actuator.shaft;
    let speed = match spec.speed_per_root {
        _ if thruster.drive_is_speed() => drive,
        k if k > 0.0 => k * drive.abs().sqrt().copysign(drive),
        _ => none,
    };
    let voltage = if on_board.robot.battery.is_some() {
        on_board.battery.voltage
    } else {
        none
    };
    let current = if voltage > 0.0 {
        actuator.power / voltage
    } else {
        none
    };
    let temperature = probe::quantity(Quantity::Temperature, truth) + actuator.heat;
    let mut found = [speed, current, voltage, temperature];
    let on = memory.noise;
    for i in 0..4 {
        found[i] = noise::scalar(&spec.errors[i], &mut memory.drift[i], found[i], on, draw);
    }
    let [speed, current, voltage, temperature] = found;
    Motor {
        speed,
        current,
        voltage,
        temperature,
        torque: torque.copysign(drive),
        power: actuator.power,
    }
}
