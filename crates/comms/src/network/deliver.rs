//! Processing of received frames: deliveries, acknowledgements, ranges and requests.

use crate::mac;
use crate::mac::context::Observation;
use crate::network::commands::MAX_CONTROL;
use crate::network::header::Header;
use crate::network::{Engine, clock};
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::comms::signal::{ControlFrame, ControlKind};
use merrow_model::state::comms::{Delivery, EventKind, RangeResult, Ranging};

impl Engine<'_> {
    /// Processes a frame without errors at its receiver.
    pub(super) fn receive(&mut self, k: u32, r: u32, header: &Header) {
        let transmission = &self.state.transmissions[k];
        let control = transmission.control;
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

    fn receive_data(&mut self, k: u32, r: u32, header: &Header, is_mine: bool) {
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
    fn reply(&mut self, m: u32, kind: ControlKind, header: &Header) {
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
    fn report_range(&mut self, k: u32, r: u32, kind: Ranging, header: &Header, stamps: [i64; 3]) {
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
    pub(super) fn observe(&mut self, k: u32, r: u32, header: Option<&Header>) {
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
