//! Checks of the connections of robots to communities of MOOS.

use super::autopilot::find_sensor;
use crate::context::Context;
use crate::keys::RobotEntry;
use crate::sensor::obstacle::reports_boxes_in_world;
use merrow_model::scene::Robot;
use merrow_model::scene::moos::Moos;
use merrow_model::scene::serial::SerialFeed;
use merrow_yaml::read::NamedMap;
use std::collections::{HashMap, HashSet};

/// Builds the connection of a robot, and reports what its model lacks.
pub(crate) fn build_moos(entry: &RobotEntry, robot: &Robot, cx: Context<'_>) -> Option<Box<Moos>> {
    let moos = entry.moos.as_ref()?;
    if let Some(name) = &moos.navigation {
        find_sensor(name, moos.at.key_place("navigation"), robot, &["ins"], cx);
    }
    if let Some(name) = &moos.messages {
        let names = entry.model.modems.iter().map(|(name, _)| name);
        cx.find(moos.at.key_place("messages"), name, names, |name| {
            format!("no modem {name} on {}", robot.name)
        });
    }
    check_programs(moos, robot, cx);
    Some(Box::new(moos.clone()))
}

/// Reports what the robot lacks for the keys `obstacles`, `set_points` and `lock_step` of `moos`.
fn check_programs(moos: &Moos, robot: &Robot, cx: Context<'_>) {
    let name = &robot.name;
    if let Some(sensor) = &moos.obstacles {
        let all = robot.sensors.iter();
        let detectors = all.filter(|own| reports_boxes_in_world(&own.kind));
        let names = detectors.map(|own| own.name.as_str());
        cx.find(moos.at.key_place("obstacles"), sensor, names, |sensor| {
            format!("no obstacle detector {sensor} with `in_world: true` on {name}")
        });
    }
    if moos.set_points && !follows_set_points(robot) {
        let text = format!("`set_points`: {}", expected_firmware(name));
        cx.error(moos.at.key_place("set_points"), text);
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

/// Builds the serial feed of a robot, and reports what its model lacks.
pub(crate) fn build_serial(
    entry: &RobotEntry,
    robot: &Robot,
    cx: Context<'_>,
) -> Option<Box<SerialFeed>> {
    let serial = entry.serial.as_ref()?;
    if let Some(name) = &serial.navigation {
        find_sensor(name, serial.at.key_place("navigation"), robot, &["ins"], cx);
    }
    if !follows_set_points(robot) {
        let text = format!("`serial`: {}", expected_firmware(&robot.name));
        cx.error(&serial.at.whole, text);
    }
    Some(Box::new(serial.clone()))
}

/// Returns true if the firmware of a robot follows set-points of heading, speed and depth.
fn follows_set_points(robot: &Robot) -> bool {
    let abilities = robot.firmware.as_ref().map(|own| own.abilities());
    abilities.is_some_and(|own| own.heading && own.depth && own.velocity)
}

fn expected_firmware(robot: &str) -> String {
    format!(
        "expected a firmware of {robot} that follows heading, depth and speed, such as `remus100_autopilot`"
    )
}

/// Reports robots of one community with the same client, of which a MOOSDB accepts one, and with the
/// same variables.
pub(crate) fn check_clients(robots: &[Robot], entries: &NamedMap<RobotEntry>, cx: Context<'_>) {
    let mut clients = HashMap::new();
    let mut variables = HashMap::new();
    for robot in robots {
        let Some(moos) = &robot.moos else { continue };
        let entry = entries.iter().find(|(name, entry)| {
            *name == robot.name
                || entry.repeat.is_some() && robot.name.starts_with(&format!("{name}_"))
        });
        let Some(own) = entry.and_then(|(_, entry)| entry.moos.as_ref()) else {
            continue;
        };
        let database = format!("{}:{}", moos.host, moos.port);
        let client = (database.clone(), &moos.client);
        let prefix = (database.clone(), &moos.prefix);
        let name = &robot.name;
        if let Some(other) = clients.insert(client, name) {
            let text = format!(
                "{other} and {name} have the same `client` {} at the MOOSDB {database}; give another `client`, or another `port` for another community",
                moos.client
            );
            cx.error(own.at.key_place("client"), text);
        } else if let Some(other) = variables.insert(prefix, name) {
            let text = format!(
                "{other} and {name} publish {}_X and others at the MOOSDB {database}; give another `prefix`, or another `port` for another community",
                moos.prefix
            );
            cx.note(own.at.key_place("prefix"), text);
        }
    }
}
