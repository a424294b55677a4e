//! Messages and ranges of a community over a modem of the world, in the formats of uField.
//!
//! A `NODE_MESSAGE_LOCAL` travels over the modem with its delays, collisions and losses, and is a
//! `NODE_MESSAGE` in the community of the receiver, where uFldMessageHandler posts its value: the
//! modem takes the place of uFldNodeComms. A `BRS_RANGE_REQUEST` measures the ranges to the modems that
//! are fixed in the world, as uFldBeaconRangeSensor does, and a `CRS_RANGE_REQUEST` those to other
//! robots, as uFldContactRangeSensor does.
//!
//! Names and formats are those of moos-ivp at a2a9b71, `ivp/src/lib_mbutil/NodeMessage.cpp`,
//! `uFldBeaconRangeSensor/BRS_App.cpp`, `uFldContactRangeSensor/CRS_App_HP.cpp`.

use merrow_environment::signal::measured_range;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::{BROADCAST, Modem};
use merrow_model::state::Command;
use merrow_model::state::comms::{
    Delivery, ModemCommand, NetworkOutput, RangeResult, Ranging, Send,
};
use merrow_moos::message::field;

/// Variables that the modem receives.
pub(crate) const INPUTS: [&str; 3] = [
    "NODE_MESSAGE_LOCAL",
    "BRS_RANGE_REQUEST",
    "CRS_RANGE_REQUEST",
];

/// Returns the index of the modem with this name on a robot.
pub(crate) fn find(scene: &Scene, robot: usize, name: &str) -> Option<usize> {
    let own = format!("{}/{name}", scene.robots[robot].name);
    scene.modems.iter().position(|modem| modem.name == own)
}

/// Returns the commands to `modem` of a variable of [`INPUTS`].
///
/// # Errors
/// One line: the value is not one of the variable, or there is no such receiver.
pub(crate) fn commands(
    key: &str,
    text: &str,
    modem: usize,
    scene: &Scene,
) -> Result<Vec<Command>, String> {
    let own = &scene.modems[modem];
    let others = || {
        let all = scene.modems.iter().enumerate();
        all.filter(|(k, other)| *k != modem && other.transceiver.is_same_medium(&own.transceiver))
            .map(|(_, other)| other)
    };
    if key == "NODE_MESSAGE_LOCAL" {
        let destination = match (field(text, "dest_node"), field(text, "dest_group")) {
            (Some(node), _) if !node.eq_ignore_ascii_case("all") => {
                let other = others().find(|other| robot_name(scene, other) == Some(node));
                let names: Vec<&str> = others().filter_map(|o| robot_name(scene, o)).collect();
                let other = other.ok_or_else(|| {
                    format!(
                        "dest_node: no robot {node:?} has a modem that hears {}; expected all or one of {}",
                        own.name,
                        names.join(", ")
                    )
                });
                other?.address
            }
            (Some(_), _) | (None, Some(_)) => BROADCAST,
            (None, None) => {
                return Err(format!(
                    "expected src_node, dest_node or dest_group, var_name and a value, found {text:?}"
                ));
            }
        };
        return Ok(vec![Command::Modem(ModemCommand::Send(Send::new(
            modem,
            destination,
            text.as_bytes().to_vec(),
        )))]);
    }
    let is_beacon = key == "BRS_RANGE_REQUEST";
    let targets = others().filter(|other| other.on.is_none() == is_beacon);
    let range = |other: &Modem| {
        Command::Modem(ModemCommand::Range {
            modem,
            destination: other.address,
            kind: Ranging::TwoWay,
        })
    };
    let commands: Vec<Command> = targets.map(range).collect();
    if commands.is_empty() {
        let kind = if is_beacon {
            "fixed in the world"
        } else {
            "of another robot"
        };
        return Err(format!("no modem {kind} hears {}", own.name));
    }
    Ok(commands)
}

/// Returns what has arrived at `modem`: variables with their values, at a time on the clock of the
/// community [s].
pub(crate) fn arrivals(
    modem: usize,
    scene: &Scene,
    output: &NetworkOutput,
    time: f64,
) -> Vec<(&'static str, String)> {
    let is_own = |d: &&Delivery| d.to as usize == modem && !d.is_bridged && !d.is_overheard;
    let messages = output.deliveries.iter().filter(is_own).filter_map(|d| {
        let text = std::str::from_utf8(output.payload(d)).ok()?;
        // other programs may use the modem too
        field(text, "src_node")?;
        Some(("NODE_MESSAGE", text.to_string()))
    });
    let ranges = output.ranges.iter().filter(|r| r.modem as usize == modem);
    let ranges = ranges.map(|result| range_report(scene, result, time));
    messages.chain(ranges).collect()
}

/// Returns the report of a range to a fixed modem or to another robot.
fn range_report(scene: &Scene, result: &RangeResult, time: f64) -> (&'static str, String) {
    let [own, other] = [result.modem, result.other].map(|k| &scene.modems[k as usize]);
    let range = measured_range(scene, result);
    let name = robot_name(scene, own).unwrap_or(&own.name);
    match robot_name(scene, other) {
        None => (
            "BRS_RANGE_REPORT",
            format!(
                "vname={name},range={range:.4},id={},time={time:.3}",
                other.name
            ),
        ),
        Some(target) => (
            "CRS_RANGE_REPORT",
            format!("vname={name},range={range:.4},target={target},time={time:.3}"),
        ),
    }
}

/// Returns the name of the robot that carries a modem.
fn robot_name<'a>(scene: &'a Scene, modem: &Modem) -> Option<&'a str> {
    modem.on.map(|(robot, _)| scene.robots[robot].name.as_str())
}
