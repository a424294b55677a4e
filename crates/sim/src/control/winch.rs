//! A winch's drive: from what is commanded and how hard the line pulls to how fast it is paid out, and what that costs.
//!
//! # Law
//! ```text
//!   v_c = v,  or 2 (L_c - L)                                             (1)  within speed and acceleration
//!   v   = max(v_c, 0) + (T - T_h) L/(EA τ)  where T > T_h                  (2)
//!   P   = P_0 + max(0, -v_c T)/η                                          (3)
//! ```
//! T_h is what the drum holds: that of its brake at rest, the motor's largest pull while it turns. Without power the brake is shut, as it is when the winch is dead;
//! stuck, the motor goes on as it went; what is left of it scales (1), and a bias is added to it.
//!
//! # Symbols
//! v rate of paying out, v_c that of the motor [m/s] · L unstretched length, L_c its command · T tension, EA stiffness of the line · τ = 0.05 s, chosen,
//! long against a step · P electrical power, P_0 on standby, η efficiency.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Paying out under tension gives nothing back, and costs nothing: the line drives the drum against its brake. The drum has no inertia.
//!
//! # Checked by
//! test/analytic/tether_winch.rs, test/analytic/fault.rs

use merrow_model::scene::{Line, Winch};
use merrow_model::state::fault::Effect;
use merrow_model::state::{TetherState, WinchCommand};

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
    /// Electrical power [W].
    pub power: f64,
}

impl Turn {
    /// It stands.
    pub const NONE: Self = Self {
        motor: 0.0,
        rate: 0.0,
        power: 0.0,
    };
}

/// The drum's turn over the next `h` seconds, under the tension of the last step.
pub fn turn(
    winch: &Winch,
    line: &Line,
    state: &TetherState,
    powered: bool,
    fault: &Effect,
    h: f64,
) -> Turn {
    let powered = powered && !fault.dead;
    let wanted = match state.winch {
        _ if !powered => 0.0,
        _ if fault.stuck => state.winch_speed,
        WinchCommand::Speed(speed) => fault.part * speed + fault.offset,
        WinchCommand::Length(length) => {
            fault.part * APPROACH * (length - state.length) + fault.offset
        }
    };
    let wanted = wanted.clamp(-winch.max_speed, winch.max_speed);
    let change = winch.max_acceleration * h;
    let motor = if powered {
        wanted.clamp(state.winch_speed - change, state.winch_speed + change)
    } else {
        0.0
    };
    let holding = if motor == 0.0 {
        winch.brake
    } else {
        winch.max_pull
    };
    let tension = state.end_tensions()[winch.end];
    let excess = tension - holding;
    let mut rate = motor;
    if excess > 0.0 {
        let slip = excess / line.stiffness * state.length / SLIP_TIME.max(h);
        rate = motor.max(0.0) + slip.min(SLIP_SPEED); // (2)
    }
    let [shortest, longest] = winch.range;
    let rate = rate.clamp((shortest - state.length) / h, (longest - state.length) / h);
    // a drum at its stop stands
    let heaved = if state.length > shortest {
        (-motor).max(0.0) * tension.min(winch.max_pull)
    } else {
        0.0
    };
    let power = if powered {
        winch.standby + heaved / winch.efficiency
    } else {
        0.0
    }; // (3)
    Turn { motor, rate, power }
}
