//! Tests of modems in worlds: determinism, conservation of packets, bridges, and the power of a
//! robot.

use crate::common::balance;
use crate::common::scene;
use merrow::publisher::connect_bridges;
use merrow_math::Vec3;
use merrow_messages::convert::modem::packet_log;
use merrow_messages::msg::{PacketLog, PacketRecord};
use merrow_model::scene::comms::MacProtocol;
use merrow_model::scene::comms::bridge::Bridge;
use merrow_model::scene::schedule::ScheduledCommand;
use merrow_model::state::commands::{BridgedCall, CommandRejection};
use merrow_model::state::comms::{Activity, Delivery, LossCause, ModemCommand, Ranging, Send};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::{
    Control, Observer, Pace, Reply, Request, Simulation, bridged_call, bridged_message,
};
use merrow_world::document::Document;
use merrow_world::{Overrides, load_text};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SECOND: u64 = 1_000_000_000;
/// Modems of the world in their order.
const MODEMS: [&str; 11] = [
    "a/acoustic",
    "a/light",
    "a/radio",
    "b/acoustic",
    "b/light",
    "b/radio",
    "boat/acoustic",
    "boat/wifi",
    "boat/iridium",
    "office",
    "shore",
];

/// Returns a robot with a battery, a thruster and a pressure sensor; `modems` by name.
fn robot(name: &str, position: &str, modems: &str) -> String {
    format!(
        "  {name}:
    position_m: {position}
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 20, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, \
         net_buoyancy_n: 0}}
      battery: bluerov2_18ah
      thrusters: {{t: {{motor: t200_12v, position_m: [0, 0, 0], direction: [1, 0, 0]}}}}
      sensors: {{depth: {{device: {{extends: sensors/bar30.yaml, rate_hz: 10}}}}}}
      modems: {{{modems}}}
"
    )
}

/// Returns a world with modems of all five media, two of the bridges in a chain.
pub(crate) fn world() -> String {
    let below = |name: &str, position: &str, axis: &str| {
        let modems = format!(
            "acoustic: {{modem: evologics_s2c_r_18_34, mac: {{kind: csma_ca, \
             backoff: {{kind: nonpersistent, max_s: 0.5}}}}}}, \
             light: {{modem: hydromea_luma, axis: {axis}}}, radio: {{modem: wfs_s300}}"
        );
        robot(name, position, &modems)
    };
    let boat = "acoustic: {modem: evologics_s2c_r_18_34}, \
                wifi: {modem: wifi_80211n, position_m: [0, 0, 2]}, \
                iridium: {modem: iridium_sbd, position_m: [0, 0, 2]}";
    format!(
        "step: {{dt_s: 0.01}}
seed: 7
seabed: {{depth_m: 40}}
robots:
{}{}{}modems:
  office: {{modem: iridium_gateway, position_m: [0, 0, 5]}}
  shore: {{modem: wifi_80211n, position_m: [300, 0, 6]}}
bridges:
  depth: {{from: a/acoustic, to: boat/acoustic, topic: /a/depth/pose, max_rate_hz: 0.4}}
  onward: {{from: boat/wifi, to: shore, topic: /boat/a/depth/pose, acknowledge: true}}
  battery: {{from: b/light, to: a/light, topic: /b/battery_state}}
  arm: {{from: shore, to: boat/wifi, service: /boat/arm, service_type: std_srvs/srv/SetBool, max_rate_hz: 1}}
",
        below("a", "[0, 0, -10]", "[1, 0, 0]"),
        below("b", "[8, 0, -10]", "[-1, 0, 0]"),
        robot("boat", "[60, 20, -0.5]", boat),
    )
}

fn modem(name: &str) -> usize {
    let found = MODEMS.iter().position(|other| *other == name);
    found.unwrap_or_else(|| panic!("{name}"))
}

fn send(from: &str, destination: u16, length: usize, is_acknowledged: bool) -> Command {
    Command::Modem(ModemCommand::Send(Send {
        priority: 1,
        is_acknowledged,
        ..Send::new(modem(from), destination, vec![length as u8; length])
    }))
}

