//! Bridges: topics and services whose messages modems transmit.
//!
//! # Law
//! ```text
//!   packet = b | message                                                     (1)
//!   packet = n + s | c | request or response                                 (2)
//! ```
//! # Symbols
//! b number of a bridge in two bytes, least significant first · n number of the bridges of topics,
//! s number of a bridge of a service · c number of the call in four bytes, least significant first ·
//! message, request and response in CDR.
//!
//! # Limits
//! A message that arrives over a bridge enters the next bridge at the end of the step of its
//! arrival.
//!
//! # Checked by
//! test/determinism/communication.rs

use crate::bridge_source::{BridgeSource, NewOutputs};
use crate::communication::Communication;
use crate::control::firmware;
use crate::simulation::Simulation;
use merrow_comms::network::{MessageGroup, Send};
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{BROADCAST, BridgeQueue};
use merrow_model::state::commands::{BridgedCall, CommandRejection};
use merrow_model::state::comms::Delivery;
use merrow_model::state::{Command, State};

/// Number of bytes of the number of a bridge in a packet.
const HEAD: usize = 2;
/// Number of bytes of the number of a call in a packet.
const CALL_HEAD: usize = 4;

/// Returns bridge, receiver and message of a packet of a bridge. `None`: the packet belongs to no
/// bridge, or its receiver is not a receiver of the bridge. (1)
pub fn bridged_message<'a>(
    scene: &Scene,
    delivery: &Delivery,
    payload: &'a [u8],
) -> Option<(usize, usize, &'a [u8])> {
    if !delivery.is_bridged || delivery.is_overheard {
        return None;
    }
    let (head, message) = payload.split_first_chunk::<HEAD>()?;
    let k = usize::from(u16::from_le_bytes(*head));
    let mut receivers = scene.bridges.get(k)?.to.iter();
    let receiver = receivers.position(|(to, _)| *to == delivery.to as usize)?;
    Some((k, receiver, message))
}

/// Returns the request or the response in a packet of the bridge of a service. `None`: the packet
/// belongs to no such bridge, or its modems are not the modems of the bridge. (2)
pub fn bridged_call<'a>(
    scene: &Scene,
    delivery: &Delivery,
    payload: &'a [u8],
) -> Option<BridgedCall<&'a [u8]>> {
    if !delivery.is_bridged || delivery.is_overheard {
        return None;
    }
    let (head, rest) = payload.split_first_chunk::<HEAD>()?;
    let (call, message) = rest.split_first_chunk::<CALL_HEAD>()?;
    let bridge = usize::from(u16::from_le_bytes(*head)).checked_sub(scene.bridges.len())?;
    let own = scene.service_bridges.get(bridge)?;
    let ends = [delivery.from as usize, delivery.to as usize];
    let is_response = ends == [own.to, own.from];
    (is_response || ends == [own.from, own.to]).then_some(BridgedCall {
        bridge,
        call: u32::from_le_bytes(*call),
        is_response,
        message,
    })
}

/// Returns true if the bridges of two worlds have the same names in the same order.
pub(crate) fn has_same_bridges(a: &Scene, b: &Scene) -> bool {
    let topics = a.bridges.iter().map(|bridge| &bridge.name);
    let services = a.service_bridges.iter().map(|bridge| &bridge.name);
    topics.eq(b.bridges.iter().map(|bridge| &bridge.name))
        && services.eq(b.service_bridges.iter().map(|bridge| &bridge.name))
}

impl Simulation {
    /// Returns the bridges with messages that their modem can never transmit: name, reason, and
    /// number of messages since the start or the resumption of the run.
    pub fn bridge_misfits(&self) -> Vec<(String, &'static str, u64)> {
        let communication = self.communication.as_ref();
        communication.map_or_else(Vec::new, |network| network.misfits(&self.scene))
    }

    /// Sets the encoder of the outputs that bridges transmit. Without an encoder, bridges transmit
    /// the messages of commands and of other bridges only.
    pub fn set_bridge_source(&mut self, source: Box<dyn BridgeSource>) {
        self.bridge_source = Some(source);
    }

    /// Returns the time of the next output that a bridge transmits [ns].
    pub(crate) fn next_bridged_ns(&self) -> u64 {
        let source = self.bridge_source.as_ref();
        source.map_or(u64::MAX, |source| source.next_ns(self))
    }

