//! Tasks are a part of the state: they resume from checkpoints, do not depend on blocks and threads,
//! and have no effect on the motion.

use crate::determinism::state::checkpoint::simulation;
use merrow_model::persist::to_bytes;
use merrow_model::scene::Scene;
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

const WORLD: &str = "
step: {dt_s: 0.004}
seabed: {depth_m: 30}
robots:
  boat: {model: wamv}
  other: {model: wamv, position_m: [0, 20, 0]}
schedule:
  go: {time_s: 0.5, duration_s: 10, kind: velocity, robot: boat, linear_m_s: [1.5, 0, 0]}
";
const TASK: &str = "
task:
  kind: waypoints
  robots: [boat, other]
  ready_duration_s: 1
  running_duration_s: 6
  boundary: {polygon_m: [[-5, -5], [4, -5], [4, 30], [-5, 30]], penalty_per_s: 1}
  waypoints: [{position_m: [0, 0, 0]}, {position_m: [3, 0, 0]}, {position_m: [60, 0, 0]}]
";

fn scene(text: &str) -> Arc<Scene> {
    let loaded = load_text("w.yaml", text, Overrides::default());
    Arc::new(loaded.unwrap_or_else(|problems| panic!("{problems}")).scene)
}

#[test]
fn tasks_continue_from_a_checkpoint() {
    let scene = scene(&format!("{WORLD}{TASK}"));
    let mut whole = simulation(&scene, 1);
    whole.advance(2000);
    assert!(whole.state.task.0.as_ref().unwrap().events.len() > 3);
    // blocks of other lengths, two threads, and a checkpoint in between
    let mut first = simulation(&scene, 2);
    for steps in [1, 2, 300, 7, 690] {
        first.advance(steps);
    }
    let checkpoint = first.checkpoint().expect("a checkpoint");
    let mut second = simulation(&scene, 1);
    second.resume(&checkpoint).expect("a resumed run");
    second.advance(1000);
    assert_eq!(second.state.hash(), whole.state.hash());
    let (a, b) = (second.state.task.0.as_ref(), whole.state.task.0.as_ref());
    assert_eq!(to_bytes(a.unwrap()), to_bytes(b.unwrap()));
}

#[test]
fn tasks_have_no_effect_on_the_motion() {
    let plain = scene(WORLD);
    let mut without = simulation(&plain, 1);
    let mut with = simulation(&scene(&format!("{WORLD}{TASK}")), 1);
    without.advance(2000);
    with.advance(2000);
    with.state.task.0 = None;
    // without a task, the state has the same bytes
    assert_eq!(with.state.hash(), without.state.hash());
}

#[test]
fn an_added_robot_keeps_the_state_of_the_task() {
    let text = format!("{WORLD}{TASK}");
    let mut s = simulation(&scene(&text), 1);
    s.advance(1000);
    let before = to_bytes(s.state.task.0.as_ref().unwrap());
    // before the robots of the task, so that their indices change
    let third = "robots:\n  third: {model: wamv, position_m: [0, 40, 0]}";
    let mut larger = simulation(
        &scene(&text.replace("robots:\n  boat", &format!("{third}\n  boat"))),
        1,
    );
    s.replace(&mut larger).expect("a replacement");
    assert_eq!(to_bytes(s.state.task.0.as_ref().unwrap()), before);
    s.advance(1000);
    let mut whole = simulation(&scene(&text), 1);
    whole.advance(2000);
    let scores = |s: &merrow_sim::Simulation| -> Vec<f64> {
        let own = s.state.task.0.as_ref().unwrap();
        own.robots.iter().map(|run| run.score).collect()
    };
    assert_eq!(scores(&s), scores(&whole));
}