/// Returns a request or a response of the service of a bridge.
fn call(number: u32, is_response: bool) -> Command {
    Command::Call(BridgedCall {
        bridge: 0,
        call: number,
        is_response,
        message: vec![0, 1, 0, 0, u8::from(is_response)],
    })
}

/// Returns the commands of a run: traffic on every medium, a call, ranges, and a thruster.
pub(crate) fn traffic(simulation: &Simulation) -> Vec<ScheduledCommand> {
    let address = |name: &str| simulation.scene.modems[modem(name)].address;
    let range = |from: &str, to: &str| {
        Command::Modem(ModemCommand::Range {
            modem: modem(from),
            destination: address(to),
            kind: Ranging::TwoWay,
        })
    };
    let thruster = Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 0,
            value: 1540.0,
        },
    );
    let list = [
        (0.05, thruster),
        (0.30, send("a/acoustic", address("b/acoustic"), 150, true)),
        (0.31, send("b/acoustic", 65535, 40, false)),
        (0.50, send("a/light", address("b/light"), 3000, true)),
        (0.72, send("b/radio", address("a/radio"), 200, false)),
        (0.93, send("boat/iridium", address("office"), 200, false)),
        (1.11, send("shore", address("boat/wifi"), 5000, true)),
        (1.55, call(7, false)),
        (2.02, range("b/acoustic", "boat/acoustic")),
        (2.50, range("boat/wifi", "shore")),
        (4.44, send("boat/acoustic", 65535, 60, false)),
    ];
    let entry = |(time, command): (f64, Command)| ScheduledCommand {
        name: "traffic".into(),
        time_ns: (time * 1e9) as u64,
        command,
    };
    list.map(entry).to_vec()
}

/// Returns the simulation of the world with its traffic, at its start.
fn start(threads: usize) -> Simulation {
    let mut simulation = Simulation::new(Arc::new(scene(&world())), threads).unwrap();
    let names: Vec<&str> = simulation.scene.modems.iter().map(|m| &*m.name).collect();
    assert_eq!(names, MODEMS);
    connect_bridges(&mut simulation);
    simulation.replay.commands = traffic(&simulation);
    simulation
}

/// Appends the deliveries, ranges, records and intervals of the network to the texts and empties
/// them.
fn take_results(simulation: &mut Simulation, texts: &mut [String; 4]) {
    let output = &simulation.network_output;
    for delivery in &output.deliveries {
        let payload = output.payload(delivery);
        let at = (delivery.from, delivery.to, delivery.received_ns);
        writeln!(texts[0], "{at:?} {} {payload:?}", delivery.snr).unwrap();
    }
    for result in &output.ranges {
        writeln!(texts[1], "{result:?}").unwrap();
    }
    for record in &output.packets.items {
        writeln!(texts[2], "{record:?}").unwrap();
    }
    for interval in &output.trace.items {
        writeln!(texts[3], "{interval:?}").unwrap();
    }
    simulation.clear_outboxes();
}

/// Runs to `end` [ns] in blocks and appends the results to the texts.
fn run(simulation: &mut Simulation, end: u64, block: u64, texts: &mut [String; 4]) {
    while simulation.time_ns() < end {
        let left = (end - simulation.time_ns()) / simulation.scene.dt_ns;
        simulation.advance(block.min(left));
        take_results(simulation, texts);
    }
}

