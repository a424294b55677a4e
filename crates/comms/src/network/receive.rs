//! Signals at receivers: start, interference, capture, end, and what a received frame causes:
//! deliveries, acknowledgements, ranges and replies.

use crate::link::reception::ReceivedPowers as Powers;
use crate::mac;
use crate::mac::context::Observation;
use crate::network::commands::MAX_CONTROL;
use crate::network::nodes::Node;
use crate::network::schedule::events;
use crate::network::schedule::events::{RECEPTION_END, RECEPTION_START};
use crate::network::schedule::prefetch::{prefetch, prefetch_all};
use crate::network::{Engine, clock, messages};
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::comms::signal::{BandPart, ControlFrame, ControlKind, Header, Signal};
use merrow_model::state::comms::{
    Delivery, EventKind, LinkSignal, LossCause, ModemState, PacketRecord, RangeResult, Ranging,
    Slab, Transmission,
};

/// Number of entries of the agenda between the current entry and the entry whose data is loaded
/// into the cache.
const LOOK_AHEAD: usize = 4;

impl Engine<'_> {
    /// Processes all starts and ends of receptions and all events up to `until_ns` [ns].
    pub(super) fn process_window(&mut self, until_ns: u64) {
        self.agenda.open(self.state, until_ns);
        loop {
            let due = self.agenda.peek();
            let event = self.state.events.first().copied();
            match (due, event) {
                (Some((time_ns, is_start)), event) => {
                    let class = if is_start {
                        RECEPTION_START
                    } else {
                        RECEPTION_END
                    };
                    if let Some(event) = event
                        && (event.time_ns, events::class(&event)) < (time_ns, class)
                    {
                        self.process_event(&event);
                    } else {
                        self.state.time_ns = time_ns;
                        self.process_reception(is_start);
                    }
                }
                (None, Some(event)) if event.time_ns <= until_ns => self.process_event(&event),
                _ => break,
            }
            if self.agenda.is_outdated() {
                // opens another window at the same instant
                self.state.next_reception_ns = self.state.time_ns;
                break;
            }
        }
        self.agenda.close();
    }

    /// Processes the next entry of the agenda.
    fn process_reception(&mut self, is_start: bool) {
        let Some(due) = self.agenda.entry(0).copied() else {
            return;
        };
        self.load_early();
        self.agenda.skip();
        let transmission = &mut self.state.transmissions[due.transmission];
        if is_start {
            transmission.arrived += 1;
            self.arrive(due.transmission, due.reception);
            return;
        }
        transmission.departed += 1;
        self.depart(due.transmission, due.reception);
        let transmission = &self.state.transmissions[due.transmission];
        if transmission.departed as usize == transmission.receptions.len()
            && !transmission.is_transmitting
        {
            messages::release_transmission(self.state, due.transmission);
        }
    }

    /// Loads data of later entries of the agenda into the cache.
    fn load_early(&self) {
        let state = &*self.state;
        if let Some(due) = self.agenda.entry(2 * LOOK_AHEAD) {
            prefetch_all(state.modems.get(due.to as usize));
        }
        if let Some(due) = self.agenda.entry(LOOK_AHEAD) {
            prefetch(state.modems[due.to as usize].signals.first());
            let transmission = &state.transmissions[due.transmission];
            prefetch(transmission.receptions.get(due.reception as usize));
        }
    }

    fn arrive(&mut self, k: u32, r: u32) {
        let state = &mut *self.state;
        let now = state.time_ns;
        let part = state.transmissions[k].part;
        let reception = state.transmissions[k].receptions[r as usize];
        let to = reception.to as usize;
        let (node, own) = (&self.nodes[to], &mut state.modems[to]);
        if !own.is_on {
            let cause = &mut state.transmissions[k].receptions[r as usize].cause;
            *cause = cause.or(Some(own.cause_of_silence()));
            return;
        }
        let mut signal = Signal {
            transmission: k,
            from: state.transmissions[k].from,
            reception: r,
            part,
            power: f64::from(reception.power),
            noise: f64::from(reception.noise),
            start_ns: now,
            is_sensed: reception.snr() >= node.carrier_sense,
            is_locked: false,
            is_disturbed: false,
            interference: 0.0,
            since_ns: now,
            survival: 1.0,
        };
        if signal.is_sensed {
            if own.carrier.count == 0 {
                own.carrier.since_ns = now;
            }
            own.carrier.count += 1;
        }
        signal.interference = interference(&own.signals, &signal);
        let mut cause = reception.cause;
        if reception.is_decodable && cause.is_none() {
            let is_deaf = own.transmission.is_some() && node.modem.transceiver.half_duplex;
            let rate = state.transmissions[k].rate;
            let detects = |powers: &Powers| node.detects(rate, powers);
            cause = lock(
                node,
                own,
                &mut signal,
                is_deaf,
                detects,
                &mut state.transmissions,
            );
            state.transmissions[k].receptions[r as usize].cause = cause;
        }
        own.signals.push(signal);
        if own.signals.len() > 1 {
            update_interference(node, own, part, &state.transmissions, now);
        }
        if signal.is_sensed
            && self.state.modems[to].transmission.is_some()
            && mac::properties(&self.state.modems[to].mac, node.modem.address).detects_collisions
        {
            self.collide(to as u32);
        }
        self.set_activity(to as u32);
    }

    pub(super) fn depart(&mut self, k: u32, r: u32) {
        let state = &mut *self.state;
        let now = state.time_ns;
        let reception = state.transmissions[k].receptions[r as usize];
        let to = reception.to as usize;
        let (node, own) = (&self.nodes[to], &mut state.modems[to]);
        let mut cause = reception.cause;
        let position = own.signals.iter().position(|s| s.transmission == k);
        match position {
            Some(position) => {
                let mut signal = own.signals.swap_remove(position);
                if signal.is_sensed {
                    own.carrier.count -= 1;
                    if own.carrier.count == 0 {
                        own.carrier.busy_ns += now - own.carrier.since_ns;
                        own.carrier.since_ns = now;
                    }
                }
                if signal.is_locked && cause.is_none() {
                    let transmission = &state.transmissions[k];
                    close_segment(node, &mut signal, transmission, now);
                    cause = decode(node, own, &signal, transmission);
                    cause = cause.or_else(|| lose(node, own));
                }
                if !own.signals.is_empty() {
                    let part = signal.part;
                    update_interference(node, own, part, &state.transmissions, now);
                }
            }
            None => cause = cause.or(Some(own.cause_of_silence())),
        }
        if reception.is_decodable {
            state.transmissions[k].receptions[r as usize].cause = cause;
            self.account(k, r, cause);
        }
        self.set_activity(to as u32);
    }

    /// Accounts for the end of a frame at a receiver that decodes frames of the transmitter.
    fn account(&mut self, k: u32, r: u32, cause: Option<LossCause>) {
        let n = self.nodes.len();
        let now = self.now();
        let transmission = &self.state.transmissions[k];
        let reception = transmission.receptions[r as usize];
        let message = transmission
            .control
            .is_none()
            .then_some(transmission.message);
        let snr = reception.snr();
        match cause {
            None => {
                let link = transmission.from as usize * n + reception.to as usize;
                let signal = &mut self.state.link_signals[link];
                *signal = LinkSignal {
                    snr: snr as f32,
                    power: transmission.power as f32,
                    ..*signal
                };
                self.state.frames.delivered += 1;
            }
            Some(cause) => self.state.frames.lose(cause),
        }
        if self.state.output.packets.limit > 0 {
            let record = PacketRecord {
                time_ns: now,
                start_ns: transmission.start_ns,
                from: transmission.from,
                to: reception.to,
                message: message.map(|message| self.state.messages[message].id),
                fragment: transmission.header.fragment,
                bits: transmission.bits,
                snr,
                cause,
            };
            self.state.output.packets.push(record);
        }
        if let (Some(message), true) = (message, reception.copy != u32::MAX) {
            let at = reception.copy as usize;
            let copy = &mut self.state.messages[message].copies[at];
            copy.in_flight -= 1;
            copy.cause = cause.or(copy.cause);
        }
        match cause {
            None => self.receive(k, r),
            Some(LossCause::Collision | LossCause::BitErrors) => self.observe(k, r, None),
            Some(_) => {}
        }
        if let (Some(message), true) = (message, reception.copy != u32::MAX) {
            messages::settle(self.state, message, reception.copy as usize);
        }
    }

    /// Processes a frame without errors at its receiver.
    fn receive(&mut self, k: u32, r: u32) {
        let transmission = &self.state.transmissions[k];
        let (control, header) = (transmission.control, transmission.header);
        let to = transmission.receptions[r as usize].to;
        let node = &self.nodes[to as usize];
        let is_mine = header.destination == node.modem.address;
        let station = node
            .modem
            .power_control
            .as_ref()
            .map(|control| control.station);
        if station == Some(header.source) && (is_mine || header.destination == BROADCAST) {
            self.state.modems[to as usize].has_station_frame = true;
        }
        match control.map(|frame| frame.kind) {
            None => self.receive_data(k, r, header, is_mine),
            Some(ControlKind::RangeSignal { sent_ns })
                if is_mine || header.destination == BROADCAST =>
            {
                let stamps = [sent_ns; 3];
                self.report_range(k, r, Ranging::OneWay, header, stamps);
            }
            Some(_) if !is_mine => {}
            Some(ControlKind::Acknowledgement) => self.acknowledge(to, header),
            Some(ControlKind::RangeRequest) => {
                let arrival = self.arrival_ns(k, r);
                let kind = ControlKind::RangeReply {
                    arrived_ns: clock::local_ns(&self.state.modems[to as usize].clock, arrival),
                    replied_ns: 0,
                };
                self.reply(to, kind, header);
            }
            Some(ControlKind::RangeReply {
                arrived_ns,
                replied_ns,
            }) => {
                let requests = &mut self.state.modems[to as usize].range_requests;
                let is_answered = |request: &merrow_model::state::comms::modem::RangeRequest| {
                    request.sequence == header.sequence && request.destination == header.source
                };
                if let Some(at) = requests.iter().position(is_answered) {
                    let sent_ns = requests.remove(at).sent_ns;
                    let stamps = [sent_ns, arrived_ns, replied_ns];
                    self.report_range(k, r, Ranging::TwoWay, header, stamps);
                }
            }
            Some(ControlKind::PowerRequest { power }) => {
                self.set_requested_power(to, header.source, power);
            }
            Some(_) => {}
        }
        self.observe(k, r, Some(header));
    }

    fn receive_data(&mut self, k: u32, r: u32, header: Header, is_mine: bool) {
        let transmission = &self.state.transmissions[k];
        let reception = transmission.receptions[r as usize];
        let message = &mut self.state.messages[transmission.message];
        if reception.copy != u32::MAX {
            let copy = &mut message.copies[reception.copy as usize];
            let bit = 1_u64 << header.fragment;
            let all = u64::MAX >> (64 - u32::from(message.fragments));
            if copy.received & bit != 0 {
                self.state.copies.duplicates += 1;
            } else {
                copy.received |= bit;
                if copy.received == all && !copy.is_closed {
                    copy.is_closed = true;
                    message.open -= 1;
                    self.state.copies.delivered += 1;
                    self.deliver(k, r, false);
                }
            }
        } else if self.nodes[reception.to as usize].modem.promiscuous && header.fragments == 1 {
            self.deliver(k, r, true);
        }
        if is_mine && header.is_acknowledged {
            self.reply(reception.to, ControlKind::Acknowledgement, header);
        }
    }

    /// Appends a message to the output.
    fn deliver(&mut self, k: u32, r: u32, is_overheard: bool) {
        let transmission = &self.state.transmissions[k];
        let reception = &transmission.receptions[r as usize];
        let message = &self.state.messages[transmission.message];
        let output = &mut self.state.output;
        // the copies of a broadcast share their payload
        let is_same = |last: &&Delivery| last.message == message.id;
        let payload_start = match output.deliveries.last().filter(is_same) {
            Some(last) => last.payload_start,
            None => {
                output.payloads.extend_from_slice(&message.payload);
                output.payloads.len() - message.payload.len()
            }
        };
        output.deliveries.push(Delivery {
            message: message.id,
            from: transmission.from,
            to: reception.to,
            destination: message.destination,
            is_overheard,
            is_bridged: message.is_bridged,
            created_ns: message.created_ns,
            transmitted_ns: transmission.start_ns,
            received_ns: self.state.time_ns,
            snr: reception.snr(),
            doppler: f64::from(reception.doppler),
            payload_start,
            payload_len: message.payload.len(),
            published_ns: 0,
        });
    }

    /// Returns the simulated time at which a signal started to arrive [ns].
    fn arrival_ns(&self, k: u32, r: u32) -> u64 {
        let transmission = &self.state.transmissions[k];
        transmission.start_ns + transmission.receptions[r as usize].delay_ns
    }

    /// Queues the reply to a frame.
    fn reply(&mut self, m: u32, kind: ControlKind, header: Header) {
        let ready_ns = self.now() + self.nodes[m as usize].modem.transceiver.turn_around_ns();
        let address = self.nodes[m as usize].modem.address;
        let own = mac::properties(&self.state.modems[m as usize].mac, address);
        self.queue_control(
            m,
            ControlFrame {
                kind,
                destination: header.source,
                sequence: header.sequence,
                fragment: header.fragment,
                ready_ns,
                is_immediate: !own.defers_replies,
            },
        );
    }

    /// Queues a control frame, or counts it if [`MAX_CONTROL`] frames wait.
    pub(super) fn queue_control(&mut self, m: u32, frame: ControlFrame) {
        let own = &mut self.state.modems[m as usize];
        if own.control.len() < MAX_CONTROL {
            own.control.push_back(frame);
            self.schedule(frame.ready_ns, EventKind::Wake { modem: m });
        } else {
            own.discarded_control += 1;
        }
    }

    /// Reports a range; `stamps`: times of transmission, of the arrival of the request and of the
    /// reply, by the clocks of the modems [ns].
    fn report_range(&mut self, k: u32, r: u32, kind: Ranging, header: Header, stamps: [i64; 3]) {
        let transmission = &self.state.transmissions[k];
        let reception = &transmission.receptions[r as usize];
        let arrival = transmission.start_ns + reception.delay_ns;
        let own = &self.state.modems[reception.to as usize];
        let result = RangeResult {
            kind,
            modem: reception.to,
            other: transmission.from,
            sequence: header.sequence,
            sent_ns: stamps[0],
            arrived_ns: stamps[1],
            replied_ns: stamps[2],
            received_ns: clock::local_ns(&own.clock, arrival),
            true_transmission_ns: transmission.start_ns,
            true_arrival_ns: arrival,
            snr: reception.snr(),
            doppler: f64::from(reception.doppler),
            direction: None,
            range_error: 0.0,
            published_ns: 0,
        };
        self.state.output.ranges.push(result);
    }

    /// Stores the transmit power [W] that another modem requested.
    fn set_requested_power(&mut self, m: u32, address: u16, power: f64) {
        let power = power.min(self.nodes[m as usize].modem.transceiver.max_power_w);
        let powers = &mut self.state.modems[m as usize].requested_powers;
        match powers.binary_search_by_key(&address, |(of, _)| *of) {
            Ok(at) => powers[at].1 = power,
            Err(at) => powers.insert(at, (address, power)),
        }
    }

    /// Reports the end of a frame to the medium access of its receiver; `None`: it was damaged.
    fn observe(&mut self, k: u32, r: u32, header: Option<Header>) {
        let transmission = &self.state.transmissions[k];
        let to = transmission.receptions[r as usize].to;
        let address = self.nodes[to as usize].modem.address;
        if !mac::properties(&self.state.modems[to as usize].mac, address).observes {
            return;
        }
        let seen = Observation {
            is_intact: header.is_some(),
            control: header.and(transmission.control).map(|control| control.kind),
            source: header.map_or(0, |header| header.source),
            is_for_me: header.is_some_and(|header| header.destination == address),
        };
        let needs_decision = self.with_mac(to, false, None, |protocol, state, cx| {
            mac::observe(protocol, state, cx, &seen)
        });
        if needs_decision {
            self.state.modems[to as usize].is_access_pending = false;
            self.wake(to);
        }
    }
}

