//! A winch's drive: from what is commanded and how hard the line pulls to how fast it is paid out.

use crate::scene::{Line, Winch};
use crate::state::{TetherState, WinchCommand};

/// How a commanded length is approached: speed per metre left [1/s].
const APPROACH: f64 = 2.0;
/// Time in which a slipping drum gives the excess tension away [s]; chosen, long against a step.
const SLIP_TIME: f64 = 0.05;
/// Fastest slip [m/s]; chosen.
const SLIP_SPEED: f64 = 10.0;

/// What the drum does in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Speed of the motor, positive paying out [m/s].
    pub motor: f64,
    /// Rate of the unstretched length, slip and stops included [m/s].
    pub rate: f64,
}

/// The drum's turn over the next `h` seconds, under the tension of the last step.
pub fn turn(winch: &Winch, line: &Line, state: &TetherState, h: f64) -> Turn {
    let wanted = match state.winch {
        WinchCommand::Speed(speed) => speed,
        WinchCommand::Length(length) => APPROACH * (length - state.length),
    };
    let wanted = wanted.clamp(-winch.max_speed, winch.max_speed);
    let change = winch.max_acceleration * h;
    let motor = wanted.clamp(state.winch_speed - change, state.winch_speed + change);
    let holding = if motor == 0.0 { winch.brake } else { winch.max_pull };
    let excess = state.end_tensions()[winch.end] - holding;
    let mut rate = motor;
    if excess > 0.0 {
        let slip = excess / line.stiffness * state.length / SLIP_TIME.max(h);
        rate = motor.max(0.0) + slip.min(SLIP_SPEED);
    }
    let [shortest, longest] = winch.range;
    Turn { motor, rate: rate.clamp((shortest - state.length) / h, (longest - state.length) / h) }
}
