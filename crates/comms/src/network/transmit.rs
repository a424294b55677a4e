//! Transmissions, from the queue to the signals at all receivers: the next frame of a modem, its
//! power and rate, its start and its end.

use crate::link::rate::select_scheme;
use crate::link::reception::ReceivedPowers as Powers;
use crate::mac;
use crate::mac::Decision;
use crate::network::nodes::{Neighbour, Node};
use crate::network::{Engine, activity, messages};
use crate::propagation::Propagation;
use merrow_math::decibels::level;
use merrow_model::scene::comms::{BROADCAST, RateChoice};
use merrow_model::state::comms::modem::{Service, ServicePhase};
use merrow_model::state::comms::signal::{BandPart, ControlFrame, Header};
use merrow_model::state::comms::{
    EventKind, LossCause, Message, NetworkState, PacketRecord, Reception,
};

/// Ratio to the noise and to the detection threshold below which a signal is neglected: -20 dB.
const NEGLIGIBLE: f64 = 0.01;
/// Bits of the number of a reception in a sort key.
const INDEX_BITS: u32 = 20;
/// Longest travel time in a sort key [ns]: about 4.9 h.
const MAX_DELAY: u64 = (1 << (64 - INDEX_BITS)) - 1;
/// Size, rate and duration of a frame.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) bits: u32,
    pub(super) rate: usize,
    pub(super) part: BandPart,
    pub(super) duration_ns: u64,
    /// Data rate in the part of the band [bit/s].
    pub(super) bit_rate: f64,
}

