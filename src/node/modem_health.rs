//! Diagnostics of modems: discarded messages and control frames, records missing in the logs.

use crate::node::diagnostics::{ERROR, OK, WARN, status, value};
use merrow_model::scene::Scene;
use merrow_model::state::comms::{NetworkState, PacketCounts};
use merrow_ros2::msg::diagnostic_msgs::DiagnosticStatus;
use merrow_sim::Simulation;

/// Counters of one modem since the start of the run.
#[derive(Clone, Debug)]
struct ModemHealth {
    is_on: bool,
    queued: usize,
    over_rate: u64,
    discarded_control: u64,
}

/// Counters of all modems, read between two blocks of steps.
#[derive(Clone, Debug, Default)]
pub(super) struct NetworkHealth {
    modems: Vec<ModemHealth>,
    /// Kinds of the active faults of each modem, separated by commas.
    faults: Vec<String>,
    copies: PacketCounts,
    /// Numbers of records of packets and of intervals that were not logged.
    missing: [u64; 2],
    /// Messages of bridges that cannot be transmitted: bridge, reason, number.
    misfits: Vec<(String, &'static str, u64)>,
}

impl NetworkHealth {
    /// Reads the counters of a simulation.
    pub(super) fn read(simulation: &Simulation) -> Self {
        let modems = 0..simulation.scene.modems.len();
        Self {
            misfits: simulation.bridge_misfits(),
            faults: modems.map(|k| simulation.modem_faults(k)).collect(),
            ..Self::from_state(&simulation.state.network)
        }
    }

    fn from_state(network: &NetworkState) -> Self {
        let modems = network.modems.iter().map(|own| ModemHealth {
            is_on: own.is_on,
            queued: own.queue.len(),
            over_rate: own.over_rate,
            discarded_control: own.discarded_control,
        });
        let output = &network.output;
        Self {
            modems: modems.collect(),
            copies: network.copies,
            missing: [output.packets.discarded, output.trace.discarded],
            ..Self::default()
        }
    }

    /// Builds the statuses of the modems and of their logs; none without modems.
    pub(super) fn statuses(&self, scene: &Scene) -> Vec<DiagnosticStatus> {
        if self.modems.is_empty() {
            return Vec::new();
        }
        let modems = scene.modems.iter().zip(&self.modems);
        let fault = |k: usize| self.faults.get(k).map_or("", String::as_str);
        let statuses = modems.enumerate();
        let mut all: Vec<DiagnosticStatus> = statuses
            .map(|(k, (modem, own))| own.status(&modem.name, fault(k)))
            .collect();
        all.push(self.log_status());
        all.extend(self.misfit_status());
        all
    }

    /// Builds the status of the messages of bridges that can never be transmitted; `None` without
    /// such messages.
    fn misfit_status(&self) -> Option<DiagnosticStatus> {
        let total: u64 = self.misfits.iter().map(|(_, _, count)| count).sum();
        let values = self.misfits.iter();
        let values = values
            .map(|(bridge, reason, count)| value(&format!("bridge {bridge}: {reason}"), *count));
        (total > 0).then(|| {
            status(
                WARN,
                "merrow: bridges".into(),
                format!("{total} messages can never be transmitted"),
                values.collect(),
            )
        })
    }

