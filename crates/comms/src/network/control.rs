//! Decisions of a modem: next transmission, repetitions and adaptive power control.
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

use crate::mac;
use crate::mac::Decision;
use crate::mac::context::MacContext;
use crate::network::header::Header;
use crate::network::transmit::Plan;
use crate::network::{Engine, messages};
use merrow_math::decibels::ratio;
use merrow_model::scene::comms::MacProtocol;
use merrow_model::state::comms::modem::{Service, ServicePhase};
use merrow_model::state::comms::signal::ControlKind;
use merrow_model::state::comms::{EventKind, LossCause, MacState};

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
            let message = messages::dequeue(&self.nodes[at], self.state, at)?;
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

    /// Processes an acknowledgement that arrived.
    pub(super) fn acknowledge(&mut self, m: u32, header: &Header) {
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
    fn count_retry(&mut self, m: u32) {
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
