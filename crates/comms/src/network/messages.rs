//! Ends of messages and transmissions, and the counters of their copies.

use crate::network::activity;
use crate::network::nodes::Node;
use crate::network::schedule::agenda;
use merrow_model::state::comms::mac::MacState;
use merrow_model::state::comms::modem::{CarrierState, ServicePhase};
use merrow_model::state::comms::{LossCause, NetworkState, PacketRecord};

/// Removes the message at a position of the queue and returns its index.
pub(super) fn remove(state: &mut NetworkState, from: usize, position: usize) -> u32 {
    let k = state.modems[from].queue.remove(position);
    state.modems[from].queued_bytes -= state.messages[k].payload.len();
    k
}

/// Ends the attempts to transmit a message. A copy that is neither closed nor in flight is lost,
/// with the cause of the last loss of one of its frames, or with `cause` if none of its frames was
/// lost.
pub(super) fn finish(state: &mut NetworkState, k: u32, cause: LossCause) {
    state.messages[k].is_done = true;
    for at in 0..state.messages[k].copies.len() {
        let copy = &state.messages[k].copies[at];
        if !copy.is_closed && copy.in_flight == 0 {
            let cause = copy.cause.unwrap_or(cause);
            lose_copy(state, k, at, cause);
        }
    }
    if state.messages[k].transmissions == 0 {
        state.messages.release(k);
    }
}

/// Closes a copy as lost.
pub(super) fn lose_copy(state: &mut NetworkState, k: u32, at: usize, cause: LossCause) {
    let message = &mut state.messages[k];
    message.open -= 1;
    message.copies[at].is_closed = true;
    state.copies.lose(cause);
    // a lost frame already has a record
    if message.copies[at].cause.is_none() {
        state.output.packets.push(PacketRecord {
            time_ns: state.time_ns,
            start_ns: message.created_ns,
            from: message.from,
            to: message.copies[at].to,
            message: Some(message.id),
            fragment: 0,
            bits: 0,
            snr: 0.0,
            cause: Some(cause),
        });
    }
}

/// Closes copy `at` as lost if its transmitter has ended its attempts and none of its frames is in
/// flight.
pub(super) fn settle(state: &mut NetworkState, k: u32, at: usize) {
    let message = &state.messages[k];
    let copy = &message.copies[at];
    if message.is_done && copy.in_flight == 0 && !copy.is_closed {
        let cause = copy.cause.unwrap_or(LossCause::TimeOut);
        lose_copy(state, k, at, cause);
    }
}

/// Releases a transmission that has ended at the transmitter and at all receivers. Releases its
/// message too if the message is done and has no other transmission.
pub(super) fn release_transmission(state: &mut NetworkState, k: u32) {
    let transmission = &state.transmissions[k];
    let n = state.modems.len();
    let row = &mut state.links[transmission.from as usize * n..][..n];
    for reception in transmission.receptions.iter().filter(|r| r.is_decodable) {
        let link = &mut row[reception.to as usize];
        link.frames += 1;
        link.airtime_ns += transmission.duration_ns;
        match reception.cause {
            None => {
                link.received += 1;
                link.bits += u64::from(transmission.bits);
            }
            Some(LossCause::RandomLoss) => link.random_losses += 1,
            Some(_) => {}
        }
    }
    let (control, message) = (transmission.control, transmission.message);
    state.transmissions.release(k);
    if control.is_none() {
        let owner = &mut state.messages[message];
        owner.transmissions -= 1;
        if owner.transmissions == 0 && owner.is_done {
            state.messages.release(message);
        }
    }
}

/// Resets a frame that waits for the result of medium access to the state before access.
pub(super) fn restart_service(state: &mut NetworkState, modem: u32) {
    if let Some(service) = &mut state.modems[modem as usize].service
        && service.phase == ServicePhase::AwaitsResult
    {
        service.phase = ServicePhase::Ready;
    }
}

/// Ends the current transmission of a modem; its receptions that have not ended are lost.
pub(super) fn abort(nodes: &[Node], state: &mut NetworkState, modem: u32, cause: LossCause) {
    let own = &mut state.modems[modem as usize];
    let Some(k) = own.transmission.take() else {
        return;
    };
    let now = state.time_ns;
    let transmission = &mut state.transmissions[k];
    transmission.serial = state.sequence as u32;
    state.sequence += 1;
    transmission.is_aborted = true;
    transmission.is_transmitting = false;
    transmission.duration_ns = now - transmission.start_ns;
    if transmission.duration_ns == 0 {
        // the receptions end before they start
        transmission.arrived = transmission.receptions.len() as u32;
    }
    for reception in &mut transmission.receptions[transmission.departed as usize..] {
        reception.cause = reception.cause.or(Some(cause));
    }
    let power = activity::transmit_power(&nodes[modem as usize], transmission.power);
    own.energy.transmit += power * transmission.duration_ns as f64 * 1e-9;
    let next = agenda::next_ns(transmission);
    match next {
        Some(at) => state.next_reception_ns = state.next_reception_ns.min(at),
        None => release_transmission(state, k),
    }
}

/// Switches a modem off: its queue, its frames and the frames that arrive are lost for
/// `cause`.
pub(super) fn switch_off(nodes: &[Node], state: &mut NetworkState, modem: u32, cause: LossCause) {
    let m = modem as usize;
    activity::account_time(state, modem);
    let service = state.modems[m].service.take();
    abort(nodes, state, modem, cause);
    if let Some(service) = service {
        finish(state, service.message, cause);
    }
    while !state.modems[m].queue.is_empty() {
        let k = remove(state, m, 0);
        finish(state, k, cause);
    }
    let now = state.time_ns;
    let own = &mut state.modems[m];
    for signal in &own.signals {
        let reception =
            &mut state.transmissions[signal.transmission].receptions[signal.reception as usize];
        reception.cause = reception.cause.or(Some(cause));
    }
    if own.carrier.count > 0 {
        own.carrier = CarrierState {
            count: 0,
            since_ns: now,
            busy_ns: own.carrier.busy_ns + (now - own.carrier.since_ns),
        };
    }
    own.signals.clear();
    own.discarded_control += own.control.len() as u64;
    own.control.clear();
    own.range_requests.clear();
    own.mac_state = MacState::new(&own.mac);
    own.is_access_pending = false;
    own.repetition_serial = own.repetition_serial.wrapping_add(1);
    own.is_on = false;
}
