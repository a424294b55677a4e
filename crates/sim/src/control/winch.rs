//! Winch drive: pay-out rate and electrical power from the command and the tension of the tether.
//!
//! # Law
//! ```text
//!   v_c = v,  or 2 (L_c - L)                               (1)
//!   v   = max(v_c, 0) + (T - T_h) L/(EA τ)  where T > T_h  (2)
//!   P   = P_0 + max(0, -v_c T)/η                           (3)
//!   (1) within speed and acceleration limits
//! ```
//! T_h is the holding force of the drum: the force of its brake at rest, the maximum pull of the
//! motor while it turns. Without power, or if the winch is dead, the brake is closed. A stuck motor
//! keeps its speed. A reduced winch scales (1) by the remaining fraction, and a bias is added to
//! (1).
//!
//! # Symbols
//! v pay-out rate, in (1) the commanded one; v_c pay-out rate of the motor [m/s] · L unstretched
//! length, L_c its command · T tension, EA axial stiffness of the tether · τ = 0.05 s, chosen, long
//! compared with a step · P electrical power, P_0 standby power, η efficiency.
//!
//! # Limits
//! Paying out under tension neither recovers nor consumes power: the tether drives the drum against
//! its brake. The drum has no inertia.
//!
//! # Checked by
//! test/analytic/tethers/winch.rs, test/analytic/devices/fault.rs

use merrow_model::scene::{Tether, Winch};
use merrow_model::state::FaultEffect;
use merrow_model::state::{TetherState, WinchCommand};

/// Proportional gain of the length control: speed per remaining metre [1/s].
const LENGTH_GAIN: f64 = 2.0;
/// Time constant in which a slipping drum releases the excess tension [s]; chosen, long compared
/// with a step.
const SLIP_TIME: f64 = 0.05;
/// Maximum slip speed [m/s]; chosen.
const SLIP_SPEED: f64 = 10.0;

/// Motion and power of the drum in one step; by default at rest without power.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DrumMotion {
    /// Speed of the motor, positive when paying out [m/s].
    pub motor: f64,
    /// Rate of the unstretched length, with slip and end stops [m/s].
    pub rate: f64,
    /// Electrical power of the winch [W].
    pub power: f64,
}

/// Computes the motion of the drum over the next `h` [s] under the tension of the last step.
pub(crate) fn advance_drum(
    winch: &Winch,
    tether: &Tether,
    state: &TetherState,
    powered: bool,
    fault: &FaultEffect,
    h: f64,
) -> DrumMotion {
    let powered = powered && !fault.dead;
    let target_speed = match state.winch {
        _ if !powered => 0.0,
        _ if fault.stuck => state.winch_speed,
        WinchCommand::Speed(speed) => fault.fraction * speed + fault.offset,
        WinchCommand::Length(length) => {
            fault.fraction * LENGTH_GAIN * (length - state.length) + fault.offset
        }
    };
    let target_speed = target_speed.clamp(-winch.max_speed_m_s, winch.max_speed_m_s);
    let change = winch.max_acceleration_m_s2 * h;
    let motor = if powered {
        target_speed.clamp(state.winch_speed - change, state.winch_speed + change)
    } else {
        0.0
    };
    let holding = if motor == 0.0 {
        winch.brake()
    } else {
        winch.max_pull()
    };
    let tension = state.end_tensions()[winch.end()];
    let excess = tension - holding;
    let mut rate = motor;
    if excess > 0.0 {
        let slip = excess / tether.line.axial_stiffness_n * state.length / SLIP_TIME.max(h);
        rate = motor.max(0.0) + slip.min(SLIP_SPEED); // (2)
    }
    let [shortest, longest] = tether.winch_range(winch);
    let rate = rate.clamp((shortest - state.length) / h, (longest - state.length) / h);
    // a drum at its end stop does not turn
    let heaved = if state.length > shortest {
        (-motor).max(0.0) * tension.min(winch.max_pull())
    } else {
        0.0
    };
    let power = if powered {
        winch.standby_w + heaved / winch.efficiency
    } else {
        0.0
    }; // (3)
    DrumMotion { motor, rate, power }
}
