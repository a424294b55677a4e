//! Events of a run, from the comparison of states: faults, modes, low batteries, couplings,
//! collisions and groundings.

use merrow_model::scene::Scene;
use merrow_model::scene::fault_devices::device_path;
use merrow_model::state::Health;
use merrow_model::state::contact::ContactBody;
use merrow_sim::Simulation;
use std::collections::{BTreeMap, BTreeSet};

/// Charge below which a battery is low, 0..1.
const LOW_CHARGE: f64 = 0.2;
/// Simulated time without contact after which the contact of a pair is a new event [ns].
const CONTACT_PAUSE_NS: u64 = 2_000_000_000;
/// Maximum number of events of one comparison.
const MAX_EVENTS: usize = 16;

/// Level and text of an event.
pub(crate) type Event = (&'static str, String);

/// State at the last comparison.
#[derive(Debug, Default)]
pub(crate) struct EventDetector {
    last: Option<Summary>,
    /// Times at which pairs were in contact last [ns].
    contacts: BTreeMap<(String, String), u64>,
    /// Number of collisions of the run at the last comparison.
    collisions: u64,
}

/// State that events are derived from, by names, so that it outlasts changes of the scene.
#[derive(Debug, Default, PartialEq)]
struct Summary {
    /// Names of robots, or paths of devices without a robot, and names of their faults and failed
    /// devices.
    faults: BTreeSet<(String, String)>,
    modes: BTreeMap<String, &'static str>,
    low: BTreeSet<String>,
    engaged: BTreeMap<String, bool>,
}

impl EventDetector {
    /// Returns the events since the last call; none at the first call.
    pub(crate) fn update(&mut self, simulation: &Simulation) -> Vec<Event> {
        let now = Summary::new(simulation);
        let mut events = Vec::new();
        if let Some(last) = &self.last {
            now.compare(last, &mut events);
        }
        let is_first = self.last.replace(now).is_none();
        self.add_contacts(simulation, is_first, &mut events);
        events.truncate(MAX_EVENTS);
        events
    }

    fn add_contacts(&mut self, simulation: &Simulation, is_first: bool, events: &mut Vec<Event>) {
        let (scene, now) = (&simulation.scene, simulation.time_ns());
        let count = simulation.state.contacts.collisions;
        let n = events.len();
        let is_new = count > std::mem::replace(&mut self.collisions, count) && !is_first;
        // also after a reset of the time
        self.contacts
            .retain(|_, last| *last <= now && now - *last < CONTACT_PAUSE_NS);
        for contact in &simulation.state.contacts.touching {
            let Some((robot, other)) = names(scene, &contact.a, &contact.b) else {
                continue;
            };
            let known = self.contacts.insert((robot.clone(), other.clone()), now);
            if known.is_none() && !is_first {
                events.push(match other.as_str() {
                    "" => ("warning", format!("{robot}: grounded")),
                    other => ("warning", format!("{robot}: collision with {other}")),
                });
            }
        }
        let now_in_contact = !simulation.state.contacts.touching.is_empty();
        if is_new && events.len() == n && !now_in_contact {
            events.push((
                "warning",
                "a collision has ended within a block".to_string(),
            ));
        }
    }
}

impl Summary {
    fn new(simulation: &Simulation) -> Self {
        let (scene, state) = (&simulation.scene, &simulation.state);
        let now = simulation.time_ns();
        let mut summary = Self::default();
        for (robot, own) in scene.robots.iter().zip(&state.robots) {
            let mut add = |fault: String| summary.faults.insert((robot.name.clone(), fault));
            for fault in own.faults.iter().filter(|fault| fault.is_active(now)) {
                add(fault.fault.name.to_string());
            }
            let thrusters = robot.thrusters.iter().zip(&own.actuators);
            for (thruster, _) in thrusters.filter(|(_, a)| a.health != Health::Healthy) {
                add(thruster.name.clone());
            }
            if let Some(firmware) = &own.firmware {
                let mode = firmware.activity().mode.keyword();
                summary.modes.insert(robot.name.clone(), mode);
            }
            if robot.battery.is_some() && own.battery.charge < LOW_CHARGE {
                summary.low.insert(robot.name.clone());
            }
        }
        for fault in state.faults.iter().filter(|fault| fault.is_active(now)) {
            let device = device_path(scene, None, fault.fault.device);
            summary
                .faults
                .insert((device, fault.fault.name.to_string()));
        }
        for (coupling, own) in scene.couplings.iter().zip(&state.couplings) {
            summary.engaged.insert(coupling.name.clone(), own.engaged);
        }
        summary
    }

    fn compare(&self, last: &Self, events: &mut Vec<Event>) {
        for (robot, fault) in self.faults.difference(&last.faults) {
            events.push(("warning", format!("{robot}: fault {fault}")));
        }
        for (robot, fault) in last.faults.difference(&self.faults) {
            events.push(("info", format!("{robot}: fault {fault} has ended")));
        }
        for (robot, mode) in &self.modes {
            if last.modes.get(robot).is_some_and(|before| before != mode) {
                let mode = mode.replace('_', " ");
                events.push(("info", format!("{robot}: mode {mode}")));
            }
        }
        for robot in self.low.difference(&last.low) {
            events.push(("warning", format!("{robot}: battery low")));
        }
        for (coupling, engaged) in &self.engaged {
            if last
                .engaged
                .get(coupling)
                .is_some_and(|before| before != engaged)
            {
                let what = if *engaged { "coupled" } else { "released" };
                events.push(("info", format!("{coupling}: {what}")));
            }
        }
    }
}

/// Returns the names of a robot and of the other body of a contact, which is empty for the seabed.
fn names(scene: &Scene, a: &ContactBody, b: &ContactBody) -> Option<(String, String)> {
    let robot = |body: &ContactBody| Some(scene.robots.get(body.link()?.0)?.name.clone());
    let (own, other) = match robot(a) {
        Some(own) => (own, b),
        None => (robot(b)?, a),
    };
    let name = match other {
        ContactBody::Link { .. } => robot(other)?,
        ContactBody::Structure { structure, .. } => {
            scene.structures.get(*structure as usize)?.name.clone()
        }
        ContactBody::Seabed => String::new(),
    };
    Some((own, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::{Quat, Vec3};
    use merrow_model::state::firmware::ControlMode;
    use merrow_model::state::{BodyCommand, Command, FirmwareCommand};
    use merrow_world::{Overrides, load_text};
    use std::sync::Arc;

    const WORLD: &str = "
step: {dt_s: 0.01}
seabed: {depth_m: 4}
robots:
  rov:
    position_m: [0, 0, -2]
    model: {extends: robots/bluerov2.yaml, battery: {extends: batteries/bluerov2_18ah.yaml, initial_charge: 0.2000005}}
  crate: {position_m: [5, 0, -3.2], model: {source: t, body: {source: t, axes: flu, mass_kg: 40, inertia_kg_m2: {xx: 2, yy: 2, zz: 2}, collisions: {box: {kind: box, size_m: [0.5, 0.5, 0.5]}}}}}
  a: {position_m: [9, 0, -2], model: {source: t, base: fixed, body: {source: t, axes: flu, mass_kg: 5, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}}
  b: {position_m: [9, 0, -2], model: {source: t, body: {source: t, axes: flu, mass_kg: 5, net_buoyancy_n: 0, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}}
couplings:
  dock: {kind: latch, a: {robot: a}, b: {robot: b}, distance_m: 0.1, angle_deg: 180, speed_m_s: 1, angular_speed_rad_s: 1}
beacons: {gate: {beacon: pinger_27khz}}
faults:
  weak: {robot: rov, target: thrusters/t1, kind: dead, time_s: 0.5, duration_s: 0.5}
  mute: {target: gate, kind: dead, time_s: 0.5, duration_s: 0.5}
";

    fn simulation() -> Simulation {
        let world = load_text("w.yaml", WORLD, Overrides::default());
        let world = world.unwrap_or_else(|problems| panic!("{problems}"));
        Simulation::new(Arc::new(world.scene), 1).unwrap()
    }

    // Each kind of change gives one event, and the same state gives none. Method: a scheduled
    // fault, a battery just above its limit, a crate that sinks to the seabed, a collision after a
    // robot was placed into another, a mode, a coupling that is released and engaged again.
    #[test]
    fn changes_are_events() {
        let (mut detector, mut simulation) = (EventDetector::default(), simulation());
        assert_eq!(detector.update(&simulation), []);
        let mut run = |simulation: &mut Simulation, seconds: u64| {
            let mut new = Vec::new();
            for _ in 0..100 * seconds {
                simulation.advance(1);
                new.extend(
                    detector
                        .update(simulation)
                        .into_iter()
                        .map(|(_, text)| text),
                );
            }
            new
        };
        let first = run(&mut simulation, 8);
        for text in [
            "rov: fault weak",
            "rov: fault weak has ended",
            "beacons/gate: fault mute",
            "beacons/gate: fault mute has ended",
            "rov: battery low",
            "crate: grounded",
        ] {
            let count = first.iter().filter(|other| *other == text).count();
            assert_eq!(count, 1, "{text}: {first:?}");
        }
        assert_eq!(run(&mut simulation, 1), Vec::<String>::new());
        let mode = ControlMode::DepthHold;
        simulation
            .apply(&Command::Firmware(0, FirmwareCommand::ControlMode { mode }))
            .unwrap();
        assert_eq!(run(&mut simulation, 1), ["rov: mode depth hold"]);
        for (engage, text) in [(false, "dock: released"), (true, "dock: coupled")] {
            let coupling = Command::SetCoupling {
                coupling: 0,
                engage,
                partner: None,
            };
            simulation.apply(&coupling).unwrap();
            assert_eq!(run(&mut simulation, 1), [text]);
        }
        let place = BodyCommand::SetPose {
            p_WB: simulation.state.robots[1].motion.p_WB + Vec3::new(0.0, 0.0, 0.4),
            q_WB: Quat::identity(),
            v_WB_B: Vec3::new(0.0, 0.0, -2.0),
            w_WB_B: Vec3::zero(),
        }
        .of(0);
        simulation.apply(&place).unwrap();
        let new = run(&mut simulation, 2);
        assert!(
            new.iter().any(|text| text.contains("collision with")),
            "{new:?}"
        );
    }
}