// A world with modems of all media gives bit-identical results on 1, 2 and 4 threads, in blocks of
// 1, 7, 100 and all steps, and after a checkpoint. Method: state hash and all deliveries, ranges,
// records of packets and intervals of the trace after 20 s.
#[test]
fn modems_have_the_same_bits() {
    let end = 20 * SECOND;
    let mut first = start(1);
    let mut texts = <[String; 4]>::default();
    run(&mut first, end, 100, &mut texts);
    let hash = first.state.hash();
    for name in MODEMS {
        let k = modem(name);
        let is_own = |l: &str| l.starts_with(&format!("({k},")) || l.contains(&format!(", {k}, "));
        assert!(texts[0].lines().any(is_own), "{name} has no delivery");
    }
    assert!(texts[1].contains("kind: TwoWay, modem: 7"), "no range");
    for (threads, block) in [(1, 1), (2, 7), (4, 100), (4, 2000)] {
        let (mut other, mut same) = (start(threads), <[String; 4]>::default());
        run(&mut other, end, block, &mut same);
        let is_same = std::array::from_fn::<bool, 4, _>(|k| same[k] == texts[k]);
        assert_eq!(is_same, [true; 4], "{threads} threads in blocks of {block}");
        assert_eq!(other.state.hash(), hash, "{threads} threads, {block} steps");
    }
    let (mut half, mut both) = (start(2), <[String; 4]>::default());
    run(&mut half, 5 * SECOND, 100, &mut both);
    let checkpoint = half.checkpoint().unwrap();
    let mut rest = start(4);
    rest.resume(&checkpoint).unwrap();
    rest.replay.applied = half.replay.applied;
    run(&mut rest, end, 7, &mut both);
    assert!(both == texts, "other results after the checkpoint");
    assert_eq!(rest.state.hash(), hash, "after the checkpoint");
}

// Every packet is queued, in flight, delivered, or lost with a cause, at any instant. Method: the
// balances of copies and frames after every step of 10 s, with lost and delivered packets.
#[test]
fn packets_are_conserved_at_any_instant() {
    let mut simulation = start(1);
    for step in 0..1000 {
        simulation.advance(1);
        let network = &simulation.state.network;
        let all = [balance::copies(network), balance::frames(network)];
        assert!(all.iter().all(|b| b.is_closed()), "step {step}: {all:?}");
    }
    let copies = balance::copies(&simulation.state.network);
    assert!(copies.delivered >= 10 && copies.entered > 10, "{copies:?}");
}

/// Returns the arrivals over a bridge: time [ns] and message.
fn arrivals(simulation: &Simulation, name: &str) -> Vec<(u64, Vec<u8>)> {
    let scene = &simulation.scene;
    let is_named = |bridge: &Bridge| bridge.name == name;
    let wanted = scene.bridges.iter().position(is_named);
    let output = &simulation.network_output;
    let bridged = output.deliveries.iter().filter_map(|delivery| {
        let (k, _, message) = bridged_message(scene, delivery, output.payload(delivery))?;
        (Some(k) == wanted).then(|| (delivery.received_ns, message.to_vec()))
    });
    bridged.collect()
}

// A bridge transmits an output of the simulator at its time, at most at its rate; the next bridge
// of a chain transmits the same bytes when they have arrived; a state without a time of measurement
// is transmitted with its period. Messages above the rate are counted. Method: arrivals in 10 s.
// Tolerance: 10 ms, a step, for the second bridge; the first message leaves in the first step; one
// reading at the start and at the end.
#[test]
fn bridges_form_chains() {
    let mut simulation = start(1);
    simulation.replay.commands.clear();
    simulation.advance(1000);
    let [first, second, battery] = ["depth", "onward", "battery"].map(|k| arrivals(&simulation, k));
    assert!((2..=4).contains(&first.len()), "{} arrivals", first.len());
    assert_eq!(first.len(), second.len());
    for ((t, message), (later, passed_on)) in first.iter().zip(&second) {
        assert_eq!(message, passed_on);
        assert!(later > t && later - t < 20_000_000, "{t} {later}");
    }
    let output = &simulation.network_output;
    let sent = output
        .deliveries
        .iter()
        .filter(|d| d.is_bridged && d.from == 0);
    let created: Vec<u64> = sent.map(|d| d.created_ns).collect();
    let is_due = |t: &u64| t % 2_500_000_000 == created[0];
    // the latency of the sensor ends in the first step
    assert!(
        created[0] <= 10_000_000 && created.iter().all(is_due),
        "{created:?}"
    );
    assert_eq!(battery.len(), 10, "one per second");
    // the sensor has 10 readings per second, and the bridge transmits one every 2.5 s
    let discarded = simulation.state.network.modems[0].over_rate;
    assert!((94..=97).contains(&discarded), "{discarded} discarded");
}

