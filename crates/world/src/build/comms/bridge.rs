//! Topics that modems transmit between robots.

use crate::build::comms::nanoseconds;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::Modem;
use merrow_model::scene::comms::bridge::Bridge;
use merrow_schema::comms::BridgeEntry;
use merrow_yaml::error::{Place, Problems, did_you_mean, quote};
use merrow_yaml::read::NamedMap;

/// Value of the key `to` for all modems that can receive.
const ALL: &str = "all";

/// Builds the bridges of a world whose modems are known, with the places of their topics.
pub(crate) fn build_bridges(
    file: &NamedMap<BridgeEntry>,
    scene: &Scene,
    problems: &mut Problems,
) -> Vec<(Bridge, Place)> {
    let mut build = |(name, entry): (&str, &BridgeEntry)| {
        let bridge = build_bridge(name, entry, scene, problems)?;
        Some((bridge, entry.at.key_place("topic").clone()))
    };
    file.iter().filter_map(&mut build).collect()
}

fn build_bridge(
    name: &str,
    file: &BridgeEntry,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<Bridge> {
    let from = find_modem(name, file, "from", &file.from, scene, problems)?;
    let topic = file.topic.trim_matches('/').to_string();
    let is_broadcast = file.to == ALL;
    for (key, is_used) in [
        ("received_as", file.received_as.is_some()),
        ("acknowledge", file.acknowledge),
    ] {
        if is_broadcast && is_used {
            let text = format!("{name}: `{key}` is not possible with `to: all`: remove the key");
            problems.push(file.at.key_place(key), text);
        }
    }
    let receives = |modem: &Modem| decodes(&scene.modems[from], modem);
    let receivers: Vec<usize> = if is_broadcast {
        let others = scene.modems.iter().enumerate();
        others
            .filter(|(k, modem)| *k != from && receives(modem))
            .map(|(k, _)| k)
            .collect()
    } else {
        let to = find_modem(name, file, "to", &file.to, scene, problems)?;
        if to == from || !receives(&scene.modems[to]) {
            let text = format!(
                "{name}: {} does not receive from {}: expected another modem with the same medium, band and rates",
                file.to, file.from
            );
            problems.push(file.at.key_place("to"), text);
            return None;
        }
        vec![to]
    };
    let received_as = |to: usize| match &file.received_as {
        Some(topic) => topic.trim_matches('/').to_string(),
        None => format!("{}/{topic}", owner(scene, to)),
    };
    Some(Bridge {
        name: name.to_string(),
        from,
        to: receivers.iter().map(|to| (*to, received_as(*to))).collect(),
        is_broadcast,
        message_type: file.message_type.clone().unwrap_or_default(),
        min_interval_ns: file.max_rate_hz.map_or(0, |rate| nanoseconds(1.0 / rate)),
        priority: file.priority as u8,
        keeps_newest: file.newest_only,
        wants_ack: file.acknowledge,
        topic,
    })
}

/// Returns true if modem `to` decodes the frames of modem `from`.
fn decodes(from: &Modem, to: &Modem) -> bool {
    let (a, b) = (&from.transceiver, &to.transceiver);
    a.is_same_medium(b) && a.band == b.band && a.rates().eq(b.rates())
}

/// Returns the name of the robot that carries modem `k`, or of the modem if it is fixed.
fn owner(scene: &Scene, k: usize) -> &str {
    let modem = &scene.modems[k];
    match modem.on {
        Some((robot, _)) => &scene.robots[robot].name,
        None => &modem.name,
    }
}

/// Returns the index of the modem that the key `key` names.
fn find_modem(
    name: &str,
    file: &BridgeEntry,
    key: &str,
    requested: &str,
    scene: &Scene,
    problems: &mut Problems,
) -> Option<usize> {
    let found = scene
        .modems
        .iter()
        .position(|modem| modem.name == requested);
    if found.is_none() {
        let names = scene.modems.iter().map(|modem| modem.name.as_str());
        let text = format!(
            "{name}: no modem {}, expected the name of a modem such as `rov/acoustic`{}",
            quote(requested),
            did_you_mean(requested, names)
        );
        problems.push(file.at.key_place(key), text);
    }
    found
}
