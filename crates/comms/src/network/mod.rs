//! Discrete-event engine of a network of modems.
//!
//! # Law
//! ```text
//!   I_k(t) = sum_{j != k} P_j          over the signals that arrive at t, same part of the band  (1)
//!   p = prod_s (1 - e(P / (N + I_s), b_s))      over the intervals s of constant I               (2)
//!   accepted = queued + in flight + delivered + lost                                             (3)
//! ```
//! A receiver locks to the first signal with P / (N + I) above its detection threshold. A signal
//! that arrives later replaces it if its ratio exceeds the capture ratio. The frame is received
//! with the probability p. Equation (3) counts copies: one per modem that a message is addressed
//! to; each lost copy has a cause.
//!
//! # Symbols
//! P received power · N noise power · I power of interference · e probability that b bits contain
//! an error · p probability of reception.
//!
//! # Limits
//! The channel is constant during a frame. The Doppler shift does not change the duration of a
//! frame. A modem waits for the acknowledgement of a frame before it transmits the next frame (stop
//! and wait). The memory of receivers for reassembly is not limited. A modem does not forward
//! messages.
//!
//! # Checked by
//! crates/comms/tests/network

mod activity;
pub(crate) mod clock;
mod commands;
mod control;
mod messages;
pub mod misfit;
mod nodes;
mod receive;
mod replace;
mod schedule;
mod transmit;

pub use crate::network::activity::Energy;
pub use crate::network::clock::{global_ns, local_ns};
pub use merrow_model::state::comms::{MessageGroup, Send};

use crate::network::nodes::Node;
use crate::network::schedule::agenda::Agenda;
use crate::network::schedule::{agenda, events};
use crate::propagation::Channel;
use merrow_model::scene::comms::Modem;
use merrow_model::state::comms::mac::MacState;
use merrow_model::state::comms::modem::{CarrierState, ClockState, EnergyState, Supply};
use merrow_model::state::comms::{
    Activity, Event, EventKind, LinkSignal, LinkState, ModemState, NetworkState, Reception,
};

/// Network of modems: constant data and workspace. [`NetworkState`] contains the variable data.
#[derive(Debug)]
pub struct Network {
    nodes: Vec<Node>,
    /// Workspace: receptions of a window.
    agenda: Agenda,
    /// Workspace: order of the receptions of a transmission.
    keys: Vec<u64>,
    /// Workspace: receptions of a transmission.
    arriving: Vec<Reception>,
    /// For each modem, the fraction of the transmit power that its faults leave.
    power_fractions: Vec<f64>,
}

/// Engine on one state: the network, the state and the interface to the channel.
struct Engine<'a> {
    nodes: &'a [Node],
    agenda: &'a mut Agenda,
    keys: &'a mut Vec<u64>,
    arriving: &'a mut Vec<Reception>,
    state: &'a mut NetworkState,
    channel: &'a dyn Channel,
    power_fractions: &'a [f64],
}

impl Network {
    /// Creates a network of `modems`; `seed` is the seed of the scene.
    ///
    /// # Errors
    /// One line per invalid modem: two modems have the same address, or a band, a rate, a power, a
    /// clock or a medium access protocol is invalid. The declarations of the keys limit the other
    /// numbers.
    pub fn new(modems: &[Modem], seed: u64) -> Result<Self, Vec<String>> {
        Ok(Self {
            power_fractions: vec![1.0; modems.len()],
            nodes: nodes::create(modems, seed)?,
            agenda: Agenda::default(),
            keys: Vec::new(),
            arriving: Vec::new(),
        })
    }

    /// Sets the fraction of the transmit power of a modem that its faults leave [-], for the frames
    /// that it transmits from now on.
    pub fn set_power_fraction(&mut self, modem: usize, fraction: f64) {
        self.power_fractions[modem] = fraction;
    }

    /// Returns the number of modems.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the network has no modems.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Creates the state at the start of a run: modems are switched on and have empty queues. Each
    /// modem has an event at time 0.
    pub fn start(&self) -> NetworkState {
        let n = self.nodes.len();
        let mut state = NetworkState {
            modems: self.nodes.iter().map(start_modem).collect(),
            links: vec![LinkState::default(); n * n],
            link_signals: vec![LinkSignal::default(); n * n],
            next_reception_ns: u64::MAX,
            ..NetworkState::default()
        };
        for (k, node) in self.nodes.iter().enumerate() {
            let modem = k as u32;
            events::schedule(&mut state, 0, EventKind::Wake { modem });
            if let Some(control) = &node.modem.power_control {
                let kind = EventKind::PowerCheck { modem };
                events::schedule(&mut state, control.period_ns(), kind);
            }
        }
        state
    }

