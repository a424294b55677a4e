//! Replacement of the modems of a running network: modems are added and removed.
//!
//! The modems in both networks keep their queues, frames in flight, links and counters. A removed
//! modem loses its messages and frames, and the frames in transit to it, with the cause
//! [`LossCause::Removed`]. A new modem does not receive the frames that are in flight at its start.

use crate::network::nodes::Node;
use crate::network::schedule::{agenda, events};
use crate::network::{Engine, Network, messages};
use crate::propagation::Propagation;
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::comms::{Copy, Event, EventKind, LossCause, Message, NetworkState};

impl Network {
    /// Removes the modems without a target from the traffic. Their messages and frames, and the
    /// frames in transit to them, are lost. `targets` contains the index of each modem in the
    /// next network.
    pub fn remove(&mut self, state: &mut NetworkState, targets: &[Option<usize>]) {
        let is_removed = |modem: u32| targets[modem as usize].is_none();
        for modem in (0..targets.len() as u32).filter(|modem| is_removed(*modem)) {
            if state.modems[modem as usize].is_on {
                messages::switch_off(&self.nodes, state, modem, LossCause::Removed);
            }
        }
        let used: Vec<u32> = state.transmissions.iter().map(|(k, _)| k).collect();
        // no transmission starts here
        let silence = |_: usize, _: usize, _: u64, _: f64| Propagation::default();
        let mut engine = self.engine(state, &silence);
        for k in used {
            engine.end_receptions(k, &is_removed);
        }
        let transmissions = state.transmissions.iter();
        let next = transmissions.filter_map(|(_, transmission)| agenda::next_ns(transmission));
        state.next_reception_ns = next.min().unwrap_or(u64::MAX);
        lose_copies(state, &is_removed);
    }

    /// Returns the state of this network that continues `before`, the state of the network `old`
    /// after [`Self::remove`]. `targets` contains the index of each modem of `old` in this network.
    pub fn continue_from(
        &self,
        old: &Self,
        mut before: NetworkState,
        targets: &[Option<usize>],
    ) -> NetworkState {
        let target = |modem: u32| targets[modem as usize].map_or(u32::MAX, |k| k as u32);
        let (n, n_old) = (self.nodes.len(), old.nodes.len());
        let mut now = self.start();
        let new_events = std::mem::take(&mut now.events);
        let mut is_new = vec![true; n];
        for (k, to) in targets
            .iter()
            .enumerate()
            .filter_map(|(k, t)| Some((k, (*t)?)))
        {
            std::mem::swap(&mut now.modems[to], &mut before.modems[k]);
            is_new[to] = false;
            for signal in &mut now.modems[to].signals {
                signal.from = target(signal.from);
            }
            for (other, column) in targets.iter().enumerate() {
                if let Some(column) = column {
                    now.links[to * n + column] = before.links[k * n_old + other];
                    now.link_signals[to * n + column] = before.link_signals[k * n_old + other];
                }
            }
        }
        for (modem, _) in now
            .modems
            .iter_mut()
            .zip(&is_new)
            .filter(|(_, is_new)| **is_new)
        {
            modem.activity_ns = before.time_ns;
            modem.carrier.since_ns = before.time_ns;
        }
        (before.modems, before.links) = (now.modems, now.links);
        before.link_signals = now.link_signals;
        before.events = moved_events(&before.events, target);
        for event in new_events {
            if is_new[modem_of(&event.kind).unwrap_or_default() as usize] {
                let at = before.time_ns + event.time_ns;
                events::schedule(&mut before, at, event.kind);
            }
        }
        self.move_messages(&mut before, target);
        before
    }

    /// Converts the indices in messages and transmissions.
    fn move_messages(&self, state: &mut NetworkState, target: impl Fn(u32) -> u32) {
        let (messages, transmissions) = (&mut state.messages, &mut state.transmissions);
        for (message, _) in used_items(&mut messages.items, &messages.used) {
            message.from = target(message.from);
            message.copies.iter_mut().for_each(|c| c.to = target(c.to));
            message.copies.retain(|copy| copy.to != u32::MAX);
            // the messages of removed modems end with their last transmission
            let node = self.nodes.get(message.from as usize);
            if let Some(node) = node.filter(|_| message.destination == BROADCAST) {
                state.copies.entered += add_receivers(node, message);
            }
        }
        for (transmission, _) in used_items(&mut transmissions.items, &transmissions.used) {
            transmission.from = target(transmission.from);
            // a control frame has no message
            let own = messages.items.get(transmission.message as usize);
            let own = own.map_or(&[][..], |message| &message.copies);
            for reception in &mut transmission.receptions {
                reception.to = target(reception.to);
                if reception.copy != u32::MAX {
                    let copy = own.iter().position(|copy| copy.to == reception.to);
                    reception.copy = copy.map_or(u32::MAX, |k| k as u32);
                }
            }
        }
    }
}

