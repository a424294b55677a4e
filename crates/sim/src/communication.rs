//! Communication network in the step: events at their instants, power of modems.
//!
//! # Law
//! ```text
//!   t_k-1 < t ≤ t_k: events are processed at the end of step k              (1)
//!   p(t) = p(t_k) + v(t_k) (t - t_k)                                         (2)
//!   P_robot = sum over its modems of the power of their activity             (3)
//!   packet = b | message                                                     (4)
//!   packet = n + s | c | request or response                                 (5)
//! ```
//! # Symbols
//! t time of an event, t_k end of step k · p position and v velocity of a modem · P electrical
//! power · b number of a bridge in two bytes, least significant first · n number of the bridges of
//! topics, s number of a bridge of a service · c number of the call in four bytes, least
//! significant first · message, request and response in CDR.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A block of steps ends with the step that contains the next event. A message therefore changes
//! the state of a robot at the end of that step at the earliest. The power (3) changes at the ends
//! of steps. A fault of a modem begins and ends at the end of a step. A message that arrives over a
//! bridge enters the next bridge at the end of the step of its arrival.
//!
//! # Checked by
//! test/determinism/communication.rs

use crate::computers::input::push_input;
use crate::control::fault;
use crate::environment_cache::EnvironmentCache;
use crate::modem_fix::{error_stream, measure};
use crate::robot::{Moment, Runner};
use crate::shaft_speeds::{reference_speeds, shaft_speeds};
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::network::{MessageGroup, Network, Send};
use merrow_math::rng::Stream;
use merrow_model::kinematics;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{BROADCAST, BridgeQueue};
use merrow_model::state::commands::{BridgedCall, CommandRejection};
use merrow_model::state::comms::modem::Supply;
use merrow_model::state::comms::{Delivery, ModemCommand, NetworkState};
use merrow_model::state::computer::InputData;
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::{FaultEffect, State};
use merrow_sensors::ray_scene::{RayKind, RayScene, StaticGeometry};
use std::collections::BTreeMap;

/// Maximum number of records of packets and of intervals between two outputs.
const MAX_RECORDS: usize = 1 << 16;
/// Number of bytes of the number of a bridge in a packet.
const HEAD: usize = 2;
/// Number of bytes of the number of a call in a packet.
const CALL_HEAD: usize = 4;

/// Returns bridge, receiver and message of a packet of a bridge. `None`: the packet belongs to no
/// bridge, or its receiver is not a receiver of the bridge. (4)
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
/// belongs to no such bridge, or its modems are not the modems of the bridge. (5)
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

/// Network of the modems of a world, with its workspace.
#[derive(Debug)]
pub(crate) struct Communication {
    pub(crate) network: Network,
    channel: WorldChannel,
    ray_scene: Option<RayScene>,
    view: WorldView,
    /// For each robot, shaft speed at the maximum thrust of a thruster without a known one [rad/s].
    reference_speeds: Vec<f64>,
    environment: EnvironmentCache,
    /// For each modem, stream of the errors of measured directions.
    fix_errors: Vec<Stream>,
    /// For each bridge and receiver, the bridges that transmit the received messages.
    onward: Vec<Vec<Vec<usize>>>,
    /// Number of bridges of topics and services.
    bridge_count: usize,
    /// Workspace: packet of a bridge.
    packet: Vec<u8>,
    /// Workspace: message that is passed on to another bridge.
    relayed: Vec<u8>,
    /// Workspace: effects of faults on the modems.
    effects: Vec<FaultEffect>,
    /// Number of messages of bridges that their modem can never transmit, by the number of the
    /// bridge and the reason.
    misfits: BTreeMap<(usize, &'static str), u64>,
    /// Memory for messages that pass through tasks.
    pub(crate) spare_payloads: Vec<Vec<u8>>,
}

impl Communication {
    /// Prepares the network of a scene; `None` if the scene has no modems.
    ///
    /// # Errors
    /// One line per invalid modem.
    pub(crate) fn new(
        scene: &Scene,
        state: &State,
        geometry: &StaticGeometry,
    ) -> Result<Option<Self>, String> {
        if scene.modems.is_empty() {
            return Ok(None);
        }
        let network = Network::new(&scene.modems, scene.seed).map_err(|e| e.join("\n"))?;
        let needs_rays = scene
            .modems
            .iter()
            .any(|modem| modem.transceiver.line_of_sight);
        let robots = scene.robots.len();
        Ok(Some(Self {
            network,
            channel: WorldChannel::new(scene, &scene.modems),
            ray_scene: needs_rays.then(|| RayScene::new(scene, geometry, RayKind::Collision)),
            view: WorldView {
                time_ns: 0,
                sea: state.sea.clone(),
                links: vec![Vec::new(); robots],
                fins: Vec::new(),
                lamps: Vec::new(),
                powered: Vec::new(),
                dead: Vec::new(),
                beacons: Vec::new(),
                velocities: vec![Vec::new(); robots],
                shaft_speeds: vec![Vec::new(); robots],
            },
            reference_speeds: reference_speeds(scene),
            environment: EnvironmentCache::default(),
            fix_errors: scene
                .modems
                .iter()
                .map(|modem| error_stream(scene, modem))
                .collect(),
            onward: onward_bridges(scene),
            bridge_count: scene.bridges.len() + scene.service_bridges.len(),
            packet: Vec::new(),
            relayed: Vec::new(),
            effects: Vec::new(),
            misfits: BTreeMap::new(),
            spare_payloads: Vec::new(),
        }))
    }

