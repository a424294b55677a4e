//! Tests that faults, including random faults, are bit-identical for any blocks, threads and
//! resumption.

use crate::common::balance;
use crate::common::{advance, simulation};
use merrow_messages::convert::modem::link_table;
use merrow_model::persist::{Persist, Reader, to_bytes};
use merrow_model::scene::comms::BROADCAST;
use merrow_model::state::comms::{LossCause, ModemCommand, NetworkState, Send};
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;
use std::sync::Arc;

const WORLD: &str = "
faults:
  a: {robot: r_0, target: t1, time_s: 0.3, kind: intermittent, mean_working_s: 0.05, mean_failed_s: 0.05}
  b: {robot: r_0, target: t2, time_s: 0.2, kind: noisy, noise_std: 20}
  c: {robot: r_1, target: imu, kind: noisy, noise_std: 0.1}
  d: {robot: r_1, target: base_link, time_s: 0.4, duration_s: 0.3, kind: leak, hole_diameter_m: 0.02, compartment_m3: 0.003, center_m: [0.1, 0, 0]}
  e: {robot: r_1, target: battery, time_s: 0.5, kind: shortage, power_w: 15}
robots: {r: {model: bluerov2, position_m: [0, 0, -5], repeat: {count: [2, 1, 1], spacing_m: [5, 0, 0]}}}
";

// Bit-identical results in blocks of 1, 7 and 250 steps and when resumed from a clone during all
// faults. Method: a second of two vehicles under way; without the faults the final state differs.
#[test]
fn faults_have_the_same_bits() {
    let start = |text: &str| {
        let mut s = simulation(text);
        for robot in 0..2 {
            let values = vec![1650.0; s.scene.robots[robot].thrusters.len()];
            s.apply(&Command::Actuator(
                robot,
                ActuatorCommand::Thrusters { values },
            ))
            .unwrap();
        }
        s
    };
    let run = |block: u64| {
        let mut s = start(WORLD);
        for _ in 0..500_u64.div_ceil(block) {
            s.advance(block.min(500 - s.state.step));
        }
        s.state.hash()
    };
    let hash = run(1);
    assert_eq!(run(7), hash);
    assert_eq!(run(250), hash);
    let mut first = start(WORLD);
    first.advance(277);
    let mut second = start(WORLD);
    second.state = first.state.clone();
    second.advance(223);
    assert_eq!(second.state.hash(), hash, "resumed");
    let mut well = start(
        WORLD
            .split("robots:")
            .nth(1)
            .map(|r| format!("robots:{r}"))
            .as_deref()
            .unwrap(),
    );
    well.advance(500);
    for r in 0..2 {
        assert_ne!(
            well.state.robots[r].motion.p_WB,
            second.state.robots[r].motion.p_WB
        );
    }
}

/// World of two robots with acoustic modems, a fixed modem and a computer; `faults` in flow style.
fn station(faults: &str) -> String {
    let modem = "modem: evologics_s2c_r_18_34, scheme: burst";
    let robot = |name: &str, x: f64| {
        format!(
            "  {name}:
    position_m: [{x}, 0, -10]
    model:
      extends: robots/bluerov2.yaml
      modems: {{acoustic: {{{modem}}}}}
      computers: {{main: {{tasks: {{work: {{activation: {{kind: periodic, period_s: 0.05}}, \
       execution: {{kind: constant, time_s: 0.02}}}}}}}}}}
"
        )
    };
    format!(
        "step: {{dt_s: 0.01}}
seed: 3
seabed: {{depth_m: 40}}
faults: {{{faults}}}
robots:
{}{}modems: {{shore: {{{modem}, position_m: [7, 12, -10]}}}}
",
        robot("a", 0.0),
        robot("b", 15.0)
    )
}

/// Queues a broadcast of `length` bytes at a modem.
fn send(s: &mut Simulation, modem: usize, length: usize) {
    let command = ModemCommand::Send(Send::new(modem, BROADCAST, vec![7; length]));
    s.apply(&Command::Modem(command)).unwrap();
}

/// Sends a broadcast from each modem, one after the other.
fn send_from_all(s: &mut Simulation) {
    for modem in 0..3 {
        send(s, modem, 4);
        advance(s, 0.7);
    }
}

/// Deliveries from and to a modem, and losses with their cause.
type Traffic = (Vec<(u32, u32)>, Vec<(u32, u32, LossCause)>);