impl Engine<'_> {
    /// Transmits or plans the next frame that waits at a modem.
    pub(super) fn wake(&mut self, m: u32) {
        self.decide(m);
        self.set_activity(m);
    }

    fn decide(&mut self, m: u32) {
        let now = self.now();
        loop {
            let own = &mut self.state.modems[m as usize];
            if !own.is_on || own.transmission.is_some() {
                return;
            }
            if let Some(at) = own.control.iter().position(|frame| frame.is_immediate) {
                // medium access waits until the reply is transmitted
                if own.control[at].ready_ns <= now
                    && let Some(frame) = own.control.remove(at)
                {
                    self.start_control(m, frame);
                }
                return;
            }
            if own.is_access_pending {
                return;
            }
            let control = own.control.front().copied();
            let control = control.filter(|frame| frame.ready_ns <= now);
            let plan = match &control {
                Some(frame) => {
                    let bits = self.control_bits(m as usize, &frame.kind);
                    Some(self.plan(m as usize, bits, frame.destination))
                }
                None => self.plan_service(m),
            };
            let node = &self.nodes[m as usize];
            let protocol = &self.state.modems[m as usize].mac;
            if plan.is_none() && !mac::properties(protocol, node.modem.address).drives_itself {
                return;
            }
            let decision = self.with_mac(m, plan.is_some(), plan.as_ref(), mac::decide);
            if !self.execute(m, decision, control.is_some()) {
                return;
            }
        }
    }

    /// Executes a decision about the frame that waits. Returns true if another decision is
    /// necessary.
    fn execute(&mut self, m: u32, decision: Decision, is_control: bool) -> bool {
        let now = self.now();
        let own = &mut self.state.modems[m as usize];
        match decision {
            Decision::Transmit if is_control => {
                if let Some(frame) = own.control.pop_front() {
                    self.start_control(m, frame);
                }
                false
            }
            Decision::Transmit => {
                self.start_data(m);
                false
            }
            Decision::WaitUntil(at) => {
                own.access_serial = own.access_serial.wrapping_add(1);
                own.is_access_pending = true;
                let serial = own.access_serial;
                self.schedule(at.max(now + 1), EventKind::Access { modem: m, serial });
                false
            }
            Decision::Hold => false,
            Decision::Drop(_) if is_control => {
                own.control.pop_front();
                own.discarded_control += 1;
                true
            }
            Decision::Drop(cause) => {
                if let Some(service) = own.service.take() {
                    messages::finish(self.state, service.message, cause);
                }
                true
            }
            Decision::Control(kind, destination) => {
                let mut frame = own.control_frame(kind, destination, now);
                frame.is_immediate = true;
                self.start_control(m, frame);
                false
            }
            Decision::Result(is_received) => {
                if is_received {
                    self.advance_service(m);
                } else {
                    self.count_retry(m);
                }
                true
            }
        }
    }

    /// Plans the current frame of the message in service. If no message is in service, the next
    /// message of the queue enters service first. `None`: no frame waits for medium access.
    fn plan_service(&mut self, m: u32) -> Option<Plan> {
        let at = m as usize;
        if self.state.modems[at].service.is_none() {
            let message = dequeue(&self.nodes[at], self.state, at)?;
            self.state.modems[at].service = Some(Service {
                message,
                fragment: 0,
                retries: 0,
                phase: ServicePhase::Ready,
            });
        }
        let service = self.state.modems[at].service?;
        match service.phase {
            ServicePhase::Ready | ServicePhase::AwaitsResult => {
                let bits = self.data_bits(at, service.message, service.fragment);
                let destination = self.state.messages[service.message].destination;
                Some(self.plan(at, bits, destination))
            }
            ServicePhase::Transmitting
            | ServicePhase::AwaitsAcknowledgement
            | ServicePhase::BacksOff => None,
        }
    }

    /// Returns the band part, data rate and duration of a frame of `bits` bits from modem `m` to
    /// `destination`.
    pub(super) fn plan(&self, m: usize, bits: u32, destination: u16) -> Plan {
        let (node, own) = (&self.nodes[m], &self.state.modems[m]);
        let part = mac::properties(&own.mac, node.modem.address).part;
        let rate = match own.rate {
            RateChoice::Fixed(rate) => rate,
            RateChoice::Adaptive => self.adapt_rate(m, destination),
        };
        let bit_rate = node.modem.transceiver.schemes[rate].rate_bit_s / f64::from(part.count);
        Plan {
            bits,
            rate,
            part,
            duration_ns: node.duration_ns(f64::from(bits), bit_rate),
            bit_rate,
        }
    }

    /// Selects a rate by the signal-to-noise ratio of the last frame from the destination, scaled
    /// to the transmit power of this modem.
    fn adapt_rate(&self, m: usize, destination: u16) -> usize {
        let node = &self.nodes[m];
        let Some(other) = node
            .neighbour(destination)
            .filter(|_| destination != BROADCAST)
        else {
            return 0;
        };
        let link = &self.state.link_signals[other as usize * self.nodes.len() + m];
        if link.snr <= 0.0 || link.power <= 0.0 {
            return 0;
        }
        let own = self.frame_power(m, destination, None) / node.modem.transceiver.max_power_w;
        let snr = f64::from(link.snr) * own / f64::from(link.power);
        let current = self.state.link_signals[m * self.nodes.len() + other as usize].rate;
        let current = current.map(|rate| rate as usize);
        let own = &node.modem.transceiver;
        select_scheme(&own.schemes, &own.adaptation, level(snr), current)
    }

    /// Returns the transmit power of a frame [W]: the power `power` of the message, or the power of
    /// the modem, increased to the powers that the receivers requested.
    pub(super) fn frame_power(&self, m: usize, destination: u16, power: Option<f64>) -> f64 {
        let own = &self.state.modems[m];
        power.unwrap_or_else(|| {
            let requests = own.requested_powers.iter();
            requests
                .filter(|(address, _)| [*address, BROADCAST].contains(&destination))
                .fold(own.power, |power, (_, requested)| power.max(*requested))
        })
    }

    /// Returns the number of bits of frame `fragment` of a message.
    pub(super) fn data_bits(&self, m: usize, message: u32, fragment: u8) -> u32 {
        let framing = &self.nodes[m].modem.transceiver.framing;
        let total = self.state.messages[message].payload.len();
        let rest = total.saturating_sub(usize::from(fragment) * framing.max_payload_bytes);
        let payload_bits = 8 * rest.min(framing.max_payload_bytes) as u32;
        framing.overhead_bits.saturating_add(payload_bits)
    }

    /// Transmits the current frame of the message in service.
    pub(super) fn start_data(&mut self, m: u32) {
        let Some(service) = &mut self.state.modems[m as usize].service else {
            return;
        };
        service.phase = ServicePhase::Transmitting;
        let (k, fragment) = (service.message, service.fragment);
        let bits = self.data_bits(m as usize, k, fragment);
        let modem = &self.nodes[m as usize].modem;
        let message = &mut self.state.messages[k];
        message.transmissions += 1;
        let (destination, power) = (message.destination, message.power);
        let header = Header {
            is_acknowledged: message.is_acknowledged,
            source: modem.address,
            destination,
            sequence: message.sequence,
            fragment,
            fragments: message.fragments,
        };
        let plan = self.plan(m as usize, bits, destination);
        let power = self.frame_power(m as usize, destination, power);
        self.launch(m, header, None, k, &plan, power);
    }

    /// Continues with the next frame of the message in service, or ends its service.
    pub(super) fn advance_service(&mut self, m: u32) {
        let own = &mut self.state.modems[m as usize];
        own.repetition_serial = own.repetition_serial.wrapping_add(1);
        let Some(service) = &mut own.service else {
            return;
        };
        service.fragment += 1;
        service.retries = 0;
        service.phase = ServicePhase::Ready;
        let k = service.message;
        if service.fragment >= self.state.messages[k].fragments {
            own.service = None;
            messages::finish(self.state, k, LossCause::TimeOut);
        }
    }

    /// Starts a transmission and computes its signals at all receivers.
    pub(super) fn launch(
        &mut self,
        m: u32,
        header: Header,
        control: Option<ControlFrame>,
        message: u32,
        plan: &Plan,
        power: f64,
    ) {
        let now = self.now();
        let serial = self.state.sequence as u32;
        let k = self.state.transmissions.allocate();
        let transmission = &mut self.state.transmissions[k];
        transmission.from = m;
        transmission.serial = serial;
        transmission.header = header;
        transmission.control = control;
        transmission.message = message;
        transmission.start_ns = now;
        transmission.duration_ns = plan.duration_ns;
        transmission.bits = plan.bits;
        transmission.rate = plan.rate as u32;
        if let Some(other) = self.nodes[m as usize].neighbour(header.destination) {
            let link = m as usize * self.nodes.len() + other as usize;
            self.state.link_signals[link].rate = Some(plan.rate as u32);
        }
        transmission.part = plan.part;
        let fraction = self.power_fractions[m as usize];
        let max_power = self.nodes[m as usize].modem.transceiver.max_power_w;
        transmission.power = fraction * power / max_power;
        transmission.is_transmitting = true;
        self.state.modems[m as usize].transmission = Some(k);
        self.spread(k);
        self.deafen(m);
        self.schedule(
            now + plan.duration_ns,
            EventKind::TransmitEnd {
                transmission: k,
                serial,
            },
        );
        self.agenda.add(self.state, k);
        let own = &self.state.modems[m as usize];
        let access = mac::properties(&own.mac, header.source);
        if own.carrier.count > 0 && access.detects_collisions {
            self.collide(m);
        }
        self.set_activity(m);
    }

    /// Computes the receptions of a new transmission in the order of arrival. Frames that do not
    /// arrive are lost at once.
    fn spread(&mut self, k: u32) {
        let n = self.nodes.len();
        let now = self.now();
        let state = &mut *self.state;
        let transmission = &mut state.transmissions[k];
        let m = transmission.from as usize;
        let parts = f64::from(transmission.part.count);
        let mut message = match transmission.control {
            None => Some(&mut state.messages[transmission.message]),
            Some(_) => None,
        };
        self.keys.clear();
        self.arriving.clear();
        for neighbour in &self.nodes[m].neighbours {
            let to = neighbour.to as usize;
            let arriving = self.channel.propagate(m, to, now, transmission.power);
            let noise = (arriving.noise / parts).max(f64::from(f32::MIN_POSITIVE));
            if neighbour.is_decodable {
                state.frames.entered += 1;
                let link = &mut state.links[m * n + to];
                link.mean_snr = arriving.mean_power / noise;
                link.delay_ns = arriving.delay_ns;
            }
            let detects = |powers: &Powers| self.nodes[to].detects(transmission.rate, powers);
            let cause = absence(&arriving, noise, detects);
            let reception = Reception {
                to: neighbour.to,
                copy: message.as_ref().map_or(u32::MAX, |m| copy_of(m, neighbour)),
                delay_ns: arriving.delay_ns.min(MAX_DELAY),
                power: arriving.power as f32,
                noise: noise as f32,
                doppler: arriving.doppler as f32,
                cause,
                is_decodable: neighbour.is_decodable,
            };
            if cause.is_none() {
                let index = self.arriving.len() as u64;
                self.keys.push((reception.delay_ns << INDEX_BITS) | index);
                if let Some(message) = message.as_mut().filter(|_| reception.copy != u32::MAX) {
                    message.copies[reception.copy as usize].in_flight += 1;
                }
            }
            self.arriving.push(reception);
        }
        self.keys.sort_unstable();
        let index = |key: &u64| (key & ((1 << INDEX_BITS) - 1)) as usize;
        let sorted = self.keys.iter().map(|key| self.arriving[index(key)]);
        transmission.receptions.extend(sorted);
        if self.keys.len() < self.arriving.len() {
            self.lose_absent(k);
        }
    }

    /// Accounts for the frames of a new transmission that do not arrive.
    fn lose_absent(&mut self, k: u32) {
        let n = self.nodes.len();
        let now = self.now();
        let state = &mut *self.state;
        let transmission = &state.transmissions[k];
        for reception in self.arriving.iter().filter(|r| r.is_decodable) {
            let Some(cause) = reception.cause else {
                continue;
            };
            state.frames.lose(cause.counted());
            state.links[transmission.from as usize * n + reception.to as usize].frames += 1;
            let mut message = None;
            if transmission.control.is_none() {
                let owner = &mut state.messages[transmission.message];
                message = Some(owner.id);
                if let Some(copy) = owner.copies.get_mut(reception.copy as usize) {
                    copy.cause = Some(cause.counted());
                }
            }
            state.output.packets.push(PacketRecord {
                time_ns: now,
                start_ns: now,
                from: transmission.from,
                to: reception.to,
                message,
                fragment: transmission.header.fragment,
                bits: transmission.bits,
                snr: 0.0,
                cause: Some(cause),
            });
        }
    }

    /// Ends the receptions of a half-duplex modem that starts to transmit.
    fn deafen(&mut self, m: u32) {
        if !self.nodes[m as usize].modem.transceiver.half_duplex {
            return;
        }
        let state = &mut *self.state;
        let signals = &mut state.modems[m as usize].signals;
        for signal in signals.iter_mut().filter(|signal| signal.is_locked) {
            signal.is_locked = false;
            let reception =
                &mut state.transmissions[signal.transmission].receptions[signal.reception as usize];
            reception.cause = reception.cause.or(Some(LossCause::HalfDuplex));
        }
    }

    /// Ends the transmission of a modem that detected a collision.
    pub(super) fn collide(&mut self, m: u32) {
        let Some(k) = self.state.modems[m as usize].transmission else {
            return;
        };
        let is_data = self.state.transmissions[k].control.is_none();
        messages::abort(self.nodes, self.state, m, LossCause::Aborted);
        self.agenda.invalidate();
        if let Some(service) = &mut self.state.modems[m as usize].service
            && is_data
        {
            service.phase = ServicePhase::Ready;
        }
        self.with_mac(m, false, None, |protocol, state, cx| {
            mac::collided(protocol, state, cx);
        });
        // wakes the modem by an event, because the current event may belong to the modem
        let now = self.now();
        self.schedule(now, EventKind::Wake { modem: m });
    }

    /// Processes the end of a transmission at its transmitter.
    pub(super) fn end_transmission(&mut self, k: u32) {
        let transmission = &mut self.state.transmissions[k];
        transmission.is_transmitting = false;
        let m = transmission.from;
        let is_control = transmission.control.is_some();
        let is_over = transmission.departed as usize == transmission.receptions.len();
        let energy = activity::transmit_power(&self.nodes[m as usize], transmission.power)
            * transmission.duration_ns as f64
            * 1e-9;
        let own = &mut self.state.modems[m as usize];
        own.energy.transmit += energy;
        own.transmission = None;
        self.with_mac(m, false, None, |protocol, state, cx| {
            mac::transmitted(protocol, state, cx, is_control);
        });
        if !is_control {
            self.end_frame(m);
        }
        if is_over {
            messages::release_transmission(self.state, k);
        }
        self.wake(m);
    }

    /// Selects the next phase of the service after the transmission of a frame of a message.
    fn end_frame(&mut self, m: u32) {
        let node: &Node = &self.nodes[m as usize];
        let own = &mut self.state.modems[m as usize];
        let Some(service) = &mut own.service else {
            return;
        };
        if mac::properties(&own.mac, node.modem.address).awaits_result {
            service.phase = ServicePhase::AwaitsResult;
        } else if self.state.messages[service.message].is_acknowledged {
            service.phase = ServicePhase::AwaitsAcknowledgement;
            own.repetition_serial = own.repetition_serial.wrapping_add(1);
            let serial = own.repetition_serial;
            let at = self.now() + node.modem.transceiver.acknowledgement.timeout_ns();
            self.schedule(at, EventKind::Repetition { modem: m, serial });
        } else {
            self.advance_service(m);
        }
    }
}