// The request of a call arrives at the modem of the server, the response at the modem of the
// caller, with the number of the call; a request within the minimum interval of the bridge is
// refused, a response is not. Method: two calls in 0.5 s over a radio with a bridge of 1 Hz.
#[test]
fn calls_cross_a_bridge_in_both_directions() {
    let mut simulation = start(1);
    simulation.replay.commands.clear();
    let mut results = Vec::new();
    for command in [call(5, false), call(6, false), call(5, true), call(6, true)] {
        results.push(simulation.apply(&command));
        simulation.advance(10);
    }
    let refused = results.remove(1).expect_err("above the rate");
    assert_eq!(
        refused.reason,
        "bridge arm: request discarded: the rate exceeds `max_rate_hz`"
    );
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let output = &simulation.network_output;
    let arrived = output.deliveries.iter().filter_map(|delivery| {
        let arrived = bridged_call(&simulation.scene, delivery, output.payload(delivery))?;
        let ends = [delivery.from, delivery.to].map(|k| MODEMS[k as usize]);
        Some((ends, arrived.call, arrived.is_response, arrived.message))
    });
    let (there, back) = (["shore", "boat/wifi"], ["boat/wifi", "shore"]);
    let expected: [(_, _, _, &[u8]); 3] = [
        (there, 5, false, &[0, 1, 0, 0, 0]),
        (back, 5, true, &[0, 1, 0, 0, 1]),
        (back, 6, true, &[0, 1, 0, 0, 1]),
    ];
    assert_eq!(arrived.collect::<Vec<_>>(), expected);
    // the message of the bridge of a topic is no call
    simulation.clear_outboxes();
    simulation.advance(150);
    let output = &simulation.network_output;
    let mut bridged = output.deliveries.iter().filter(|d| d.is_bridged);
    assert!(bridged.clone().count() > 0);
    let is_call = |d: &Delivery| bridged_call(&simulation.scene, d, output.payload(d)).is_some();
    assert!(!bridged.any(is_call));
}

// A modem with an array measures the position of another modem on its reply. Method: 300 ranges
// between a rotated, fixed robot and a fixed modem; mean and standard deviation of the direction
// and of the range about the geometry, in the frame of the link. Tolerance: 4 standard errors; the
// signal-to-noise ratio raises the standard deviation by 2 %, which is less.
#[test]
fn replies_give_positions() {
    let text = "step: {dt_s: 0.01}
water: {sound_speed_m_s: 1500}
seabed: {depth_m: 200}
robots:
  r:
    position_m: [10, 20, -30]
    attitude_deg: [0, 0, 90]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 20, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      modems: {usbl: {modem: seatrac_x150, position_m: [1, 0, 0]}}
modems: {target: {modem: seatrac_x110, position_m: [10, 60, -60]}}
";
    let mut simulation = crate::common::simulation(text);
    let (modem, destination) = (0, simulation.scene.modems[1].address);
    let range = Command::Modem(ModemCommand::Range {
        modem,
        destination,
        kind: Ranging::TwoWay,
    });
    let mut errors = [Vec::new(), Vec::new(), Vec::new()];
    // the target is 39 m ahead of the modem and 30 m below
    let truth = Vec3::new(39.0, 0.0, -30.0);
    for _ in 0..300 {
        simulation.apply(&range).unwrap();
        simulation.advance(600);
        for result in &simulation.network_output.ranges {
            let direction = result.direction.expect("a direction");
            let d = truth.scale(1.0 / truth.norm());
            let up = Vec3::new(30.0, 0.0, 39.0).scale(1.0 / truth.norm());
            errors[0].push(direction.d.y);
            errors[1].push((direction.d - d).dot(up));
            errors[2].push(result.range_error);
        }
        simulation.clear_outboxes();
    }
    let std = [1_f64.to_radians(), 1_f64.to_radians(), 0.05];
    for (errors, std) in errors.iter().zip(std) {
        let n = errors.len() as f64;
        assert!(n > 250.0, "{n} ranges");
        let mean = errors.iter().sum::<f64>() / n;
        let found = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n).sqrt();
        assert!(mean.abs() < 4.0 * std / n.sqrt(), "mean {mean}");
        assert!(
            (found / std - 1.0).abs() < 4.0 / (2.0 * n).sqrt(),
            "{found} for {std}"
        );
    }
}