    /// Returns true if the lists of `state` have the lengths that this network requires.
    pub fn accepts(&self, state: &NetworkState) -> bool {
        let n = self.nodes.len();
        state.modems.len() == n
            && state.links.len() == n * n
            && state.link_signals.len() == n * n
            && state.messages.is_consistent()
            && state.transmissions.is_consistent()
    }

    /// Returns the time of the next event [ns]; `None`: no event is pending.
    pub fn next_event_ns(&self, state: &NetworkState) -> Option<u64> {
        let event = state.events.first().map_or(u64::MAX, |event| event.time_ns);
        let next = event.min(state.next_reception_ns);
        (next < u64::MAX).then_some(next)
    }

    /// Returns the engine that processes the events of a state.
    fn engine<'a>(
        &'a mut self,
        state: &'a mut NetworkState,
        channel: &'a dyn Channel,
    ) -> Engine<'a> {
        Engine {
            nodes: &self.nodes,
            agenda: &mut self.agenda,
            keys: &mut self.keys,
            arriving: &mut self.arriving,
            state,
            channel,
            power_fractions: &self.power_fractions,
        }
    }

    /// Processes all events up to and including `until_ns` [ns].
    pub fn advance(&mut self, state: &mut NetworkState, channel: &dyn Channel, until_ns: u64) {
        self.engine(state, channel).process_until(until_ns);
        state.time_ns = state.time_ns.max(until_ns);
    }
}

impl Engine<'_> {
    fn now(&self) -> u64 {
        self.state.time_ns
    }

    /// Schedules an event at `time_ns` [ns].
    fn schedule(&mut self, time_ns: u64, kind: EventKind) {
        events::schedule(self.state, time_ns, kind);
    }

    /// Processes all events and receptions up to `until_ns` [ns].
    fn process_until(&mut self, until_ns: u64) {
        loop {
            let reception = self.state.next_reception_ns;
            let event = self.state.events.first().copied();
            if let Some(event) = event.filter(|event| event.time_ns < reception) {
                if event.time_ns > until_ns {
                    return;
                }
                self.process_event(&event);
            } else if reception <= until_ns {
                self.state.time_ns = self.state.time_ns.max(reception);
                let end = self.state.time_ns.saturating_add(agenda::MAX_WINDOW);
                self.process_window(until_ns.min(end));
            } else {
                return;
            }
        }
    }

    /// Processes the first event and removes it.
    fn process_event(&mut self, event: &Event) {
        events::pop(&mut self.state.events);
        self.state.time_ns = event.time_ns;
        match event.kind {
            EventKind::TransmitEnd {
                transmission,
                serial,
            } => {
                if self.is_current(transmission, serial) {
                    self.end_transmission(transmission);
                }
            }
            EventKind::Access { modem, serial } => {
                let state = &mut self.state.modems[modem as usize];
                if state.access_serial == serial && state.is_access_pending {
                    state.is_access_pending = false;
                    self.wake(modem);
                }
            }
            EventKind::Repetition { modem, serial } => {
                if self.state.modems[modem as usize].repetition_serial == serial {
                    self.repeat(modem);
                }
            }
            EventKind::Wake { modem } => self.wake(modem),
            EventKind::PowerCheck { modem } => self.check_power(modem),
        }
    }

    /// Returns true if the event with `serial` belongs to the transmission with this index.
    fn is_current(&self, transmission: u32, serial: u32) -> bool {
        self.state.transmissions.is_used(transmission)
            && self.state.transmissions[transmission].serial == serial
    }
}

/// Returns the state of a modem at the start of a run.
fn start_modem(node: &Node) -> ModemState {
    ModemState {
        is_on: true,
        supply: Supply::Powered,
        power: node.modem.power_w,
        rate: node.modem.rate,
        mac: node.modem.mac.clone(),
        mac_state: MacState::new(&node.modem.mac),
        access_serial: 0,
        is_access_pending: false,
        clock: ClockState {
            since_ns: 0,
            offset_ns: node.modem.clock.offset_ns(),
            skew: node.modem.clock.skew(),
        },
        queue: Vec::new(),
        queued_bytes: 0,
        service: None,
        repetition_serial: 0,
        control: Default::default(),
        transmission: None,
        sequence: 0,
        draws: 0,
        signals: Vec::with_capacity(8),
        carrier: CarrierState::default(),
        range_requests: Vec::new(),
        requested_powers: Vec::new(),
        last_request: 0.0,
        has_station_frame: false,
        discarded_control: 0,
        over_rate: 0,
        energy: EnergyState::default(),
        activity: Activity::Idle,
        activity_ns: 0,
    }
}