/// Returns the pairs of modems between which packets arrived, and the causes of all losses.
fn traffic(s: &mut Simulation) -> Traffic {
    s.network_output = Arc::default();
    send_from_all(s);
    let packets = &s.network_output.packets.items;
    let received = packets.iter().filter(|p| p.cause.is_none());
    let lost = packets
        .iter()
        .filter_map(|p| Some((p.from, p.to, p.cause?)));
    let mut received: Vec<_> = received.map(|p| (p.from, p.to)).collect();
    received.sort_unstable();
    (received, lost.collect())
}

const ALL_PAIRS: [(u32, u32); 6] = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];

// A broken modem of a robot and a broken fixed modem neither transmit nor receive, with the reason
// in the packet log, and work again when the fault ends. Method: broadcasts of three modems before,
// during and after faults of 3 s, of the world file and of commands.
#[test]
fn broken_modems_lose_all_packets() {
    for (fault, broken) in [
        (
            "{robot: a, target: acoustic, time_s: 3, duration_s: 3, kind: dead}",
            0,
        ),
        ("{target: shore, time_s: 3, duration_s: 3, kind: dead}", 2),
        (
            "{target: modems/shore, time_s: 3, duration_s: 3, kind: dead}",
            2,
        ),
    ] {
        let mut s = simulation(&station(&format!("f: {fault}")));
        assert_eq!(
            traffic(&mut s),
            (ALL_PAIRS.to_vec(), vec![]),
            "before {fault}"
        );
        advance(&mut s, 1.0);
        let (received, lost) = traffic(&mut s);
        let with_broken = |from: u32, to: u32| from == broken || to == broken;
        let others = ALL_PAIRS
            .iter()
            .filter(|(from, to)| !with_broken(*from, *to));
        assert_eq!(received, others.copied().collect::<Vec<_>>(), "{fault}");
        assert_eq!(lost.len(), 4, "{fault}: {lost:?}");
        let is_fault = |p: &(u32, u32, LossCause)| with_broken(p.0, p.1) && p.2 == LossCause::Fault;
        assert!(lost.iter().all(is_fault), "{fault}: {lost:?}");
        assert_eq!(s.modem_faults(broken as usize), "dead");
        let switch = ModemCommand::Switch {
            modem: broken as usize,
            is_on: true,
        };
        let refused = s.apply(&Command::Modem(switch)).unwrap_err().reason;
        assert!(
            refused.ends_with("it is broken; repair its fault first"),
            "{refused}"
        );
        advance(&mut s, 1.0);
        assert_eq!(s.modem_faults(broken as usize), "");
        assert_eq!(
            traffic(&mut s),
            (ALL_PAIRS.to_vec(), vec![]),
            "after {fault}"
        );
        assert!(balance::copies(&s.state.network).is_closed());
    }
}

// A reduced modem transmits with the remaining power and receives as before. Method: a tenth of the
// power in the transmission, and a power that no receiver detects.
#[test]
fn reduced_modems_transmit_less_power() {
    let reduced = |fraction: f64| {
        let fault =
            format!("f: {{robot: a, target: acoustic, kind: reduced, fraction: {fraction}}}");
        simulation(&station(&fault))
    };
    let mut s = reduced(0.1);
    send(&mut s, 0, 40);
    advance(&mut s, 0.05);
    let transmissions = s.state.network.transmissions.iter();
    let powers: Vec<f64> = transmissions.map(|(_, own)| own.power).collect();
    assert_eq!((powers, s.modem_power_fraction(0)), (vec![0.1], 0.1));
    let (received, lost) = traffic(&mut reduced(1e-15));
    assert_eq!(received, ALL_PAIRS[2..]);
    let weak = LossCause::BelowThreshold;
    assert_eq!(lost, [(0, 1, weak), (0, 2, weak)]);
}

