//! Tests that scheduled commands and actors give bit-identical results for any threads and blocks,
//! and after resuming.

use crate::common::{scene, simulation};
use merrow_sim::Simulation;
use std::sync::Arc;

const WORLD: &str = "
step: {dt_s: 0.005}
seabed: {depth_m: 15}
robots:
  rov: {model: bluerov2_heavy, position_m: [0, 0, -2]}
  auv: {model: remus100, position_m: [0, 30, -4]}
actors:
  swimmer:
    floats: false
    body:
      source: test
      axes: flu
      mass_kg: 80
      volume_m3: 0.08
      inertia_kg_m2: {xx: 2, yy: 12, zz: 12}
      collisions: {body: {kind: box, size_m: [1.8, 0.4, 0.3]}}
    waypoints_m: [[-2, 0.3, -2], [3, 0.2, -3]]
    speed_m_s: 1.2
schedule:
  first: {time_s: 0, robot: rov, kind: mode, mode: station_keeping}
  goal: {time_s: 0.513, robot: rov, kind: goal, position_m: [1, 0, -3]}
  cruise: {time_s: 0.7, robot: auv, kind: path, waypoints_m: [[50, 30, -5]]}
  tide: {time_s: 1.001, kind: current, speed_m_s: 0.4, direction_deg: 30}
  kick: {time_s: 1.5, robot: rov, kind: push, force_n: [0, 60, 0], duration_s: 0.4}
  drive: {time_s: 2.2, robot: rov, kind: velocity, linear_m_s: [0.3, 0, 0], duration_s: 0.6}
  off: {time_s: 2.9, robot: rov, kind: thrusters, values: {t1: 0.4, t2: 0.4}}
";
const STEPS: u64 = 800;

/// Advances by [`STEPS`] in blocks, and returns the state hash and all readings.
fn travel(s: &mut Simulation, steps: u64, block: u64) -> String {
    let mut text = String::new();
    let mut left = steps;
    while left > 0 {
        let n = block.min(left);
        s.advance(n);
        left -= n;
        for runner in &mut s.runners {
            for delivered in runner.outbox.drain(..) {
                text += &format!("{delivered:?}\n");
            }
        }
    }
    text
}

// A schedule and an actor that swims into a robot give bit-identical results on 1 and 2 threads, in
// blocks of any length. Method: state hash, and readings of each robot.
#[test]
fn schedules_are_independent_of_threads_and_blocks() {
    let reference = |threads: usize, block: u64| {
        let mut s = Simulation::new(Arc::new(scene(WORLD)), threads).unwrap();
        let mut lines: Vec<String> = travel(&mut s, STEPS, block)
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort();
        assert!(
            s.schedule_rejections.is_empty(),
            "{:?}",
            s.schedule_rejections
        );
        assert_eq!(s.state.scheduled, 10);
        (s.state.hash(), lines)
    };
    let first = reference(1, STEPS);
    for (threads, block) in [(1, 1), (2, 7), (2, 50)] {
        assert!(
            reference(threads, block) == first,
            "{threads} threads in blocks of {block}"
        );
    }
}

// A run continues its schedule from a checkpoint. Method: a checkpoint between two commands.
#[test]
fn schedules_continue_from_a_checkpoint() {
    let mut whole = simulation(WORLD);
    travel(&mut whole, STEPS, 50);
    let mut first = simulation(WORLD);
    travel(&mut first, 250, 50);
    let checkpoint = first.checkpoint().unwrap();
    let mut second = simulation(WORLD);
    second.resume(&checkpoint).unwrap();
    assert_eq!(second.state.scheduled, 4);
    travel(&mut second, STEPS - 250, 50);
    assert_eq!(second.state.hash(), whole.state.hash());
}

// A command that is refused while the world runs is reported with the name of its entry, and the
// schedule continues. Method: a mode of a disarmed vehicle.
#[test]
fn refused_commands_are_reported() {
    let mut s = simulation(
        "
robots: {rov: {model: bluerov2_heavy, position_m: [0, 0, -2]}}
schedule:
  disarm: {time_s: 0.1, robot: rov, kind: arm, on: false}
  hold: {time_s: 0.2, robot: rov, kind: mode, mode: depth_hold}
  rise: {time_s: 0.3, robot: rov, kind: thrusters, values: {t5: 0.5}}
",
    );
    s.advance(200);
    let reasons: Vec<&str> = s
        .schedule_rejections
        .iter()
        .map(|r| r.reason.as_str())
        .collect();
    assert_eq!(
        reasons,
        ["schedule hold: the vehicle is disarmed: arm it first"]
    );
    assert_eq!(s.state.scheduled, 3);
    assert_eq!(s.state.robots[0].actuators[4].command, 0.5);
}
