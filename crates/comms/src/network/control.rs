//! Control frames, medium access, repetitions and adaptive power control.
//!
//! # Law
//! ```text
//!   P' = min(P_max, max(s P_last, P q / (S / N)))      (1)
//! ```
//! A modem that receives no frame of its station for itself or for all within a period requests the
//! power P'. The station transmits to it with at least this power, and broadcasts with the maximum
//! of all requests.
//!
//! # Symbols
//! P_max maximum power of the station [W] · P_last last requested power; before the first request,
//! power of the station at the start of the run [W] · s minimum step · P power of the last frame
//! that arrived [W] · S/N signal-to-noise ratio of this frame · q target of S/N. Source: the thesis
//! of the docking co-simulation, section 4.4.4, which gives no formula.
//!
//! # Limits
//! Requests only increase the power, as in the thesis.
//!
//! # Checked by
//! crates/comms/tests/network/modems.rs

use crate::mac::context::MacContext;
use crate::network::transmit::Plan;
use crate::network::{Engine, clock, messages};
use merrow_math::decibels::ratio;
use merrow_model::scene::comms::MacProtocol;
use merrow_model::state::comms::modem::{RangeRequest, ServicePhase};
use merrow_model::state::comms::signal::{ControlFrame, ControlKind, Header};
use merrow_model::state::comms::{EventKind, LossCause, MacState};

/// Bits of a pair of time stamps in a range reply, and of one stamp in a range signal.
const STAMP_BITS: u32 = 64;
/// Maximum number of open two-way range measurements of a modem.
const MAX_RANGE_REQUESTS: usize = 16;

