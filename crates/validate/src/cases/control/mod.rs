//! Step responses of the motion controllers shipped with the vehicles (V80).

use crate::cases::prelude::*;
use merrow_model::state::FirmwareCommand;

/// Vehicle and steps of its goal: forward [m] and heading [rad].
type Step = (&'static str, f64, f64);

/// Underwater vehicles, which move to all sides.
const UNDERWATER: [Step; 4] = [
    ("bluerov2", 3.0, 1.0),
    ("bluerov2_heavy", 3.0, 1.0),
    ("rexrov", 3.0, 1.0),
    ("osu_uvms", 3.0, 1.0),
];
/// Boats. Heron and Otter cannot move sideways and keep their heading.
const BOATS: [Step; 3] = [
    ("wamv", 10.0, 1.0),
    ("heron", 10.0, 0.0),
    ("otter", 10.0, 0.0),
];
/// Duration of a response [s].
const DURATION: f64 = 60.0;
/// Time between two points of a response [s].
const INTERVAL: f64 = 0.25;

/// Step response of a vehicle: time [s], and distance and heading divided by the step.
struct Response {
    vehicle: &'static str,
    points: Vec<[f64; 3]>,
}

// V80: overshoot of at most 6 % of the step; the reference model and critical damping have none,
// the rest is due to the lag of the thrusters, the arm and the integral. 2 % of the step after
// 60 s.
pub(super) fn step_responses(data: &ReferenceData) -> Result<CaseResult, String> {
    let (mut checks, mut panels) = (Vec::new(), Vec::new());
    for (what, z, vehicles) in [
        ("underwater vehicles", -10.0, &UNDERWATER[..]),
        ("boats", 0.0, &BOATS[..]),
    ] {
        let mut responses = Vec::new();
        for step in vehicles {
            let response = respond(data, *step, z)?;
            checks.extend(response_checks(&response, *step));
            responses.push(response);
        }
        panels.push(panel(what, "way / step", 1, &responses));
        panels.push(panel(what, "heading / step", 2, &responses));
    }
    if let Some(last) = panels.last_mut() {
        last.x_label = "time [s]".into();
    }
    let title = "Steps of the goal: 3 m (boats 10 m) forward and 1 rad (V80)";
    let figure = draw_figure(title, &panels, 820, 190);
    Ok(CaseResult::new(checks).with_figure("step_responses", figure))
}

/// Runs the response of a vehicle that starts at rest at the height `z` [m].
fn respond(data: &ReferenceData, (vehicle, way, turn): Step, z: f64) -> Result<Response, String> {
    let mut s = data.simulation(&format!(
        "
seabed: {{depth_m: 30}}
robots: {{r: {{model: {{extends: robots/{vehicle}.yaml, sensors: null}}, position_m: [0, 0, {z}]}}}}"
    ))?;
    advance(&mut s, 1.0);
    let start = s.state.robots[0].motion.clone();
    let yaw = start.q_WB.matrix().to_rpy()[2];
    let forward = start.q_WB.matrix().col(0);
    let goal = start.p_WB + Vec3::new(forward.x, forward.y, 0.0).scale(way);
    let command = FirmwareCommand::PoseGoal {
        p_WB: goal,
        q_WB: Some(Quat::from_rpy(0.0, 0.0, yaw + turn)),
    }
    .of(0);
    s.apply(&command)
        .map_err(|refused| format!("{vehicle}: {}", refused.reason))?;
    let mut points = vec![[0.0; 3]];
    for k in 1..=(DURATION / INTERVAL) as usize {
        advance(&mut s, INTERVAL);
        let motion = &s.state.robots[0].motion;
        let moved = (motion.p_WB - start.p_WB).dot(forward) / way;
        let turned = motion.q_WB.matrix().to_rpy()[2] - yaw;
        let ratio = if turn == 0.0 { 0.0 } else { turned / turn };
        points.push([INTERVAL * k as f64, moved, ratio]);
    }
    Ok(Response { vehicle, points })
}

/// Returns the comparisons of a response: overshoot and remaining error, relative to the step.
fn response_checks(response: &Response, (vehicle, _, turn): Step) -> Vec<Check> {
    let mut checks = Vec::new();
    for (column, what) in [(1, "way"), (2, "heading")] {
        if column == 2 && turn == 0.0 {
            continue;
        }
        let values = response.points.iter().map(|point| point[column]);
        let overshoot = values.fold(0.0, f64::max) - 1.0;
        let last = response.points.last().map_or(f64::NAN, |p| p[column]);
        let name = |part: &str| format!("{vehicle}, {what}: {part} over the step");
        checks.extend(checks! {
            name("overshoot"), "", 0.06, overshoot, AtMost;
            name("error after 60 s"), "", 0.02, (last - 1.0).abs(), AtMost;
        });
    }
    checks
}

/// Returns the panel with the responses of `column`.
fn panel(what: &str, label: &str, column: usize, responses: &[Response]) -> Panel {
    let moves = |response: &&Response| response.points.iter().any(|p| p[column] != 0.0);
    let series = responses.iter().filter(moves).map(|response| {
        let points = response.points.iter().map(|p| [p[0], p[column]]);
        (response.vehicle, points.collect())
    });
    Panel::new(format!("{label}, {what}"), "", coloured(series))
}