impl Engine<'_> {
    /// Ends the receptions of transmission `k` from or at removed modems, as lost.
    fn end_receptions(&mut self, k: u32, is_removed: &impl Fn(u32) -> bool) {
        let all = is_removed(self.state.transmissions[k].from);
        let mut r = 0;
        while r < self.state.transmissions[k].receptions.len() {
            let transmission = &mut self.state.transmissions[k];
            let reception = &mut transmission.receptions[r];
            if !all && !is_removed(reception.to) {
                r += 1;
                continue;
            }
            let is_open = r >= transmission.departed as usize;
            if is_open {
                reception.cause = reception.cause.or(Some(LossCause::Removed));
                self.depart(k, r as u32);
            }
            let transmission = &mut self.state.transmissions[k];
            transmission.receptions.remove(r);
            transmission.arrived -= u32::from(r < transmission.arrived as usize);
            transmission.departed -= u32::from(!is_open);
            for modem in &mut self.state.modems {
                let own = modem.signals.iter_mut().filter(|s| s.transmission == k);
                own.for_each(|s| s.reception -= u32::from(s.reception as usize > r));
            }
        }
        let transmission = &self.state.transmissions[k];
        let is_over = transmission.departed as usize == transmission.receptions.len();
        if is_over && !transmission.is_transmitting {
            messages::release_transmission(self.state, k);
        }
    }
}

/// Closes the copies for removed modems, and ends the service of messages for them only.
fn lose_copies(state: &mut NetworkState, is_removed: &impl Fn(u32) -> bool) {
    let used: Vec<u32> = state.messages.iter().map(|(k, _)| k).collect();
    for k in used {
        for at in 0..state.messages[k].copies.len() {
            let copy = &state.messages[k].copies[at];
            if is_removed(copy.to) && !copy.is_closed {
                messages::lose_copy(state, k, at, LossCause::Removed);
            }
        }
        let message = &state.messages[k];
        let is_for_removed = message.copies.iter().all(|copy| is_removed(copy.to));
        if message.destination != BROADCAST && is_for_removed && !message.is_done {
            let from = message.from as usize;
            let own = &mut state.modems[from];
            if let Some(position) = own.queue.iter().position(|waiting| *waiting == k) {
                messages::remove(state, from, position);
            } else if own.service.is_some_and(|service| service.message == k) {
                own.service = None;
                own.is_access_pending = false;
                own.repetition_serial = own.repetition_serial.wrapping_add(1);
                let wake = EventKind::Wake { modem: from as u32 };
                events::schedule(state, state.time_ns, wake);
            }
            messages::finish(state, k, LossCause::Removed);
        }
    }
}

/// Adds copies for the new receivers of a broadcast, in the order of the receivers. Returns the
/// number of open copies: a message that is in service is not for the new receivers.
fn add_receivers(node: &Node, message: &mut Message) -> u64 {
    let former = std::mem::take(&mut message.copies);
    let mut added = 0;
    for neighbour in node.neighbours.iter().filter(|n| n.is_decodable) {
        let known = former.iter().find(|copy| copy.to == neighbour.to);
        let new = Copy {
            to: neighbour.to,
            is_closed: message.is_in_service,
            ..Copy::default()
        };
        added += u32::from(known.is_none() && !new.is_closed);
        message.copies.push(known.copied().unwrap_or(new));
    }
    message.open += added;
    u64::from(added)
}

/// Returns the events of the modems that exist in both networks, with the new indices.
fn moved_events(before: &[Event], target: impl Fn(u32) -> u32) -> Vec<Event> {
    let moved = |event: &Event| {
        let mut event = *event;
        if let EventKind::Access { modem, .. }
        | EventKind::Repetition { modem, .. }
        | EventKind::Wake { modem }
        | EventKind::PowerCheck { modem } = &mut event.kind
        {
            *modem = target(*modem);
        }
        (modem_of(&event.kind) != Some(u32::MAX)).then_some(event)
    };
    let mut events: Vec<Event> = before.iter().filter_map(moved).collect();
    // a sorted list is a heap
    events.sort_unstable_by_key(|event| (event.time_ns, event.order));
    events
}

/// Returns the modem of an event; `None` for the end of a transmission.
fn modem_of(kind: &EventKind) -> Option<u32> {
    match *kind {
        EventKind::TransmitEnd { .. } => None,
        EventKind::Access { modem, .. }
        | EventKind::Repetition { modem, .. }
        | EventKind::Wake { modem }
        | EventKind::PowerCheck { modem } => Some(modem),
    }
}

/// Iterates over the items in use.
fn used_items<'a, T>(
    items: &'a mut [T],
    used: &'a [bool],
) -> impl Iterator<Item = (&'a mut T, &'a bool)> {
    items.iter_mut().zip(used).filter(|(_, is_used)| **is_used)
}
