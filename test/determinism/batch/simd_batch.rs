//! Tests that robots of one model that are stepped as a SIMD batch are bit-identical to single
//! robots.

use crate::common::scene;
use merrow_model::scene::Scene;
use merrow_model::state::{ActuatorCommand, Command, State};
use merrow_sim::Simulation;
use merrow_sim::robot::{Moment, Runner};
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns robots of one model at the given depths [m], too far apart for contacts.
fn world(model: &str, depths: &[f64], water: &str) -> Scene {
    let mut text = format!("seed: 3\nseabed: {{depth_m: 40}}\n{water}robots:\n");
    for (k, depth) in depths.iter().enumerate() {
        let (x, c) = (6 * k, char::from(b'a' + k as u8));
        writeln!(
            text,
            "  {c}: {{model: robots/{model}.yaml, position_m: [{x}, 0, -{depth}]}}"
        )
        .unwrap();
    }
    scene(&text)
}

/// Returns the state after a run in blocks, as `merrow run` does it, and after one with every robot
/// stepped independently.
fn run_batched_and_single(scene: Scene, steps: u64, halted_robot: Option<usize>) -> [State; 2] {
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    let scene = Arc::clone(&s.scene);
    for robot in 0..scene.robots.len() {
        let values = (0..scene.robots[robot].thrusters.len() + scene.robots[robot].fins.len())
            .map(|k| 0.2 + 0.05 * k as f64 + 0.1 * robot as f64)
            .collect();
        s.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Thrusters { values },
        ))
        .unwrap();
    }
    if let Some(robot) = halted_robot {
        // A robot that is halted during the run must not affect its neighbours.
        s.state.robots[robot].motion.V_WB_B.v.x = 1e200;
    }
    let mut single = s.state.clone();
    for _ in 0..steps / 20 {
        s.advance(20);
    }
    let mut runners: Vec<Runner> = scene.robots.iter().map(Runner::new).collect();
    let State {
        robots,
        sea,
        time_ns,
        step,
        ..
    } = &mut single;
    for ((runner, robot), state) in runners.iter_mut().zip(&scene.robots).zip(robots) {
        for k in 0..steps {
            runner.step(Moment::new(&scene, sea, k * scene.dt_ns), robot, state);
        }
        runner.read_due_sensors(Moment::new(&scene, sea, steps * scene.dt_ns), robot, state);
    }
    (*time_ns, *step) = (steps * scene.dt_ns, steps);
    [s.state, single]
}

// Batching has no effect. The robots are completely or half submerged, in still water, in a current
// and in waves, with thrusters, fins and propellers that depend on their inflow, and next to a
// robot whose state is no longer finite. Method: six robots, of which four form a batch, in blocks,
// compared with each stepped independently.
#[test]
fn simd_batch_has_the_bits_of_single_robots() {
    let current = "water: {current: {kind: uniform, speed_m_s: 0.3, direction_deg: 40}}\n";
    let waves = "water: {waves: {kind: jonswap, hs_m: 0.6, tp_s: 5, components: 24}}\n";
    let surface = [5.0, 0.02, 0.25, 12.0, 0.0, 7.0];
    let deep = [5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
    for (model, depths, water, halted_robot) in [
        ("bluerov2_heavy", surface, "", None),
        ("bluerov2_heavy", deep, "", Some(2)),
        ("bluerov2_heavy", surface, current, None),
        ("bluerov2_heavy", surface, waves, None),
        ("remus100", surface, current, None),
        ("taipan300", surface, waves, None),
    ] {
        let [batched, single] =
            run_batched_and_single(world(model, &depths, water), 400, halted_robot);
        assert_eq!(
            halted_robot.is_some(),
            batched.robots.iter().any(|r| r.halted.is_some()),
            "{model} {water}"
        );
        for (k, (a, b)) in batched.robots.iter().zip(&single.robots).enumerate() {
            assert!(halted_robot == Some(k) || a.motion.p_WB.is_finite());
            assert_eq!(
                format!("{:?}", a.motion),
                format!("{:?}", b.motion),
                "robot {k}, {model} {water}"
            );
        }
        assert_eq!(batched.hash(), single.hash(), "{model} {water}");
    }
}