    /// Builds the status of the logs of packets and schedules.
    fn log_status(&self) -> DiagnosticStatus {
        let [packets, intervals] = self.missing;
        let (level, message) = match self.missing {
            [0, 0] => (OK, "complete".to_string()),
            _ => (
                WARN,
                format!("{packets} packets and {intervals} intervals are missing in the logs"),
            ),
        };
        let lost: u64 = self.copies.lost.iter().sum();
        let values = vec![
            value("packets missing in network/packets", packets),
            value("intervals missing in network/schedule", intervals),
            value("messages accepted", self.copies.entered),
            value("messages delivered", self.copies.delivered),
            value("messages lost", lost),
        ];
        status(level, "merrow: modem logs".into(), message, values)
    }
}

impl ModemHealth {
    /// Builds the status of a modem with this name and these faults.
    fn status(&self, name: &str, fault: &str) -> DiagnosticStatus {
        let (level, message) = match self.discarded_control {
            _ if !fault.is_empty() => (ERROR, format!("fault: {fault}")),
            n if n > 0 => (WARN, format!("{n} control frames were discarded")),
            _ if self.is_on => (OK, "on".to_string()),
            _ => (OK, "off".to_string()),
        };
        let values = vec![
            value("waiting messages", self.queued),
            value("messages of bridges above max_rate_hz", self.over_rate),
            value("discarded control frames", self.discarded_control),
        ];
        status(level, format!("{name}: modem"), message, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::state::Command;
    use merrow_world::{Overrides, data_dir, load_text, load_world};
    use std::sync::Arc;

    /// Returns the values of a status as text.
    fn values(found: &DiagnosticStatus) -> Vec<String> {
        let values = found.values.iter();
        values.map(|v| format!("{}={}", v.key, v.value)).collect()
    }

    // The diagnostics contain the counters of each modem and of the logs. Method: the world
    // `modems`, without losses and with one loss of each kind.
    #[test]
    fn discarded_frames_and_records_are_reported() {
        let path = data_dir::world_file("modems");
        let world = load_world(&path, Overrides::default()).expect("a world");
        let simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
        let scene = &simulation.scene;
        let all = NetworkHealth::read(&simulation).statuses(scene);
        assert_eq!(all.len(), scene.modems.len() + 1);
        assert!(all.iter().all(|s| s.level == DiagnosticStatus::OK));
        let mut network = simulation.state.network.clone();
        let k = scene.modems.iter().position(|modem| modem.name == "shore");
        let k = k.expect("a modem");
        network.modems[k].over_rate = 12;
        network.modems[k].discarded_control = 3;
        network.output.packets.discarded = 7;
        let all = NetworkHealth::from_state(&network).statuses(scene);
        let find = |name: &str| all.iter().find(|s| s.name == name).expect("a status");
        let shore = find("shore: modem");
        assert_eq!(shore.level, DiagnosticStatus::WARN);
        assert_eq!(shore.message, "3 control frames were discarded");
        let expected = [
            "waiting messages=0",
            "messages of bridges above max_rate_hz=12",
            "discarded control frames=3",
        ];
        assert_eq!(values(shore), expected);
        let logs = find("merrow: modem logs");
        assert_eq!(logs.level, DiagnosticStatus::WARN);
        assert_eq!(
            logs.message,
            "7 packets and 0 intervals are missing in the logs"
        );
        assert_eq!(values(logs)[0], "packets missing in network/packets=7");
        let other = find("auv_1/acoustic: modem");
        assert_eq!(
            (other.level, other.message.as_str()),
            (DiagnosticStatus::OK, "on")
        );
        assert!(NetworkHealth::default().statuses(scene).is_empty());
    }

    // Messages of variable size that can never be transmitted are counted by bridge and reason, and
    // faults of modems are errors. Method: a text below and a text above the size of the queue, and
    // a text longer than a slot; a dead modem.
    #[test]
    fn bridges_that_never_deliver_and_broken_modems_are_reported() {
        let text = "
seabed: {depth_m: 40}
faults: {f: {target: c, kind: dead}}
modems:
  a: {modem: thetis_modem, position_m: [0, 0, -9], queue: {max_size_bytes: 20}}
  b: {modem: thetis_modem, position_m: [9, 0, -9], mac: {kind: tdma, frame_s: 9, slots_s: [[0, 0.45]]}}
  c: {modem: thetis_modem, position_m: [0, 9, -9]}
bridges:
  chat: {from: a, to: b, topic: /chat, message_type: std_msgs/msg/String, received_as: /heard}
  back: {from: b, to: a, topic: /back, message_type: std_msgs/msg/String, received_as: /again}
robots: {}
";
        let world = load_text("w.yaml", text, Overrides::default()).expect("a world");
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
        let mut send = |bridge: usize, length: usize| {
            let message = vec![0; length];
            simulation
                .apply(&Command::Bridge { bridge, message })
                .expect("queued");
            simulation.advance(1);
            NetworkHealth::read(&simulation).statuses(&simulation.scene)
        };
        let find =
            |all: &[DiagnosticStatus], name: &str| all.iter().find(|s| s.name == name).cloned();
        let all = send(0, 18);
        assert_eq!(find(&all, "merrow: bridges"), None);
        let broken = find(&all, "c: modem").expect("a status");
        assert_eq!(
            (broken.level, broken.message.as_str()),
            (DiagnosticStatus::ERROR, "fault: dead")
        );
        send(0, 19);
        send(0, 30);
        let bridges = find(&send(1, 40), "merrow: bridges").expect("a status");
        assert_eq!(bridges.level, DiagnosticStatus::WARN);
        assert_eq!(bridges.message, "3 messages can never be transmitted");
        let expected = [
            "bridge chat: longer than the queue=2",
            "bridge back: longer than the slot=1",
        ];
        assert_eq!(values(&bridges), expected);
    }
}