// A schedule commands modems. Method: a text, a range, the power and a switch, at their times.
#[test]
fn schedules_command_modems() {
    let text = "
seabed: {depth_m: 100}
robots:
  auv:
    position_m: [0, 0, -30]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 20, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      modems: {usbl: {modem: seatrac_x150, position_m: [1, 0, 0]}}
modems: {target: {modem: seatrac_x110, position_m: [10, 60, -60]}}
schedule:
  hello: {time_s: 0.5, kind: modem_send, from: auv/usbl, to: target, text: hello, acknowledge: true}
  distance: {time_s: 5, kind: modem_range, from: auv/usbl, to: target}
  quiet: {time_s: 10, kind: modem_power, target: target, power_w: 0.5}
  slots: {time_s: 11, kind: modem_mac, target: target, mac: {kind: slotted_aloha, slot_s: 2}}
  rate: {time_s: 11, kind: modem_rate, target: target, scheme: adaptive}
  off: {time_s: 12, kind: modem_switch, target: target, on: false}
";
    let mut simulation = crate::common::simulation(text);
    let (mut texts, mut ranges) = (Vec::new(), 0);
    while simulation.time_ns() < 14_000_000_000 {
        simulation.advance(10);
        let output = &simulation.network_output;
        let deliveries = output.deliveries.iter();
        texts.extend(deliveries.map(|d| String::from_utf8_lossy(output.payload(d)).into_owned()));
        ranges += output.ranges.len();
        simulation.clear_outboxes();
    }
    assert_eq!(texts, ["hello"]);
    assert_eq!(ranges, 1);
    let modem = |name: &str| {
        let modems = &simulation.scene.modems;
        let k = modems.iter().position(|modem| modem.name == name).unwrap();
        &simulation.state.network.modems[k]
    };
    let target = modem("target");
    assert_eq!((target.power, target.activity), (0.5, Activity::Off));
    assert!(matches!(target.mac, MacProtocol::SlottedAloha(_)));
    assert_ne!(modem("auv/usbl").activity, Activity::Off);
}

// Bytes that a user sends are never taken for a message of a bridge. Method: the number of a bridge
// and bytes, sent by the modem of that bridge.
#[test]
fn packets_of_users_are_not_messages_of_bridges() {
    let mut simulation = start(1);
    simulation.replay.commands.clear();
    let destination = simulation.scene.modems[modem("a/light")].address;
    let command = Command::Modem(ModemCommand::Send(Send {
        priority: 9,
        ..Send::new(modem("b/light"), destination, vec![2, 0, 0, 1, 0, 0])
    }));
    simulation.apply(&command).unwrap();
    simulation.advance(50);
    let output = &simulation.network_output;
    let own = output.deliveries.iter().filter(|d| !d.is_bridged);
    assert_eq!(own.count(), 1);
    assert_eq!(arrivals(&simulation, "battery").len(), 1);
}

// The results that an observer keeps stay valid without a copy, and their memory is used again.
// Method: pointers of the results over blocks.
#[test]
fn results_of_a_block_are_shared() {
    let mut simulation = start(1);
    simulation.advance(200);
    let observed = simulation.shared_network_output().expect("results");
    assert!(Arc::ptr_eq(&observed, &simulation.network_output));
    let kept = (*observed).clone();
    simulation.clear_outboxes();
    assert!(simulation.shared_network_output().is_none());
    simulation.advance(200);
    assert_eq!(*observed, kept);
    let used = Arc::as_ptr(&observed);
    drop(observed);
    let second = Arc::clone(&simulation.network_output);
    simulation.clear_outboxes();
    assert_eq!(Arc::as_ptr(&simulation.network_output), used);
    drop(second);
}