    /// Transmits new outputs over their bridges. Returns true if there was such an output.
    pub(crate) fn transmit_outputs(&mut self, new: &NewOutputs) -> bool {
        let Some(mut source) = self.bridge_source.take() else {
            return false;
        };
        let messages = source.encode(self, new);
        if matches!(new, NewOutputs::Network) {
            self.correct_positions(&*source);
        }
        if matches!(new, NewOutputs::Instant { .. }) {
            self.state.network.next_output_ns = source.next_output_ns(self.state.time_ns);
        }
        self.bridge_source = Some(source);
        let is_sent = !messages.is_empty();
        for (bridge, message) in messages {
            let result = self.apply(&Command::Bridge { bridge, message });
            self.schedule_rejections.extend(result.err());
        }
        is_sent
    }

    /// Corrects the positions that firmwares estimate by the messages that have arrived over
    /// bridges.
    fn correct_positions(&mut self, source: &dyn BridgeSource) {
        let (network, robots) = (&self.state.network, &mut self.state.robots);
        let now_ns = self.state.time_ns;
        for delivery in &network.output.deliveries {
            let payload = network.output.payload(delivery);
            let Some((k, receiver, message)) = bridged_message(&self.scene, delivery, payload)
            else {
                continue;
            };
            let bridge = &self.scene.bridges[k];
            let carrier = self.scene.modems[bridge.to[receiver].0].on;
            let Some((correction, (robot, _))) = bridge.fix.as_ref().zip(carrier) else {
                continue;
            };
            let result = source.decode_fix(k, message).and_then(|fix| {
                let model = &self.scene.robots[robot];
                firmware::correct_position(model, &mut robots[robot], correction, fix, now_ns)
            });
            self.schedule_rejections
                .extend(result.err().map(|why| CommandRejection {
                    robot: Some(robot),
                    reason: format!("bridge {}: {why}", bridge.name),
                }));
        }
    }
}

impl Communication {
    /// Queues a message of bridge `k` at the current instant, or counts it if another message was
    /// queued within the minimum interval. (1)
    ///
    /// # Errors
    /// Reason for which the message is rejected; the state is then unchanged.
    pub(crate) fn send_over_bridge(
        &mut self,
        scene: &Scene,
        state: &mut State,
        k: usize,
        message: &[u8],
    ) -> Result<(), CommandRejection> {
        let Some(bridge) = scene.bridges.get(k) else {
            return Err(CommandRejection {
                robot: None,
                reason: format!("bridge number {k}; the world has {}", scene.bridges.len()),
            });
        };
        let now = state.time_ns;
        if now < state.network.bridges_ns[k] {
            state.network.modems[bridge.from].over_rate += 1;
            return Ok(());
        }
        let destination = match bridge.to.first() {
            Some((to, _)) if !bridge.is_broadcast => scene.modems[*to].address,
            _ => BROADCAST,
        };
        let send = Send {
            modem: bridge.from,
            destination,
            payload: message,
            is_bridged: true,
            priority: bridge.priority,
            is_acknowledged: bridge.is_acknowledged,
            group: Some(group(k, bridge.queue)),
            power: None,
        };
        self.queue_packet(state, k, &[], &send)
            .map_err(|why| rejection(scene, bridge.from, &bridge.name, &why))?;
        state.network.bridges_ns[k] = now + bridge.min_interval_ns;
        Ok(())
    }

    /// Queues the request or the response of a call at the current instant. (2)
    ///
    /// # Errors
    /// Reason for which the message is rejected, such as a request within the minimum interval; the
    /// state is then unchanged.
    pub(crate) fn send_call(
        &mut self,
        scene: &Scene,
        state: &mut State,
        call: &BridgedCall,
    ) -> Result<(), CommandRejection> {
        let Some(bridge) = scene.service_bridges.get(call.bridge) else {
            let (k, n) = (call.bridge, scene.service_bridges.len());
            let reason = format!("bridge number {k} of a service; the world has {n}");
            return Err(CommandRejection {
                robot: None,
                reason,
            });
        };
        let number = scene.bridges.len() + call.bridge;
        let now = state.time_ns;
        let (modem, to) = match call.is_response {
            true => (bridge.to, bridge.from),
            false => (bridge.from, bridge.to),
        };
        if !call.is_response && now < state.network.bridges_ns[number] {
            let why = "request discarded: the rate exceeds `max_rate_hz`";
            return Err(rejection(scene, modem, &bridge.name, why));
        }
        let send = Send {
            modem,
            destination: scene.modems[to].address,
            payload: call.message.as_slice(),
            is_bridged: true,
            priority: bridge.priority,
            is_acknowledged: bridge.is_acknowledged,
            group: Some(group(number, bridge.queue)),
            power: None,
        };
        self.queue_packet(state, number, &call.call.to_le_bytes(), &send)
            .map_err(|why| rejection(scene, modem, &bridge.name, &why))?;
        if !call.is_response {
            state.network.bridges_ns[number] = now + bridge.min_interval_ns;
        }
        Ok(())
    }