// A halted computer completes no job and continues when the fault ends; the jobs of a slow computer
// need more time. Method: a task of 20 ms every 50 ms, before, during and after a fault of 2 s.
#[test]
fn faults_of_computers_stop_and_delay_jobs() {
    let run = |kind: &str| {
        let fault =
            format!("f: {{robot: a, target: main, time_s: 1, duration_s: 2, kind: {kind}}}");
        let mut s = simulation(&station(&fault));
        let mut counts = |seconds: f64| {
            advance(&mut s, seconds);
            let own = |s: &Simulation, r: usize| s.state.robots[r].computers[0].tasks[0].counts;
            (own(&s, 0), own(&s, 1), s.computer_faults(0, 0))
        };
        [0.99, 2.0, 1.0].map(&mut counts)
    };
    let [before, during, after] = run("dead");
    assert_eq!((before.0.completed, during.0.completed), (20, 20));
    assert_eq!(
        (before.2.as_str(), during.2.as_str(), after.2.as_str()),
        ("", "dead", "")
    );
    assert!((39..=41).contains(&after.0.completed), "{:?}", after.0);
    assert_eq!(during.1.completed, 60, "the other robot");
    let [before, during, _] = run("slow, execution_factor: 2");
    assert_eq!(before.0.max_response_ns, 20_000_000);
    assert_eq!(during.0.max_response_ns, 40_000_000);
    let [_, during, _] = run("slow, execution_factor: 5");
    assert!(
        during.0.skipped > 15 && during.0.completed < 42,
        "{:?}",
        during.0
    );
}

// The faults of modems and computers, also random faults, are bit-identical for any blocks and when
// resumed from a clone and from a checkpoint. Method: 4 s of three modems that send to each other.
#[test]
fn faults_of_modems_and_computers_have_the_same_bits() {
    let text = station(
        "a: {robot: a, target: acoustic, time_s: 0.333, kind: intermittent, mean_working_s: 0.2, mean_failed_s: 0.2},
         b: {robot: b, target: modems/acoustic, time_s: 0.5, duration_s: 1.234, kind: reduced, fraction: 0.3},
         c: {target: shore, time_s: 1.007, duration_s: 0.5, kind: dead},
         d: {robot: a, target: main, time_s: 0.21, kind: intermittent, mean_working_s: 0.03, mean_failed_s: 0.03},
         e: {robot: b, target: computers/main, time_s: 0.4, kind: slow, execution_factor: 1.7}",
    );
    let start = || {
        let mut s = simulation(&text);
        for modem in 0..3 {
            for _ in 0..8 {
                send(&mut s, modem, 40);
            }
        }
        s
    };
    let run = |block: u64| {
        let mut s = start();
        while s.state.step < 400 {
            s.advance(block.min(400 - s.state.step));
        }
        s
    };
    let one = run(1);
    let hash = one.state.hash();
    for block in [7, 50, 400] {
        assert_eq!(run(block).state.hash(), hash, "blocks of {block}");
    }
    let causes = &one.state.network.copies;
    assert!(causes.lost_by(LossCause::Fault) > 0, "{causes:?}");
    for at in [40, 101, 150, 277] {
        let mut first = start();
        first.advance(at);
        let mut second = simulation(&text);
        second.state = first.state.clone();
        second.advance(400 - at);
        assert_eq!(second.state.hash(), hash, "resumed from a clone at {at}");
        let saved = first.checkpoint().expect("a checkpoint");
        let mut third = simulation(&text);
        third.resume(&saved).expect("a checkpoint");
        third.advance(400 - at);
        assert_eq!(
            third.state.hash(),
            hash,
            "resumed from a checkpoint at {at}"
        );
    }
}

// The losses by the loss probability of the network are counted by link and survive a checkpoint.
// Method: all frames are lost, half of the frames, none.
#[test]
fn random_losses_are_counted_by_link() {
    for probability in [1.0, 0.5, 0.0] {
        let modem = format!(
            "modem: {{extends: modems/evologics_s2c_r_18_34.yaml, loss_probability: {probability}}}"
        );
        let text = station("").replace("modem: evologics_s2c_r_18_34", &modem);
        let mut s = simulation(&text);
        for _ in 0..6 {
            send_from_all(&mut s);
        }
        let links = &s.state.network.links;
        let random: u64 = links.iter().map(|link| link.random_losses).sum();
        let frames: u64 = links.iter().map(|link| link.frames).sum();
        let counted = s.state.network.frames.lost_by(LossCause::RandomLoss);
        assert_eq!((random, frames), (counted, 36), "{probability}");
        match probability {
            1.0 => assert_eq!(random, frames),
            0.0 => assert_eq!(random, 0),
            _ => assert!((6..=30).contains(&random), "{random}"),
        }
        let bytes = to_bytes(&s.state.network);
        let mut reader = Reader::new(&bytes, &s.state.sea);
        let loaded = NetworkState::load(&mut reader).expect("a state");
        assert_eq!(loaded, s.state.network);
        let table = link_table(&s.scene, links, s.state.time_ns);
        let published: u64 = table.links.iter().map(|link| link.random_losses).sum();
        assert_eq!(published, random);
    }
}