/// Returns the fraction of the power of a signal in part `of` that lies in part `inside`.
fn share(of: BandPart, inside: BandPart) -> f64 {
    if of == inside {
        return 1.0;
    }
    let edges = |part: BandPart| {
        let n = f64::from(part.count);
        [f64::from(part.index) / n, (f64::from(part.index) + 1.0) / n]
    };
    let ([a, b], [c, d]) = (edges(of), edges(inside));
    ((b.min(d) - a.max(c)) / (b - a)).max(0.0)
}

/// Returns true if two parts of the band have a common part.
fn overlaps(a: BandPart, b: BandPart) -> bool {
    let [a_index, a_count] = [u32::from(a.index), u32::from(a.count)];
    let [b_index, b_count] = [u32::from(b.index), u32::from(b.count)];
    a_index * b_count < (b_index + 1) * a_count && b_index * a_count < (a_index + 1) * b_count
}

/// Returns the powers at the receiver of a signal.
fn powers_of(signal: &Signal) -> Powers {
    Powers {
        signal: signal.power,
        noise: signal.noise,
        interference: signal.interference,
    }
}

/// Returns the power of the signals of other modems in the part of the band of `signal`.
///
/// Consecutive frames of one modem overlap at the receiver while the modems approach each other.
/// They are one compressed signal and do not interfere.
fn interference(signals: &[Signal], signal: &Signal) -> f64 {
    let others = signals.iter().filter(|s| s.from != signal.from);
    others
        .map(|other| other.power * share(other.part, signal.part))
        .sum()
}