    /// Queues the message `send` after the number of its bridge and `head`. (1), (2)
    fn queue_packet(
        &mut self,
        state: &mut State,
        number: usize,
        head: &[u8],
        send: &Send<&[u8]>,
    ) -> Result<(), String> {
        self.packet.clear();
        self.packet.extend((number as u16).to_le_bytes());
        self.packet.extend_from_slice(head);
        self.packet.extend_from_slice(send.payload);
        let own = &state.network.modems[send.modem];
        let size = self.packet.len();
        if let Some(misfit) = self.network.misfit(send.modem, &own.mac, own.rate, size) {
            *self.misfits.entry((number, misfit.name())).or_default() += 1;
        }
        let payload = self.packet.as_slice();
        let packet = Send { payload, ..*send };
        self.network.send(&mut state.network, &packet).map(drop)
    }

    /// Transmits messages that arrived over a bridge over the bridges of the topics on which they
    /// are published. Returns true if there was such a message.
    pub(crate) fn send_onward(
        &mut self,
        scene: &Scene,
        state: &mut State,
        rejections: &mut Vec<CommandRejection>,
    ) -> bool {
        let mut is_sent = false;
        for d in 0..state.network.output.deliveries.len() {
            let output = &state.network.output;
            let delivery = output.deliveries[d];
            let payload = output.payload(&delivery);
            let Some((from, receiver, message)) = bridged_message(scene, &delivery, payload) else {
                continue;
            };
            if self.onward[from][receiver].is_empty() {
                continue;
            }
            let mut relayed = std::mem::take(&mut self.relayed);
            relayed.clear();
            relayed.extend_from_slice(message);
            for at in 0..self.onward[from][receiver].len() {
                let k = self.onward[from][receiver][at];
                let sent = self.send_over_bridge(scene, state, k, &relayed);
                rejections.extend(sent.err());
                is_sent = true;
            }
            self.relayed = relayed;
        }
        is_sent
    }

    /// Returns the name of each bridge with messages that its modem can never transmit, the reason
    /// and their number since the start or the resumption of the run.
    pub(crate) fn misfits(&self, scene: &Scene) -> Vec<(String, &'static str, u64)> {
        let topics = scene.bridges.iter().map(|bridge| &bridge.name);
        let services = scene.service_bridges.iter().map(|bridge| &bridge.name);
        let names: Vec<&String> = topics.chain(services).collect();
        let named = |((k, reason), count): (&(usize, &'static str), &u64)| {
            Some(((*names.get(*k)?).clone(), *reason, *count))
        };
        self.misfits.iter().filter_map(named).collect()
    }
}

/// Returns the group of the messages of bridge `number`, with the limits of its queue.
fn group(number: usize, limits: BridgeQueue) -> MessageGroup {
    let key = u32::MAX - u32::from(number as u16);
    MessageGroup { key, limits }
}

/// Returns the rejection of a message of a bridge by modem `modem`.
fn rejection(scene: &Scene, modem: usize, bridge: &str, why: &str) -> CommandRejection {
    CommandRejection {
        robot: scene.modems[modem].on.map(|(robot, _)| robot),
        reason: format!("bridge {bridge}: {why}"),
    }
}

/// Returns for each bridge and receiver the bridges that transmit the received messages.
pub(crate) fn onward_bridges(scene: &Scene) -> Vec<Vec<Vec<usize>>> {
    let bridges_of = |topic: &str| {
        let all = scene.bridges.iter().enumerate();
        let own = all.filter(|(_, bridge)| bridge.topic == topic);
        own.map(|(k, _)| k).collect()
    };
    let of_bridge = |bridge: &merrow_model::scene::comms::bridge::Bridge| {
        let receivers = bridge.to.iter();
        receivers.map(|(_, topic)| bridges_of(topic)).collect()
    };
    scene.bridges.iter().map(of_bridge).collect()
}
