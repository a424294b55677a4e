//! Communication network of a simulation: events at their instants, power of modems, results.
//!
//! # Law
//! ```text
//!   t_k-1 < t ≤ t_k: events are processed at the end of step k              (1)
//!   p(t) = p(t_k) + v(t_k) (t - t_k)                                         (2)
//!   P_robot = sum over its modems of the power of their activity             (3)
//! ```
//! # Symbols
//! t time of an event, t_k end of step k · p position and v velocity of a modem · P electrical
//! power.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A block of steps ends with the step that contains the next event. A message therefore changes
//! the state of a robot at the end of that step at the earliest. The power (3) changes at the ends
//! of steps. A fault of a modem begins and ends at the end of a step.
//!
//! # Checked by
//! test/determinism/communication.rs

use crate::bridge_source::NewOutputs;
use crate::bridges::{has_same_bridges, onward_bridges};
use crate::computers::input::push_input;
use crate::control::fault;
use crate::environment_cache::EnvironmentCache;
use crate::modem_fix::{error_stream, measure};
use crate::robot::{Moment, Runner};
use crate::shaft_speeds::{reference_speeds, shaft_speeds};
use crate::simulation::Simulation;
use merrow_comms::channel::world::{ChannelInstant, WorldChannel};
use merrow_comms::network::Network;
use merrow_math::rng::Stream;
use merrow_model::kinematics;
use merrow_model::scene::fault::Device;
use merrow_model::scene::{Correspondence, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::comms::modem::Supply;
use merrow_model::state::comms::{ModemCommand, NetworkOutput, NetworkState};
use merrow_model::state::computer::InputData;
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::{FaultEffect, FaultState, State};
use merrow_sensors::ray_scene::{RayKind, RayScene, StaticGeometry};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of results of the network whose memory is kept.
const MAX_SPARE_OUTPUTS: usize = 8;

/// Maximum number of records of packets and of intervals between two outputs.
const MAX_RECORDS: usize = 1 << 16;
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
    pub(crate) onward: Vec<Vec<Vec<usize>>>,
    /// Number of bridges of topics and services.
    bridge_count: usize,
    /// Workspace: packet of a bridge.
    pub(crate) packet: Vec<u8>,
    /// Workspace: message that is passed on to another bridge.
    pub(crate) relayed: Vec<u8>,
    /// Workspace: effects of faults on the modems.
    effects: Vec<FaultEffect>,
    /// Number of messages of bridges that their modem can never transmit, by the number of the
    /// bridge and the reason.
    pub(crate) misfits: BTreeMap<(usize, &'static str), u64>,
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

/// Moves all results of the network to the end of `to` at the time `now_ns` [ns] and keeps the memory.
fn drain(from: &mut NetworkOutput, to: &mut NetworkOutput, now_ns: u64) {
    let offset = to.payloads.len();
    for delivery in &mut from.deliveries {
        delivery.payload_start += offset;
        delivery.published_ns = now_ns;
    }
    for range in &mut from.ranges {
        range.published_ns = now_ns;
    }
    move_all(&mut from.payloads, &mut to.payloads);
    move_all(&mut from.deliveries, &mut to.deliveries);
    move_all(&mut from.ranges, &mut to.ranges);
    move_all(&mut from.packets.items, &mut to.packets.items);
    move_all(&mut from.trace.items, &mut to.trace.items);
    to.packets.discarded = from.packets.discarded;
    to.trace.discarded = from.trace.discarded;
}

/// Moves all items to the end of `to`. Exchanges the memory if `to` is empty.
fn move_all<T>(from: &mut Vec<T>, to: &mut Vec<T>) {
    if to.is_empty() {
        std::mem::swap(from, to);
    } else {
        to.append(from);
    }
}

impl Simulation {
    /// Returns the energy that a modem has consumed since the start of the run [J].
    pub fn modem_energy(&self, modem: usize) -> f64 {
        self.communication.as_ref().map_or(0.0, |communication| {
            let energy = communication.network.energy(&self.state.network, modem);
            energy.transmit + energy.receive + energy.idle
        })
    }

    /// Returns the fraction of the transmit power of a modem that its faults leave [-].
    pub fn modem_power_fraction(&self, modem: usize) -> f64 {
        let mut faults = self.modem_fault_states(modem).to_vec();
        let mut effects = vec![FaultEffect::NONE; self.scene.modems.len()];
        fault::modem_effects(&mut faults, &mut effects, self.state.time_ns);
        effects[modem].fraction
    }

    /// Returns the kinds of the faults of a modem that are active now, separated by commas.
    pub fn modem_faults(&self, modem: usize) -> String {
        let faults = self.modem_fault_states(modem);
        fault::active_kinds(faults, Device::Modem(modem), self.state.time_ns)
    }

    /// Returns the faults of the robot that carries a modem, or of the world for a fixed modem.
    fn modem_fault_states(&self, modem: usize) -> &[FaultState] {
        match self.scene.modems[modem].on {
            Some((robot, _)) => &self.state.robots[robot].faults,
            None => &self.state.faults,
        }
    }

    /// Returns true if the network can continue from a state.
    pub(crate) fn accepts_network(&self, state: &State) -> bool {
        match &self.communication {
            Some(communication) => communication.accepts(&state.network),
            None => state.network == NetworkState::default(),
        }
    }

    /// Starts the network at the current time, without messages.
    pub(crate) fn restart_network(&mut self) {
        if let Some(communication) = &self.communication {
            self.state.network = communication.start_at(self.state.time_ns);
        }
    }

    /// Continues the network of the world `old`, from which modems without a target in `same` were
    /// removed. A network whose bridges change starts at the current time, without messages.
    pub(crate) fn continue_network(&mut self, old: &mut Self, same: &Correspondence) {
        let Some(communication) = &self.communication else {
            return;
        };
        let before = std::mem::take(&mut old.state.network);
        let is_same_bridge = has_same_bridges(&old.scene, &self.scene);
        self.state.network = match &old.communication {
            Some(former) if is_same_bridge && former.accepts(&before) => {
                let network = &communication.network;
                network.continue_from(&former.network, before, &same.modems)
            }
            _ => communication.start_at(self.state.time_ns),
        };
    }

    /// Loses the messages and the frames of the modems that `new` does not contain, with records.
    pub(crate) fn lose_removed_modems(&mut self, new: &Self) {
        let targets = self.correspondence(new).modems;
        let Some(communication) = &mut self.communication else {
            return;
        };
        if targets.iter().any(Option::is_none) {
            let network = &mut communication.network;
            network.remove(&mut self.state.network, &targets);
            self.drain_network_output();
        }
    }

    /// Returns the results of the network since the last [`Simulation::clear_outboxes`], shared without a
    /// copy; `None` if there are none, so that the simulation can continue to fill them.
    pub fn shared_network_output(&self) -> Option<Arc<NetworkOutput>> {
        let output = &self.network_output;
        (!output.is_empty()).then(|| Arc::clone(output))
    }

    /// Processes the events of the network up to now. Messages that results of the network cause
    /// are queued at the same instant.
    pub(crate) fn advance_network(&mut self) {
        while let Some(communication) = &mut self.communication {
            let mut is_sent = communication.advance(
                &self.scene,
                &mut self.state,
                &mut self.runners,
                &mut self.schedule_rejections,
            );
            if !self.state.network.output.is_empty() {
                is_sent |= self.transmit_outputs(&NewOutputs::Network);
                self.drain_network_output();
            }
            if !is_sent {
                break;
            }
        }
    }

    /// Passes on messages of modems that a task has completed: over further bridges and to the
    /// observers.
    pub(crate) fn pass_messages_on(&mut self) {
        let Some(communication) = &mut self.communication else {
            return;
        };
        if self.state.network.output.is_empty() {
            return;
        }
        let rejections = &mut self.schedule_rejections;
        communication.send_onward(&self.scene, &mut self.state, rejections);
        self.transmit_outputs(&NewOutputs::Network);
        self.drain_network_output();
    }

    /// Moves the results of the network to the results for the observers.
    fn drain_network_output(&mut self) {
        let output = &mut self.state.network.output;
        drain(
            output,
            Arc::make_mut(&mut self.network_output),
            self.state.time_ns,
        );
    }

    /// Empties the results of the network. If an observer uses them, other memory takes their
    /// place.
    pub(crate) fn clear_network_output(&mut self) {
        if self.network_output.is_empty() {
            return;
        }
        if let Some(output) = Arc::get_mut(&mut self.network_output) {
            output.clear();
            return;
        }
        let mut spare = self.spare_outputs.iter_mut();
        let unused = spare.position(|output| Arc::get_mut(output).is_some());
        let mut next = unused.map_or_else(Arc::default, |k| self.spare_outputs.swap_remove(k));
        if let Some(output) = Arc::get_mut(&mut next) {
            output.clear();
        }
        let used = std::mem::replace(&mut self.network_output, next);
        if self.spare_outputs.len() < MAX_SPARE_OUTPUTS {
            self.spare_outputs.push(used);
        }
    }
}