/// Locks the receiver to a new signal, or returns the cause of the loss.
fn lock(
    node: &Node,
    own: &mut ModemState,
    signal: &mut Signal,
    is_deaf: bool,
    detects: impl Fn(&Powers) -> bool,
    transmissions: &mut Slab<Transmission>,
) -> Option<LossCause> {
    if is_deaf {
        return Some(LossCause::HalfDuplex);
    }
    let powers = powers_of(signal);
    let undisturbed = Powers {
        interference: 0.0,
        ..powers
    };
    if !detects(&undisturbed) {
        return Some(LossCause::BelowThreshold);
    }
    let (part, from) = (signal.part, signal.from);
    let is_held = |s: &&mut Signal| s.is_locked && s.from != from && overlaps(s.part, part);
    if own.signals.iter_mut().any(|s| is_held(&s)) {
        if powers.sinr() < node.capture {
            return Some(LossCause::Collision);
        }
        for other in own.signals.iter_mut().filter(is_held) {
            other.is_locked = false;
            let lost = &mut transmissions[other.transmission].receptions[other.reception as usize];
            lost.cause = lost.cause.or(Some(LossCause::Collision));
        }
    } else if signal.interference > 0.0 && !detects(&powers) {
        return Some(LossCause::Collision);
    }
    signal.is_locked = true;
    signal.is_disturbed = signal.interference > 0.0;
    None
}

