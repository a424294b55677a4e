//! Communication network of a simulation: commands to modems, bridges, results.

use crate::bridge_source::{BridgeSource, NewOutputs};
use crate::communication::bridged_message;
use crate::control::{fault, firmware};
use crate::simulation::Simulation;
use merrow_model::scene::fault::Device;
use merrow_model::scene::{Correspondence, Scene};
use merrow_model::state::commands::{Accepted, CommandRejection};
use merrow_model::state::comms::{ModemCommand, NetworkState};
use merrow_model::state::{Command, FaultEffect, FaultState, State};
use std::sync::Arc;

/// Maximum number of results of the network whose memory is kept.
const MAX_SPARE_OUTPUTS: usize = 8;

/// Returns true if the bridges of two worlds have the same names in the same order.
fn has_same_bridges(a: &Scene, b: &Scene) -> bool {
    let topics = a.bridges.iter().map(|bridge| &bridge.name);
    let services = a.service_bridges.iter().map(|bridge| &bridge.name);
    topics.eq(b.bridges.iter().map(|bridge| &bridge.name))
        && services.eq(b.service_bridges.iter().map(|bridge| &bridge.name))
}

impl Simulation {
    /// Applies a command to a modem.
    pub(crate) fn apply_to_modem(&mut self, command: &ModemCommand) -> Accepted {
        let communication = self.communication.as_ref();
        let communication = communication.ok_or("the world has no modems")?;
        communication
            .network
            .apply(&mut self.state.network, command)
    }

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

    /// Returns the bridges with messages that their modem can never transmit: name, reason, and
    /// number of messages since the start or the resumption of the run.
    pub fn bridge_misfits(&self) -> Vec<(String, &'static str, u64)> {
        let communication = self.communication.as_ref();
        communication.map_or_else(Vec::new, |network| network.misfits(&self.scene))
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

    /// Sets the encoder of the outputs that bridges transmit. Without an encoder, bridges transmit
    /// the messages of commands and of other bridges only.
    pub fn set_bridge_source(&mut self, source: Box<dyn BridgeSource>) {
        self.bridge_source = Some(source);
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
        output.drain_into(Arc::make_mut(&mut self.network_output), self.state.time_ns);
    }

    /// Returns the time of the next reading or frame of a sensor [ns]; `None`: there is none, or
    /// the run does not wait for it.
    pub fn next_reading_ns(&self, robot: usize, sensor: usize) -> Option<u64> {
        let own = &self.state.robots[robot];
        if own.halted.is_some() {
            return None;
        }
        let kind = &self.scene.robots[robot].sensors[sensor].kind;
        if kind.exteroceptive().is_some() {
            let scheduler = self.sensor_scheduler.as_ref()?;
            let due_ns = scheduler.next_frame_ns(robot, sensor)?;
            // a run that follows the wall clock does not wait for a late frame
            let is_late = due_ns + self.scene.dt_ns <= self.state.time_ns;
            return (!is_late).then_some(due_ns);
        }
        let memory = &own.sensors[sensor];
        let in_flight = memory.in_flight.front();
        let delivered_ns = in_flight.map_or(u64::MAX, |(due_ns, _)| *due_ns);
        Some(memory.due_ns.min(delivered_ns))
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