// A checkpoint whose network does not fit the modems is refused, and the run is unchanged. Method:
// a state with a missing link.
#[test]
fn checkpoints_with_another_network_are_refused() {
    let mut simulation = start(1);
    simulation.advance(10);
    let hash = simulation.state.hash();
    let mut other = start(1);
    other.state.network.links.pop();
    let checkpoint = other.checkpoint().unwrap();
    let error = simulation.resume(&checkpoint).expect_err("refused");
    assert!(
        error.contains("its network differs from the modems"),
        "{error}"
    );
    assert_eq!(simulation.state.hash(), hash);
}

// The noise of the thrusters of a robot follows their shaft speed, also for a thruster whose curve
// has no shaft speed. Method: signal-to-noise ratio at a vehicle at full thrust and at rest; the
// law gives 68 dB re 1 µPa²/Hz at full thrust, the noise without it is 40 to 50 dB. Tolerance: the
// increase of the noise is 15 to 30 dB.
#[test]
fn thrusters_disturb_their_own_modem() {
    // reflections would limit the ratio
    let direct = "modem: {extends: modems/evologics_s2c_r_18_34.yaml, multipath: ~}";
    let text = world().replace("modem: evologics_s2c_r_18_34", direct);
    let ratio = |command: f64| {
        let mut simulation = Simulation::new(Arc::new(scene(&text)), 1).unwrap();
        let thrust = Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: command,
            },
        );
        simulation.apply(&thrust).unwrap();
        // before the command times out
        simulation.advance(30);
        let from = modem("boat/acoustic");
        let destination = simulation.scene.modems[modem("a/acoustic")].address;
        let message = send("boat/acoustic", destination, 40, false);
        simulation.apply(&message).unwrap();
        simulation.advance(300);
        let links = &simulation.state.network.links;
        10.0 * links[from * MODEMS.len() + modem("a/acoustic")]
            .mean_snr
            .log10()
    };
    let loss = ratio(1500.0) - ratio(1900.0);
    assert!((15.0..30.0).contains(&loss), "{loss} dB");
}

// Modems load the battery of their robot and stop with it. Method: the load with and without
// modems; then a battery that is empty after about 3 s: its modems are off, and their queued
// messages are lost for this cause. Tolerance: 1e-9 W for the idle power.
#[test]
fn modems_use_the_battery_and_stop_with_it() {
    let load = |text: &str| {
        let mut simulation = Simulation::new(Arc::new(scene(text)), 1).unwrap();
        simulation.advance(20);
        (simulation.state.robots[2].battery.load, simulation)
    };
    let (with, _) = load(&world());
    let idle = ["boat/acoustic", "boat/wifi", "boat/iridium"].map(modem);
    let scene_of_world = scene(&world());
    let sum: f64 = idle
        .iter()
        .map(|k| scene_of_world.modems[*k].transceiver.idle_power_w)
        .sum();
    let hotel = 20.0;
    assert!((with - hotel - sum).abs() < 1e-9, "{with} W, idle {sum} W");

    let empty = world().replacen(
        "battery: bluerov2_18ah",
        "battery: {extends: batteries/bluerov2_18ah.yaml, capacity_ah: 0.001}",
        1,
    );
    let mut simulation = Simulation::new(Arc::new(scene(&empty)), 1).unwrap();
    let destination = simulation.scene.modems[modem("boat/acoustic")].address;
    for _ in 0..20 {
        let message = send("a/acoustic", destination, 400, true);
        simulation.apply(&message).unwrap();
    }
    simulation.advance(2000);
    assert!(!simulation.state.robots[0].battery.is_on());
    let network = &simulation.state.network;
    assert_eq!(network.modems[modem("a/acoustic")].activity, Activity::Off);
    assert!(network.copies.lost_by(LossCause::NoPower) > 10);
    assert!(balance::copies(network).is_closed());
    assert!(simulation.apply(&send("b/radio", 1, 4, false)).is_ok());
}