/// Applies the signals that changed in `part` to the signals that are being decoded.
fn update_interference(
    node: &Node,
    own: &mut ModemState,
    part: BandPart,
    transmissions: &Slab<Transmission>,
    now: u64,
) {
    for at in 0..own.signals.len() {
        if !own.signals[at].is_locked || !overlaps(own.signals[at].part, part) {
            continue;
        }
        let power = interference(&own.signals, &own.signals[at]);
        let signal = &mut own.signals[at];
        if power != signal.interference {
            let transmission = &transmissions[signal.transmission];
            close_segment(node, signal, transmission, now);
            signal.interference = power;
            signal.is_disturbed |= power > 0.0;
        }
    }
}

/// Multiplies the survival probability of a frame by the survival probability of the bits since the
/// last change of the interference.
fn close_segment(node: &Node, signal: &mut Signal, transmission: &Transmission, now: u64) {
    let elapsed = now - signal.since_ns;
    signal.since_ns = now;
    if elapsed == 0 {
        return;
    }
    if node.modem.transceiver.destructive_overlap && signal.interference > 0.0 {
        signal.survival = 0.0;
        return;
    }
    let bits = f64::from(transmission.bits) * elapsed as f64 / transmission.duration_ns as f64;
    let error = node.packet_error(transmission.rate, &powers_of(signal), bits);
    signal.survival *= (1.0 - error).clamp(0.0, 1.0);
}

/// Draws whether a received frame is lost by the loss probability of the network.
fn lose(node: &Node, own: &mut ModemState) -> Option<LossCause> {
    let probability = node.modem.transceiver.loss_probability;
    if probability == 0.0 {
        return None;
    }
    let drawn = node.stream.draw(own.draws).uniform();
    own.draws += 1;
    (drawn < probability).then_some(LossCause::RandomLoss)
}

/// Draws whether a frame that was decoded to its end has an error, and returns the cause of the
/// error.
fn decode(
    node: &Node,
    own: &mut ModemState,
    signal: &Signal,
    transmission: &Transmission,
) -> Option<LossCause> {
    if signal.survival >= 1.0 {
        return None;
    }
    let drawn = node.stream.draw(own.draws).uniform();
    own.draws += 1;
    if drawn < signal.survival {
        return None;
    }
    if !signal.is_disturbed {
        return Some(LossCause::BitErrors);
    }
    let bits = f64::from(transmission.bits);
    let undisturbed = Powers {
        interference: 0.0,
        ..powers_of(signal)
    };
    let error = node.packet_error(transmission.rate, &undisturbed, bits);
    Some(if drawn >= 1.0 - error {
        LossCause::BitErrors
    } else {
        LossCause::Collision
    })
}
