//! Diagnostics of modems: discarded messages and control frames, records missing in the logs.

use crate::node::diagnostics::{ERROR, OK, WARN, status, value};
use crate::node::states::WorldStatus;
use merrow_model::scene::Scene;
use merrow_model::state::comms::{ModemState, NetworkState};
use merrow_ros2::msg::diagnostic_msgs::DiagnosticStatus;

/// Builds the statuses of the modems, of their logs and of bridges; none without modems.
pub(super) fn statuses(scene: &Scene, world: &WorldStatus) -> Vec<DiagnosticStatus> {
    let network = &world.state.network;
    if network.modems.is_empty() {
        return Vec::new();
    }
    let modems = scene.modems.iter().zip(&network.modems).zip(&world.modems);
    let mut all: Vec<DiagnosticStatus> = modems
        .map(|((modem, own), condition)| modem_status(&modem.name, own, &condition.fault))
        .collect();
    all.push(log_status(network));
    all.extend(misfit_status(&world.misfits));
    all
}

/// Builds the status of the messages of bridges that can never be transmitted; `None` without such
/// messages.
fn misfit_status(misfits: &[(String, &str, u64)]) -> Option<DiagnosticStatus> {
    let total: u64 = misfits.iter().map(|(_, _, count)| count).sum();
    let values = misfits
        .iter()
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
fn log_status(network: &NetworkState) -> DiagnosticStatus {
    let output = &network.output;
    let missing = [output.packets.discarded, output.trace.discarded];
    let [packets, intervals] = missing;
    let (level, message) = match missing {
        [0, 0] => (OK, "complete".to_string()),
        _ => (
            WARN,
            format!("{packets} packets and {intervals} intervals are missing in the logs"),
        ),
    };
    let lost: u64 = network.copies.lost.iter().sum();
    let values = vec![
        value("packets missing in network/packets", packets),
        value("intervals missing in network/schedule", intervals),
        value("messages accepted", network.copies.entered),
        value("messages delivered", network.copies.delivered),
        value("messages lost", lost),
    ];
    status(level, "merrow: modem logs".into(), message, values)
}

/// Builds the status of a modem with this name and the kinds of its active faults, separated by
/// commas.
fn modem_status(name: &str, modem: &ModemState, fault: &str) -> DiagnosticStatus {
    let (level, message) = match modem.discarded_control {
        _ if !fault.is_empty() => (ERROR, format!("fault: {fault}")),
        n if n > 0 => (WARN, format!("{n} control frames were discarded")),
        _ if modem.is_on => (OK, "on".to_string()),
        _ => (OK, "off".to_string()),
    };
    let values = vec![
        value("waiting messages", modem.queue.len()),
        value("messages of bridges above max_rate_hz", modem.over_rate),
        value("discarded control frames", modem.discarded_control),
    ];
    status(level, format!("{name}: modem"), message, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::state::Command;
    use merrow_sim::Simulation;
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
        let mut world = WorldStatus::read(&simulation);
        let all = statuses(scene, &world);
        assert_eq!(all.len(), scene.modems.len() + 1);
        assert!(all.iter().all(|s| s.level == DiagnosticStatus::OK));
        let network = &mut world.state.network;
        let k = scene.modems.iter().position(|modem| modem.name == "shore");
        let k = k.expect("a modem");
        network.modems[k].over_rate = 12;
        network.modems[k].discarded_control = 3;
        network.output.packets.discarded = 7;
        let all = statuses(scene, &world);
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
        world.state.network.modems.clear();
        assert!(statuses(scene, &world).is_empty());
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
            statuses(&simulation.scene, &WorldStatus::read(&simulation))
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