    /// Returns true if the network can continue from a state.
    pub(crate) fn accepts(&self, state: &NetworkState) -> bool {
        self.network.accepts(state) && state.bridges_ns.len() == self.bridge_count
    }

    /// Creates the state of a network whose first events are at `now_ns` [ns].
    pub(crate) fn start_at(&self, now_ns: u64) -> NetworkState {
        let mut state = self.network.start();
        for event in &mut state.events {
            event.time_ns += now_ns;
        }
        state.time_ns = now_ns;
        state.bridges_ns = vec![0; self.bridge_count];
        state.next_output_ns = now_ns;
        state.output.packets.limit = MAX_RECORDS;
        state.output.trace.limit = MAX_RECORDS;
        state
    }

    /// Queues a message of bridge `k` at the current instant, or counts it if another message was
    /// queued within the minimum interval. (4)
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

    /// Queues the request or the response of a call at the current instant. (5)
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
            payload: &call.message,
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

    /// Queues the message `send` after the number of its bridge and `head`. (4), (5)
    fn queue_packet(
        &mut self,
        state: &mut State,
        number: usize,
        head: &[u8],
        send: &Send<'_>,
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
        let payload = &self.packet;
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

    /// Processes all events up to the current instant. (1), (2) The output of the state must be
    /// empty. Returns true if a message was passed on to another bridge; its events are not
    /// processed.
    pub(crate) fn advance(
        &mut self,
        scene: &Scene,
        state: &mut State,
        runners: &mut [Runner],
        rejections: &mut Vec<CommandRejection>,
    ) -> bool {
        self.evaluate_faults(state);
        self.switch_modems(scene, state, false);
        let now = state.time_ns;
        let is_due = self.network.next_event_ns(&state.network);
        if is_due.is_some_and(|next| next <= now) {
            self.update_view(scene, state, runners);
            let environment = self
                .environment
                .start_environment(Moment::new(scene, &state.sea, now));
            let instant = ChannelInstant {
                view: &self.view,
                environment: &environment,
                ray_scene: self.ray_scene.as_ref(),
                shaft_speeds: &self.view.shaft_speeds,
            };
            let channel = self.channel.update_to(&instant);
            self.network.advance(&mut state.network, &channel, now);
            for result in &mut state.network.output.ranges {
                measure(scene, &self.view, &self.fix_errors, result);
            }
        } else {
            state.network.time_ns = now;
        }
        self.switch_modems(scene, state, true);
        hold_messages(scene, state, &mut self.spare_payloads);
        let is_sent = self.send_onward(scene, state, rejections);
        self.set_power(scene, state);
        is_sent
    }

    /// Sets the electrical power of the modems of every robot. (3)
    fn set_power(&self, scene: &Scene, state: &mut State) {
        for robot in &mut state.robots {
            robot.modem_power = 0.0;
        }
        for (k, modem) in scene.modems.iter().enumerate() {
            if let Some((robot, _)) = modem.on {
                state.robots[robot].modem_power += self.network.power(&state.network, k);
            }
        }
    }

    /// Switches modems on and off: with the power of their robot, or with their faults if
    /// `with_faults`. Faults act after the events of the step, so that their time is the end of the
    /// step for any blocks.
    fn switch_modems(&mut self, scene: &Scene, state: &mut State, with_faults: bool) {
        for (k, modem) in scene.modems.iter().enumerate() {
            let before = state.network.modems[k].supply;
            let is_dead = self.effects[k].dead;
            if with_faults != (is_dead || before == Supply::Broken) {
                continue;
            }
            let robot = modem.on.map(|(robot, _)| robot);
            let is_powered = robot.is_none_or(|robot| state.robots[robot].battery.is_on());
            let supply = match (is_dead, is_powered) {
                (true, _) => Supply::Broken,
                (false, true) => Supply::Powered,
                (false, false) => Supply::Unpowered,
            };
            state.network.modems[k].supply = supply;
            let is_on = supply == Supply::Powered;
            if is_on != (before == Supply::Powered) {
                let command = ModemCommand::Switch { modem: k, is_on };
                // fails for a modem that does not exist only
                let _ = self.network.apply(&mut state.network, &command);
            }
        }
    }

    /// Evaluates the effects of all faults on the modems at the current instant, and sets the
    /// powers that faults reduce.
    fn evaluate_faults(&mut self, state: &mut State) {
        let now = state.time_ns;
        self.effects.clear();
        let modems = state.network.modems.len();
        self.effects.resize(modems, FaultEffect::NONE);
        fault::modem_effects(&mut state.faults, &mut self.effects, now);
        for robot in &mut state.robots {
            fault::modem_effects(&mut robot.faults, &mut self.effects, now);
        }
        for (k, effect) in self.effects.iter().enumerate() {
            self.network.set_power_fraction(k, effect.fraction);
        }
    }

    /// Moves the view to the current instant.
    fn update_view(&mut self, scene: &Scene, state: &State, runners: &mut [Runner]) {
        self.view.time_ns = state.time_ns;
        // commands change the sea during the run
        if self.view.sea != state.sea {
            self.view.sea.clone_from(&state.sea);
        }
        let robots = scene.robots.iter().zip(&state.robots).zip(runners);
        for (r, ((robot, own), runner)) in robots.enumerate() {
            let work = &mut runner.work.links;
            kinematics::poses(robot, &own.motion, work);
            kinematics::velocities(robot, &own.motion, work);
            let (links, velocities) = (&mut self.view.links[r], &mut self.view.velocities[r]);
            links.clear();
            links.extend(work.iter().map(|w| (w.R_WL, w.p_WL)));
            velocities.clear();
            velocities.extend(work.iter().map(|w| w.V));
            let speeds = &mut self.view.shaft_speeds[r];
            speeds.clear();
            speeds.extend(shaft_speeds(
                (robot, own),
                state.sea.density,
                self.reference_speeds[r],
            ));
        }
        if let Some(ray_scene) = &mut self.ray_scene {
            ray_scene.refit_poses(&self.view);
        }
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

/// Moves the deliveries whose messages pass through a task of their robot to this task. `spare` is
/// memory for them.
fn hold_messages(scene: &Scene, state: &mut State, spare: &mut Vec<Vec<u8>>) {
    let State {
        network, robots, ..
    } = state;
    let (deliveries, payloads) = (&mut network.output.deliveries, &network.output.payloads);
    deliveries.retain(|delivery| {
        let modem = &scene.modems[delivery.to as usize];
        let Some(((robot, _), task)) = modem.on.zip(modem.task) else {
            return true;
        };
        let range = delivery.payload_start..delivery.payload_start + delivery.payload_len;
        let mut payload = spare.pop().unwrap_or_default();
        payload.clear();
        payload.extend_from_slice(payloads.get(range).unwrap_or_default());
        let data = InputData::Message(*delivery, payload);
        push_input(&mut robots[robot], task, delivery.received_ns, data);
        false
    });
}

/// Returns for each bridge and receiver the bridges that transmit the received messages.
fn onward_bridges(scene: &Scene) -> Vec<Vec<Vec<usize>>> {
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
