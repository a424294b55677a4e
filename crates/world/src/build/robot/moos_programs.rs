//! Checks of what the programs of a community of MOOS demand from a robot: obstacles, set-points and
//! lock-step.

use crate::context::Context;
use crate::sensor::obstacle::reports_boxes_in_world;
use merrow_model::scene::Robot;
use std::collections::HashSet;

/// Reports what the robot lacks for the keys `obstacles`, `set_points` and `lock_step` of `moos`.
pub(crate) fn check_programs(robot: &Robot, cx: Context<'_>) {
    let Some(moos) = robot.moos.as_deref() else {
        return;
    };
    let name = &robot.name;
    if let Some(sensor) = &moos.obstacles {
        let all = robot.sensors.iter();
        let detectors = all.filter(|own| reports_boxes_in_world(&own.kind));
        let names = detectors.map(|own| own.name.as_str());
        cx.find(moos.at.key_place("obstacles"), sensor, names, |sensor| {
            format!("no obstacle detector {sensor} with `in_world: true` on {name}")
        });
    }
    if moos.set_points {
        let abilities = robot.firmware.as_ref().map(|own| own.abilities());
        if !abilities.is_some_and(|own| own.heading && own.depth && own.velocity) {
            let text = format!(
                "`set_points`: expected a firmware of {name} that follows heading, depth and speed, such as `remus100_autopilot`"
            );
            cx.error(moos.at.key_place("set_points"), text);
        }
    }
    let mut known = HashSet::new();
    for program in &moos.lock_step {
        let text = if program.is_empty() || program.contains([',', '=', '\n', '\r']) {
            format!("`lock_step`: expected the name of a program, found {program:?}")
        } else if !known.insert(program) {
            format!("`lock_step`: {program} occurs twice")
        } else {
            continue;
        };
        cx.error(moos.at.key_place("lock_step"), text);
    }
}
