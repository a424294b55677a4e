//! Messages: acceptance, queue, end of service, and the counters of their copies.

use crate::network::activity;
use crate::network::commands::{MessageGroup, Send};
use crate::network::nodes::Node;
use crate::network::schedule::agenda;
use merrow_model::scene::comms::{BROADCAST, DropPolicy};
use merrow_model::state::comms::mac::MacState;
use merrow_model::state::comms::modem::{CarrierState, ServicePhase};
use merrow_model::state::comms::{Copy, LossCause, NetworkState, PacketRecord};

/// Creates a message and puts it into the queue; returns its number.
pub(super) fn accept(nodes: &[Node], state: &mut NetworkState, send: &Send<'_>) -> u64 {
    let node = &nodes[send.modem];
    let id = state.next_message;
    state.next_message += 1;
    let k = state.messages.allocate();
    let modem = &mut state.modems[send.modem];
    let message = &mut state.messages[k];
    message.id = id;
    message.is_bridged = send.is_bridged;
    message.from = send.modem as u32;
    message.destination = send.destination;
    message.priority = send.priority;
    message.is_acknowledged = send.is_acknowledged;
    message.key = send.group.map(|group| group.key);
    message.max_age_ns = send.group.and_then(|group| group.limits.max_age_ns);
    message.power = send.power;
    message.sequence = modem.sequence;
    modem.sequence = modem.sequence.wrapping_add(1);
    let frames = send
        .payload
        .len()
        .div_ceil(node.modem.transceiver.framing.max_payload_bytes);
    message.fragments = frames.max(1) as u8;
    message.created_ns = state.time_ns;
    message.payload.extend_from_slice(send.payload);
    let is_addressed = |address: u16| [BROADCAST, address].contains(&send.destination);
    let addressed = node.neighbours.iter();
    let addressed = addressed.filter(|n| n.is_decodable && is_addressed(n.address));
    message.copies.extend(addressed.map(|n| Copy {
        to: n.to,
        ..Copy::default()
    }));
    message.open = message.copies.len() as u32;
    state.copies.entered += u64::from(message.open);
    if modem.is_on {
        enqueue(node, state, k, send.group);
    } else {
        let cause = modem.cause_of_silence();
        finish(state, k, cause);
    }
    id
}

/// Puts a message into the queue of its modem, or discards it or others if the queue is full.
fn enqueue(node: &Node, state: &mut NetworkState, k: u32, group: Option<MessageGroup>) {
    let message = &state.messages[k];
    let (from, size, priority) = (
        message.from as usize,
        message.payload.len(),
        message.priority,
    );
    let mut place = None;
    if let Some(limits) = group.map(|group| group.limits)
        && let Some(max_messages) = limits.max_messages
    {
        let (count, oldest) = waiting_of_group(state, k);
        if let Some(position) = oldest.filter(|_| count >= max_messages) {
            if limits.policy != DropPolicy::Oldest {
                return finish(state, k, LossCause::QueueOverflow);
            }
            let old = remove(state, from, position);
            // a message that replaces the only one keeps its place
            let keeps_place = count == 1 && state.messages[old].priority == priority;
            place = keeps_place.then_some(position);
            finish(state, old, LossCause::Replaced);
        }
    }
    loop {
        let modem = &state.modems[from];
        if modem.queue.len() < node.modem.queue.max_messages
            && modem.queued_bytes + size <= node.modem.queue.max_size_bytes
        {
            break;
        }
        let Some(position) = victim(node.modem.queue.policy, state, from, priority) else {
            return finish(state, k, LossCause::QueueOverflow);
        };
        let old = remove(state, from, position);
        // discarding a message before the place of the replaced message shifts the place
        place = place.map(|at| if position < at { at - 1 } else { at });
        finish(state, old, LossCause::QueueOverflow);
    }
    let own = &mut state.modems[from];
    let comes_first = |other: &u32| state.messages[*other].priority >= priority;
    let place = place.unwrap_or_else(|| own.queue.partition_point(comes_first));
    own.queue.insert(place, k);
    own.queued_bytes += size;
}

/// Returns the number of waiting messages with the key and the destination of message `k`, and the
/// position of the oldest one.
fn waiting_of_group(state: &NetworkState, k: u32) -> (usize, Option<usize>) {
    let message = &state.messages[k];
    let queue = &state.modems[message.from as usize].queue;
    let is_in_group = |other: &u32| {
        let other = &state.messages[*other];
        other.key == message.key && other.destination == message.destination
    };
    let mut count = 0;
    let waiting = (0..queue.len()).filter(|at| is_in_group(&queue[*at]));
    let counted = waiting.inspect(|_| count += 1);
    let oldest = counted.min_by_key(|at| state.messages[queue[*at]].id);
    (count, oldest)
}

/// Returns the position of the message that a full queue discards; `None`: the new message.
fn victim(policy: DropPolicy, state: &NetworkState, from: usize, priority: u8) -> Option<usize> {
    let queue = &state.modems[from].queue;
    match policy {
        DropPolicy::Newest => None,
        DropPolicy::Oldest => (0..queue.len()).min_by_key(|at| state.messages[queue[*at]].id),
        DropPolicy::LowestPriority => {
            let last = queue.len().checked_sub(1)?;
            (state.messages[queue[last]].priority < priority).then_some(last)
        }
    }
}

/// Removes the message at a position of the queue and returns its index.
pub(super) fn remove(state: &mut NetworkState, from: usize, position: usize) -> u32 {
    let k = state.modems[from].queue.remove(position);
    state.modems[from].queued_bytes -= state.messages[k].payload.len();
    k
}

/// Removes the next message that has not exceeded its maximum age from the queue and returns its
/// index.
pub(super) fn dequeue(node: &Node, state: &mut NetworkState, from: usize) -> Option<u32> {
    while !state.modems[from].queue.is_empty() {
        let k = remove(state, from, 0);
        let message = &state.messages[k];
        let age = state.time_ns - message.created_ns;
        let limits = [node.modem.queue.max_age_ns(), message.max_age_ns];
        if limits.into_iter().flatten().any(|limit| age > limit) {
            finish(state, k, LossCause::TimeOut);
            continue;
        }
        state.messages[k].is_in_service = true;
        return Some(k);
    }
    None
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