// Results of the network have the time at which the run publishes them, which is later than the
// arrival of the signal that causes them. Method: a two-way range and a message, one step at a
// time.
#[test]
fn results_have_the_time_of_their_publication() {
    let text = "
robots: {}
seabed: {depth_m: 200}
modems:
  a: {modem: evologics_s2c_r_18_34, position_m: [0, 0, -50]}
  b: {modem: evologics_s2c_r_18_34, position_m: [30, 40, -50]}
schedule:
  range: {time_s: 1, kind: modem_range, from: a, to: b}
  text: {time_s: 9, kind: modem_send, from: a, to: b, text: abc}
";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    let mut s = Simulation::new(Arc::new(world.scene), 1).unwrap();
    let (mut ranges, mut deliveries) = (0, 0);
    for _ in 0..(20_000_000_000 / s.scene.dt_ns) {
        s.advance(1);
        let (output, now) = (&s.network_output, s.time_ns());
        assert!(output.ranges.iter().all(|range| range.published_ns == now));
        let mut delivered = output.deliveries.iter();
        assert!(delivered.all(|delivery| delivery.published_ns == now));
        let arrived = output.ranges.iter().map(|range| range.true_arrival_ns);
        ranges += arrived.inspect(|arrival| assert!(*arrival < now)).count();
        deliveries += output.deliveries.len();
        s.clear_outboxes();
    }
    assert_eq!((ranges, deliveries), (1, 1));
}

/// Observer that builds the logs of packets as the publisher does.
#[derive(Default)]
struct PacketLogs(Vec<PacketLog>);

impl Observer for PacketLogs {
    fn after_block(&mut self, simulation: &Simulation, _: &Control) {
        let output = &simulation.network_output;
        if !output.packets.items.is_empty() {
            let log = packet_log(&simulation.scene, output, simulation.time_ns());
            self.0.push(log);
        }
    }

    fn rejected(&mut self, rejection: &CommandRejection, _: &Simulation) {
        panic!("{rejection:?}");
    }
}

// The frames and the messages that the removal of a robot loses are published, once, with the names
// of the modems of the world before the removal. Method: of five messages to a robot, one is in
// flight and four wait when the scene without the robot replaces the scene of a run.
#[test]
fn losses_by_the_removal_of_a_robot_are_published() {
    let modem = "modems: {m: {modem: evologics_s2c_r_18_34}}";
    let model = format!("{{extends: robots/bluerov2.yaml, {modem}}}");
    let text = format!(
        "robots:\n  gone: {{position_m: [0, 0, -3], model: {model}}}\n  stays: {{position_m: [60, 0, -3], \
         model: {model}}}\nseabed: {{depth_m: 50}}\n"
    );
    let (document, world) = Document::from_text("w.yaml", &text, Overrides::default()).unwrap();
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
    for _ in 0..5 {
        let send = ModemCommand::Send(Send::new(
            1,
            simulation.scene.modems[0].address,
            vec![7; 64],
        ));
        simulation.apply(&Command::Modem(send)).unwrap();
    }
    simulation.advance(1);
    simulation.clear_outboxes();
    let without = document.without("gone").unwrap().build().unwrap();
    let new = Box::new(Simulation::new(Arc::new(without.scene), 1).unwrap());
    let (requests, received) = crossbeam_channel::unbounded();
    let answer = |done: Result<Box<Simulation>, String>| assert!(done.is_ok());
    requests
        .send(Request::Replace(new, Reply::new(answer)))
        .unwrap();
    let (mut logs, stop) = (PacketLogs::default(), AtomicBool::new(false));
    let observers: &mut [&mut dyn Observer] = &mut [&mut logs];
    merrow_sim::run(
        &mut simulation,
        Pace::Max,
        Some(5.0),
        &received,
        observers,
        &stop,
    );
    assert_eq!(simulation.scene.robots.len(), 1);
    let records: Vec<_> = logs.0.iter().flat_map(|log| &log.packets).collect();
    let is_lost = |record: &&&PacketRecord| record.cause == LossCause::Removed.keyword();
    let lost: BTreeSet<i64> = records.iter().filter(is_lost).map(|r| r.message).collect();
    assert_eq!(lost, (0..5).collect(), "{records:?}");
    assert_eq!(records.len(), 5, "{records:?}");
    for record in records {
        let ends = [record.transmitter.as_str(), record.receiver.as_str()];
        assert_eq!(ends, ["stays/m", "gone/m"]);
    }
}