/// Removes the next message that has not exceeded its maximum age from the queue and returns its
/// index.
fn dequeue(node: &Node, state: &mut NetworkState, from: usize) -> Option<u32> {
    while !state.modems[from].queue.is_empty() {
        let k = messages::remove(state, from, 0);
        let message = &state.messages[k];
        let age = state.time_ns - message.created_ns;
        let limits = [node.modem.queue.max_age_ns(), message.max_age_ns];
        if limits.into_iter().flatten().any(|limit| age > limit) {
            messages::finish(state, k, LossCause::TimeOut);
            continue;
        }
        state.messages[k].is_in_service = true;
        return Some(k);
    }
    None
}

/// Returns the index of the copy of a message for a neighbour; `u32::MAX`: none.
fn copy_of(message: &Message, neighbour: &Neighbour) -> u32 {
    if message.destination == BROADCAST {
        neighbour.copy
    } else if message.copies.first().map(|copy| copy.to) == Some(neighbour.to) {
        0
    } else {
        u32::MAX
    }
}

/// Returns the cause if no signal arrives. A signal is neglected if it is more than 20 dB below the
/// noise and the receiver would not detect it even with 20 dB more power.
fn absence(
    arriving: &Propagation,
    noise: f64,
    detects: impl FnOnce(&Powers) -> bool,
) -> Option<LossCause> {
    if arriving.obstruction.is_some() {
        return arriving.obstruction;
    }
    // a power that is NaN or infinite is no signal
    let power = arriving.power;
    let is_signal = power > 0.0 && power < f64::from(f32::MAX);
    let stronger = Powers {
        signal: power / NEGLIGIBLE,
        noise,
        interference: 0.0,
    };
    let is_weak = || stronger.signal < noise && !detects(&stronger);
    (!is_signal || is_weak()).then_some(LossCause::BelowThreshold)
}
