//! Activity of the modems: schedule trace and energy.
//!
//! # Law
//! ```text
//!   E = sum over transmissions (P_c + P) d + P_r t_r + P_i t_i      (1)
//! ```
//!
//! # Symbols
//! E energy [J] · P transmit power, P_c power of the electronics while transmitting, P_r while
//! receiving, P_i otherwise [W] · d duration of a transmission, t_r time with a signal, t_i time
//! without a signal [s].
//!
//! # Limits
//! Switching between activities requires no energy. P is the electrical power of the transmitter;
//! the efficiency of the amplifier is not modelled.
//!
//! # Checked by
//! crates/comms/tests/network/modems.rs

use crate::network::nodes::Node;
use crate::network::{Engine, Network};
use merrow_model::state::comms::{Activity, Interval, ModemState, NetworkState};

impl Engine<'_> {
    /// Updates the activity of a modem after an event.
    pub(super) fn set_activity(&mut self, modem: u32) {
        let activity = activity_of(&self.state.modems[modem as usize]);
        if activity != self.state.modems[modem as usize].activity {
            account_time(self.state, modem);
            self.state.modems[modem as usize].activity = activity;
        }
    }
}

impl Network {
    /// Returns the current electrical power of a modem [W].
    pub fn power(&self, state: &NetworkState, modem: usize) -> f64 {
        let (node, own) = (&self.nodes[modem], &state.modems[modem]);
        match (own.activity, own.transmission) {
            (Activity::Off, _) => 0.0,
            (_, Some(transmission)) => {
                transmit_power(node, state.transmissions[transmission].power)
            }
            (Activity::Receive | Activity::Collide, None) => node.modem.transceiver.receive_power_w,
            (_, None) => node.modem.transceiver.idle_power_w,
        }
    }
}

/// Returns the electrical power [W] during a transmission with a fraction of the maximum power.
pub(super) fn transmit_power(node: &Node, fraction: f64) -> f64 {
    node.modem.transceiver.circuit_power_w + fraction * node.modem.transceiver.max_power_w
}

/// Adds the time of the current activity to its sum.
pub(super) fn account_time(state: &mut NetworkState, modem: u32) {
    let now = state.time_ns;
    let own = &mut state.modems[modem as usize];
    let duration = now - own.activity_ns;
    match own.activity {
        Activity::Off => {}
        Activity::Idle | Activity::Wait => own.energy.idle_ns += duration,
        Activity::Receive | Activity::Collide => own.energy.receive_ns += duration,
        Activity::Transmit => own.energy.transmit_ns += duration,
    }
    if duration > 0 {
        state.output.trace.push(Interval {
            modem,
            activity: own.activity,
            start_ns: own.activity_ns,
            end_ns: now,
        });
    }
    own.activity_ns = now;
}

fn activity_of(own: &ModemState) -> Activity {
    if !own.is_on {
        Activity::Off
    } else if own.transmission.is_some() {
        Activity::Transmit
    } else if own.carrier.count > 1 {
        Activity::Collide
    } else if own.signals.iter().any(|signal| signal.is_locked) {
        Activity::Receive
    } else if own.service.is_some() || !own.queue.is_empty() || !own.control.is_empty() {
        Activity::Wait
    } else {
        Activity::Idle
    }
}

/// Energy of a modem by activity since the start of the run [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Energy of transmissions [J].
    pub transmit: f64,
    /// Energy while signals arrive [J].
    pub receive: f64,
    /// Energy in the remaining time [J].
    pub idle: f64,
}

impl Energy {
    /// Returns the sum of all activities [J].
    pub fn total(&self) -> f64 {
        self.transmit + self.receive + self.idle
    }
}

impl Network {
    /// Computes the energy that modem `modem` has consumed up to the time of the state.
    pub fn energy(&self, state: &NetworkState, modem: usize) -> Energy {
        let (node, own) = (&self.nodes[modem], &state.modems[modem]);
        let sums = &own.energy;
        let present = state.time_ns - own.activity_ns;
        let (mut receive, mut idle) = (sums.receive_ns, sums.idle_ns);
        match own.activity {
            Activity::Off | Activity::Transmit => {}
            Activity::Receive | Activity::Collide => receive += present,
            Activity::Idle | Activity::Wait => idle += present,
        }
        let mut transmit = sums.transmit;
        if let Some(k) = own.transmission {
            let transmission = &state.transmissions[k];
            let elapsed = (state.time_ns - transmission.start_ns) as f64 * 1e-9;
            transmit += transmit_power(node, transmission.power) * elapsed;
        }
        Energy {
            transmit,
            receive: node.modem.transceiver.receive_power_w * receive as f64 * 1e-9,
            idle: node.modem.transceiver.idle_power_w * idle as f64 * 1e-9,
        }
    }
}
