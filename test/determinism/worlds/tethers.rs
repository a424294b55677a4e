//! Tests that worlds with tethers are bit-identical for any threads, blocks and resumption.

use crate::common::scene;
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, Command, WinchCommand};
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns seventy robots in a varying current, so that all threads are used; three are tied
/// together, two on winches, one moored.
pub(crate) fn tied() -> Scene {
    scene(
        "
seed: 7
water: {current: {kind: uniform, speed_m_s: 0.3, direction_deg: 30}, variation: {std_m_s: [0.1, 0.1, 0.02], correlation_time_s: 2}}
seabed: {depth_m: 12}
robots:
  r: {model: bluerov2, position_m: [0, 0, -5], repeat: {count: [7, 10, 1], spacing_m: [3, 3, 0]}}
tethers:
  a: {line: fathom_rov_tether, from: {kind: robot, robot: r_0}, to: {kind: robot, robot: r_1, position_m: [-0.2, 0, 0.1]}, length_m: 2.9, segments: 8}
  b: {line: fathom_rov_tether, from: {kind: robot, robot: r_1}, to: {kind: robot, robot: r_2}, length_m: 4, segments: 8}
  c: {line: fathom_rov_tether, from: {kind: world, position_m: [0, 0, 0]}, to: {kind: robot, robot: r_0}, length_m: 7, segments: 10, winch: {max_speed_m_s: 0.5, max_length_m: 30}}
  d: {line: studless_chain_76mm, from: {kind: seabed, position_m: [20, 20]}, to: {kind: robot, robot: r_69}, length_m: 12, method: catenary, winch: {max_speed_m_s: 0.2, max_length_m: 30}}
",
    )
}

/// Returns that world with commands to robots and winches.
pub(crate) fn started(threads: usize) -> Simulation {
    let mut s = Simulation::new(Arc::new(tied()), threads).unwrap();
    for (robot, x) in [(0, -20.0), (1, 5.0), (2, 30.0)] {
        let (force, moment) = (Vec3::new(x, 3.0, 2.0), Vec3::new(0.0, 0.1, 0.5));
        s.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Wrench { force, moment },
        ))
        .unwrap();
    }
    s.apply(&Command::Winch {
        tether: 2,
        command: WinchCommand::Speed(0.3),
    })
    .unwrap();
    s.apply(&Command::Winch {
        tether: 3,
        command: WinchCommand::Length(14.0),
    })
    .unwrap();
    s
}

fn travel(s: &mut Simulation, steps: u64, block: u64) -> String {
    let mut readings = String::new();
    let mut left = steps;
    while left > 0 {
        let n = left.min(block);
        s.advance(n);
        for delivered in &s.runners[1].outbox {
            readings += &format!("{delivered:?}\n");
        }
        s.clear_outboxes();
        left -= n;
    }
    readings
}

// Threads and blocks change no bit of a world with tethers, including readings; a clone of the
// state resumes it; the hash includes the lines. Method: state hash and readings after 600 steps.
#[test]
fn tied_worlds_give_the_same_bits() {
    let mut s = started(1);
    let readings = travel(&mut s, 600, 50);
    let hash = s.state.hash();
    assert!(readings.lines().count() > 100);
    for (threads, block) in [(2, 50), (4, 7), (2, 1), (1, 600)] {
        let mut s = started(threads);
        assert!(
            travel(&mut s, 600, block) == readings,
            "{threads} threads, blocks of {block}"
        );
        assert_eq!(s.state.hash(), hash, "{threads} threads, blocks of {block}");
    }
    let mut first = started(2);
    travel(&mut first, 300, 50);
    let mut second = Simulation::new(Arc::clone(&first.scene), 1).unwrap();
    second.state = first.state.clone();
    travel(&mut second, 300, 50);
    assert_eq!(second.state.hash(), hash, "resumed");
    let x = &mut s.state.tethers[1].p[4].x;
    *x = f64::from_bits(x.to_bits() ^ 1);
    assert_ne!(s.state.hash(), hash);
}

// A reset restores the lines. Method: the tethers of the restarted state.
#[test]
fn a_reset_restores_the_lines() {
    let mut s = started(1);
    s.advance(100);
    let restarted = s.state.reset(&s.scene);
    assert_eq!(
        restarted.tethers,
        merrow_model::state::State::new(&s.scene).tethers
    );
}

// A line that is no longer finite is halted, and its robots continue. Method: a node with infinite
// velocity.
#[test]
fn non_finite_line_releases_its_robots() {
    let mut s = started(1);
    s.advance(10);
    s.state.tethers[0].v[3].x = f64::INFINITY;
    s.advance(10);
    assert!(s.state.tethers[0].halted_ns.is_some());
    assert_eq!(s.state.tethers[0].end_tensions(), [0.0; 2]);
    assert!(s.state.robots.iter().all(|r| r.halted.is_none()));
    assert!(s.state.tethers[1].halted_ns.is_none());
}