impl Engine<'_> {
    /// Transmits a control frame of modem `m` with the current reading of its clock. A range
    /// request is stored until its reply arrives.
    pub(super) fn start_control(&mut self, m: u32, mut frame: ControlFrame) {
        let now = self.now();
        let own = &mut self.state.modems[m as usize];
        let local = clock::local_ns(&own.clock, now);
        match &mut frame.kind {
            ControlKind::RangeReply { replied_ns, .. } => *replied_ns = local,
            ControlKind::RangeSignal { sent_ns } => *sent_ns = local,
            ControlKind::RangeRequest => {
                if own.range_requests.len() >= MAX_RANGE_REQUESTS {
                    own.range_requests.remove(0);
                }
                own.range_requests.push(RangeRequest {
                    sequence: frame.sequence,
                    destination: frame.destination,
                    sent_ns: local,
                });
            }
            ControlKind::Acknowledgement
            | ControlKind::Poll
            | ControlKind::NoData
            | ControlKind::SlotReport { .. }
            | ControlKind::PowerRequest { .. } => {}
        }
        let header = Header {
            is_acknowledged: false,
            source: self.nodes[m as usize].modem.address,
            destination: frame.destination,
            sequence: frame.sequence,
            fragment: frame.fragment,
            fragments: frame.fragment + 1,
        };
        let bits = self.control_bits(m as usize, &frame.kind);
        let plan = self.plan(m as usize, bits, frame.destination);
        let power = self.frame_power(m as usize, frame.destination, None);
        self.launch(m, header, Some(frame), 0, &plan, power);
    }

    /// Returns the number of bits of a control frame.
    pub(super) fn control_bits(&self, m: usize, kind: &ControlKind) -> u32 {
        let modem = &self.nodes[m].modem;
        let extra = match kind {
            ControlKind::RangeReply { .. } => 2 * STAMP_BITS,
            ControlKind::RangeSignal { .. } => STAMP_BITS,
            ControlKind::PowerRequest { .. } => {
                let control = modem.power_control.as_ref();
                8 * control.map_or(0, |control| control.payload_bytes) as u32
            }
            ControlKind::Acknowledgement
            | ControlKind::RangeRequest
            | ControlKind::Poll
            | ControlKind::NoData
            | ControlKind::SlotReport { .. } => 0,
        };
        let framing = &modem.transceiver.framing;
        framing.control_bits.saturating_add(extra)
    }

    /// Calls a function of medium access with the measurements of the modem.
    pub(super) fn with_mac<T>(
        &mut self,
        m: u32,
        has_frame: bool,
        plan: Option<&Plan>,
        call: impl FnOnce(&MacProtocol, &mut MacState, &mut MacContext<'_>) -> T,
    ) -> T {
        let now = self.now();
        let bit_rate = match plan {
            Some(plan) => plan.bit_rate,
            None => self.plan(m as usize, 0, 0).bit_rate,
        };
        let node = &self.nodes[m as usize];
        let transmissions = &self.state.transmissions;
        let own = &mut self.state.modems[m as usize];
        let is_busy = own.carrier.count > 0;
        let sensed = own.signals.iter().filter(|signal| signal.is_sensed);
        let end = |signal: &merrow_model::state::comms::signal::Signal| {
            signal.start_ns + transmissions[signal.transmission].duration_ns
        };
        let idle_ns = sensed.map(end).max().unwrap_or(now);
        let present = if is_busy {
            now - own.carrier.since_ns
        } else {
            0
        };
        let mut cx = MacContext {
            now_ns: now,
            clock: own.clock,
            address: node.modem.address,
            has_frame,
            frame_ns: plan.map_or(0, |plan| plan.duration_ns),
            is_busy,
            since_ns: own.carrier.since_ns,
            busy_ns: own.carrier.busy_ns + present,
            idle_ns,
            bit_rate,
            stream: &node.stream,
            draws: &mut own.draws,
        };
        call(&own.mac, &mut own.mac_state, &mut cx)
    }

    /// Processes an acknowledgement that arrived.
    pub(super) fn acknowledge(&mut self, m: u32, header: Header) {
        let Some(service) = self.state.modems[m as usize].service else {
            return;
        };
        let message = &self.state.messages[service.message];
        let is_expected = message.sequence == header.sequence
            && service.fragment == header.fragment
            && service.phase != ServicePhase::Transmitting
            && self.nodes[m as usize].neighbour(header.source)
                == message.copies.first().map(|copy| copy.to);
        if is_expected && message.is_acknowledged {
            self.advance_service(m);
            self.state.modems[m as usize].is_access_pending = false;
            self.wake(m);
        }
    }

    /// Processes the end of the wait for an acknowledgement or of the backoff.
    pub(super) fn repeat(&mut self, m: u32) {
        let own = &self.state.modems[m as usize];
        match own.service.map(|service| service.phase) {
            Some(ServicePhase::AwaitsAcknowledgement) => {
                self.count_retry(m);
                self.back_off(m);
            }
            Some(ServicePhase::BacksOff) => {
                if let Some(service) = &mut self.state.modems[m as usize].service {
                    service.phase = ServicePhase::Ready;
                }
            }
            Some(ServicePhase::Ready | ServicePhase::Transmitting | ServicePhase::AwaitsResult)
            | None => {}
        }
        self.wake(m);
    }

    /// Counts a repetition of the frame in service and ends its service after the last repetition.
    pub(super) fn count_retry(&mut self, m: u32) {
        let limit = self.nodes[m as usize]
            .modem
            .transceiver
            .acknowledgement
            .max_retries;
        let own = &mut self.state.modems[m as usize];
        let Some(service) = &mut own.service else {
            return;
        };
        service.retries += 1;
        service.phase = ServicePhase::Ready;
        if service.retries > limit {
            let k = service.message;
            own.service = None;
            messages::finish(self.state, k, LossCause::TimeOut);
        }
    }

    /// Delays the repetition of the frame in service by a random time.
    fn back_off(&mut self, m: u32) {
        let node = &self.nodes[m as usize];
        let now = self.now();
        let own = &mut self.state.modems[m as usize];
        let Some(service) = &mut own.service else {
            return;
        };
        let doublings = (service.retries.max(1) - 1).min(10);
        let limit = node.modem.transceiver.acknowledgement.backoff_ns() as f64
            * f64::from(1_u32 << doublings);
        let delay = (node.stream.draw(own.draws).uniform() * limit) as u64;
        own.draws += 1;
        service.phase = ServicePhase::BacksOff;
        own.repetition_serial = own.repetition_serial.wrapping_add(1);
        let serial = own.repetition_serial;
        let at = now.saturating_add(delay);
        self.schedule(at, EventKind::Repetition { modem: m, serial });
    }

    /// Ends a period of power control: law (1).
    pub(super) fn check_power(&mut self, m: u32) {
        let at = m as usize;
        let Some(control) = &self.nodes[at].modem.power_control else {
            return;
        };
        let now = self.now();
        self.schedule(
            now + control.period_ns(),
            EventKind::PowerCheck { modem: m },
        );
        let own = &mut self.state.modems[at];
        let has_frame = std::mem::take(&mut own.has_station_frame);
        let Some(station) = self.nodes[at].neighbour(control.station) else {
            return;
        };
        if has_frame || !own.is_on {
            return;
        }
        let station = station as usize;
        let limit = self.nodes[station].modem.transceiver.max_power_w;
        let link = &self.state.link_signals[station * self.nodes.len() + at];
        let needed = if link.snr > 0.0 {
            f64::from(link.power) * limit * ratio(control.target_snr_db) / f64::from(link.snr)
        } else {
            0.0
        };
        let last = if own.last_request > 0.0 {
            own.last_request
        } else {
            self.nodes[station].modem.power_w
        };
        let power = (ratio(control.step_db) * last).max(needed).min(limit);
        own.last_request = power;
        let frame = own.control_frame(ControlKind::PowerRequest { power }, control.station, now);
        self.queue_control(m, frame);
    }
}
