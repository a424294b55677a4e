//! Communication network in the step: events at their instants, power of modems.
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
//! of steps.
//!
//! # Checked by
//! test/determinism/communication.rs

use crate::environment_cache::EnvironmentCache;
use crate::robot::Runner;
use merrow_comms::channel::world::{ChannelInstant, ModemPlace, WorldChannel};
use merrow_comms::link::receivers::SceneReceivers;
use merrow_comms::network::Network;
use merrow_model::kinematics;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::Modem;
use merrow_model::state::State;
use merrow_model::state::comms::{ModemCommand, NetworkState};
use merrow_model::state::frames::view::WorldView;
use merrow_sensors::ray_scene::{RayKind, RayScene, StaticGeometry};

/// Maximum number of records of packets and of intervals between two outputs.
const MAX_RECORDS: usize = 1 << 16;

/// Network of the modems of a world, with its workspace.
#[derive(Debug)]
pub(crate) struct Communication {
    network: Network,
    receivers: SceneReceivers,
    channel: WorldChannel,
    ray_scene: Option<RayScene>,
    view: WorldView,
    shaft_speeds: Vec<Vec<f64>>,
    environment: EnvironmentCache,
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
            .any(|modem| modem.transceiver.needs_line_of_sight);
        let places: Vec<ModemPlace> = scene.modems.iter().map(place).collect();
        let robots = scene.robots.len();
        Ok(Some(Self {
            network,
            receivers: SceneReceivers::new(&scene.modems),
            channel: WorldChannel::new(scene, &places),
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
            },
            shaft_speeds: vec![Vec::new(); robots],
            environment: EnvironmentCache::default(),
        }))
    }

    /// Returns the state of a network that starts at `now_ns` [ns].
    pub(crate) fn start_at(&self, now_ns: u64) -> NetworkState {
        let mut state = self.network.start();
        for event in &mut state.events {
            event.time_ns += now_ns;
        }
        state.time_ns = now_ns;
        state.output.packets.limit = MAX_RECORDS;
        state.output.trace.limit = MAX_RECORDS;
        state
    }

    /// Returns the energy that a modem has consumed since the start of the run [J].
    pub(crate) fn energy(&self, state: &State, modem: usize) -> f64 {
        let energy = self.network.energy(&state.network, modem);
        energy.transmit + energy.receive + energy.idle
    }

    /// Applies a command at the current instant.
    ///
    /// # Errors
    /// Reason for which the command is rejected; the state is then unchanged.
    pub(crate) fn apply(&self, state: &mut State, command: &ModemCommand) -> Result<(), String> {
        self.network.apply(&mut state.network, command)
    }

    /// Returns the number of steps to the end of the step that contains the next event.
    pub(crate) fn steps_to_next(&self, state: &State, dt_ns: u64) -> u64 {
        let Some(next) = self.network.next_event_ns(&state.network) else {
            return u64::MAX;
        };
        next.saturating_sub(state.time_ns).div_ceil(dt_ns).max(1)
    }

    /// Processes all events up to the current instant. (1), (2)
    pub(crate) fn advance(&mut self, scene: &Scene, state: &mut State, runners: &mut [Runner]) {
        self.switch_modems(scene, state);
        let now = state.time_ns;
        let is_due = self.network.next_event_ns(&state.network);
        if is_due.is_some_and(|next| next <= now) {
            self.update_view(scene, state, runners);
            let environment = self.environment.start_environment(scene, &state.sea, now);
            let instant = ChannelInstant {
                view: &self.view,
                environment: &environment,
                ray_scene: self.ray_scene.as_ref(),
                shaft_speeds: &self.shaft_speeds,
            };
            let channel = self.channel.at(&instant);
            self.network
                .advance(&mut state.network, &channel, &self.receivers, now);
        } else {
            state.network.time_ns = now;
        }
        self.set_power(scene, state);
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

    /// Switches the modems of robots on and off with the power of their robot.
    fn switch_modems(&self, scene: &Scene, state: &mut State) {
        for (k, modem) in scene.modems.iter().enumerate() {
            let Some((robot, _)) = modem.on else { continue };
            let is_powered = state.robots[robot].battery.is_on();
            if state.network.modems[k].is_powered != is_powered {
                state.network.modems[k].is_powered = is_powered;
                let command = ModemCommand::Switch {
                    modem: k,
                    is_on: is_powered,
                };
                // fails for a modem that does not exist only
                let _ = self.network.apply(&mut state.network, &command);
            }
        }
    }

    /// Moves the view to the current instant.
    fn update_view(&mut self, scene: &Scene, state: &State, runners: &mut [Runner]) {
        self.view.time_ns = state.time_ns;
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
            let speeds = &mut self.shaft_speeds[r];
            speeds.clear();
            speeds.extend(own.actuators.iter().map(|actuator| actuator.shaft[0]));
        }
        if let Some(ray_scene) = &mut self.ray_scene {
            ray_scene.update_poses(&self.view);
        }
    }
}

/// Returns the mounting of a modem.
fn place(modem: &Modem) -> ModemPlace {
    ModemPlace {
        name: modem.name.clone(),
        on: modem.on,
        p: modem.p,
        axis: modem.axis,
        transceiver: modem.transceiver.clone(),
    }
}
