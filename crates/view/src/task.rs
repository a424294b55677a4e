//! Task of a world for the page: its parts with the scene, its state with the status.

use merrow_messages::convert::task::position;
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_tasks::law::{Anchor, Marker};
use merrow_tasks::{RobotRun, Task};
use serde_json::{Value, json};

/// Number of events that the page shows.
const MAX_EVENTS: usize = 12;

/// Returns the name, the kind and the parts of the task; null without one.
pub(crate) fn scene(scene: &Scene) -> Value {
    let Some(task) = &scene.task else {
        return Value::Null;
    };
    json!({
        "name": task.name,
        "kind": task.law.kind(),
        "description": task.description,
        "better": task.better_word(),
        "markers": task.markers().iter().map(marker).collect::<Vec<_>>(),
    })
}

/// Returns a part of the task; the points are positions in W [m], or the index of a robot and a
/// position along its axes from its origin [m].
fn marker(marker: &Marker) -> Value {
    let points = marker.points.iter().map(|anchor| match anchor {
        Anchor::Fixed(p) => json!(p.to_array()),
        Anchor::Body(robot) => json!({ "robot": robot, "at": [0.0, 0.0, 0.0] }),
        Anchor::OnBody(robot, p_BoA) => json!({ "robot": robot, "at": p_BoA.to_array() }),
    });
    json!({
        "shape": marker.shape.keyword(),
        "name": marker.name,
        "points": points.collect::<Vec<_>>(),
        "yaw": marker.yaw,
    })
}

/// Returns the state of the task; null without one.
pub(crate) fn status(simulation: &Simulation) -> Value {
    let (Some(task), Some(own)) = (&simulation.scene.task, &simulation.state.task.0) else {
        return Value::Null;
    };
    // the status is sent when it has changed
    let tenths = |x: f64| (10.0 * x).round() / 10.0;
    let [elapsed, remaining] = task.times(own, simulation.time_ns()).map(tenths);
    let robots = task.robots.iter().zip(&own.robots);
    let events = own.events.iter().rev().take(MAX_EVENTS).map(|event| {
        let robot = event.robot.map(|k| task.robots[k as usize].0.as_str());
        json!({"time_s": event.time_ns as f64 * 1e-9, "robot": robot, "text": event.text})
    });
    json!({
        "phase": own.phase.keyword(),
        "elapsed_s": elapsed,
        "remaining_s": remaining,
        "timed_out": own.timed_out,
        "score": task.score(own),
        "robots": robots.map(|((name, _), run)| robot(simulation, task, name, run)).collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
    })
}

fn robot(simulation: &Simulation, task: &Task, name: &str, run: &RobotRun) -> Value {
    let progress = task.progress(run);
    let next = progress.next.filter(|_| run.finished_ns.is_none());
    let next = next
        .map(|anchor| position(anchor, &simulation.state))
        .filter(|p| p.is_finite());
    json!({
        "name": name,
        "score": task.robot_score(run),
        "done": progress.done,
        "parts": progress.total,
        "collisions": run.collisions,
        "finished": run.finished_ns.is_some(),
        "next": next.map(|p| p.to_array()),
    })
}
