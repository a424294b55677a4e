//! Topics and services that modems transmit between robots.

use crate::context::SceneContext;
use crate::keys::comms::BridgeEntry;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::bridge::{Bridge, PositionCorrection, ServiceBridge};
use merrow_model::scene::comms::{BridgeQueue, Modem};
use merrow_model::scene::nanoseconds::nanoseconds;
use merrow_model::scene::robot::feedback::Feedback;
use merrow_yaml::error::Place;
use merrow_yaml::read::NamedMap;

/// Value of the key `to` for all modems that can receive.
const ALL: &str = "all";

/// Default of the key `timeout_s` [s].
const TIMEOUT_S: f64 = 60.0;

/// Bridges of a world with the places of their topics or services.
#[derive(Debug, Default)]
pub(crate) struct Bridges {
    /// Bridges that transmit topics.
    pub(crate) topics: Vec<(Bridge, Place)>,
    /// Bridges that transmit services.
    pub(crate) services: Vec<(ServiceBridge, Place)>,
}

/// Builds the bridges of a world whose modems are known.
pub(crate) fn build_bridges(file: &NamedMap<BridgeEntry>, cx: SceneContext<'_>) -> Bridges {
    let mut bridges = Bridges::default();
    for (name, entry) in file.iter() {
        check_keys(entry, cx);
        match (&entry.topic, &entry.service) {
            (Some(topic), None) => {
                if let Some(bridge) = build_bridge(name, entry, topic, cx) {
                    let place = entry.at.key_place("topic").clone();
                    bridges.topics.push((bridge, place));
                }
            }
            (None, Some(service)) => {
                if let Some(bridge) = build_service(name, entry, service, cx) {
                    let place = entry.at.key_place("service").clone();
                    bridges.services.push((bridge, place));
                }
            }
            (None, None) => {
                let text = format!("{name}: missing key `topic` or `service`; add one of them");
                cx.error(&entry.at.whole, text);
            }
            (Some(_), Some(_)) => {
                let text = format!(
                    "{name}: expected either `topic` or `service`, found both; remove one of them"
                );
                cx.error(entry.at.key_place("service"), text);
            }
        }
    }
    bridges
}

/// Reports the keys that require the other one of the keys `topic` and `service`.
fn check_keys(file: &BridgeEntry, cx: SceneContext<'_>) {
    for (key, with) in [
        ("message_type", "topic"),
        ("received_as", "topic"),
        ("fix", "topic"),
        ("service_type", "service"),
        ("offered_as", "service"),
        ("timeout_s", "service"),
    ] {
        file.at
            .report_ineffective_key(key, with, &mut cx.problems());
    }
}

fn build_bridge(
    name: &str,
    file: &BridgeEntry,
    topic: &str,
    cx: SceneContext<'_>,
) -> Option<Bridge> {
    let from = find_modem(name, file, "from", &file.from, cx)?;
    let topic = topic.trim_matches('/').to_string();
    let is_broadcast = file.to == ALL;
    for (key, is_used) in [
        ("received_as", file.received_as.is_some()),
        ("acknowledge", file.acknowledge),
        ("fix", file.fix.is_some()),
    ] {
        if is_broadcast && is_used {
            let text = format!("{name}: `{key}` is not possible with `to: all`; remove the key");
            cx.error(file.at.key_place(key), text);
        }
    }
    let receives = |modem: &Modem| decodes(&cx.scene.modems[from], modem);
    let receivers: Vec<usize> = if is_broadcast {
        let others = cx.scene.modems.iter().enumerate();
        others
            .filter(|(k, modem)| *k != from && receives(modem))
            .map(|(k, _)| k)
            .collect()
    } else {
        vec![find_receiver(name, file, from, cx)?]
    };
    let received_as = |to: usize| match &file.received_as {
        Some(topic) => topic.trim_matches('/').to_string(),
        None => format!("{}/{topic}", owner(cx.scene, to)),
    };
    let fix = file.fix.as_ref().filter(|_| !is_broadcast);
    if let Some(fix) = fix {
        check_fix(name, fix, receivers[0], cx);
    }
    Some(Bridge {
        name: name.to_string(),
        from,
        to: receivers.iter().map(|to| (*to, received_as(*to))).collect(),
        is_broadcast,
        message_type: file.message_type.clone().unwrap_or_default(),
        min_interval_ns: min_interval(file),
        priority: file.priority as u8,
        queue: build_queue(name, file, true, cx),
        is_acknowledged: file.acknowledge,
        fix: fix.cloned(),
        topic,
    })
}

/// Reports a correction of a robot whose firmware does not estimate its position by dead reckoning.
/// The robot carries modem `to`.
fn check_fix(name: &str, file: &PositionCorrection, to: usize, cx: SceneContext<'_>) {
    let robot = cx.scene.modems[to]
        .on
        .map(|(robot, _)| &cx.scene.robots[robot]);
    let firmware = robot.and_then(|robot| robot.firmware.as_ref());
    let reckons = |feedback: &Feedback| match feedback {
        Feedback::Truth => false,
        Feedback::Sensors(sensors) => sensors.ins.is_none(),
    };
    if !firmware.is_some_and(|firmware| reckons(&firmware.feedback)) {
        let text = format!(
            "{name}: `fix` corrects dead reckoning; expected a robot whose firmware has `feedback: sensors` without an INS, found {}",
            owner(cx.scene, to)
        );
        cx.error(&file.at.whole, text);
    }
}

fn build_service(
    name: &str,
    file: &BridgeEntry,
    service: &str,
    cx: SceneContext<'_>,
) -> Option<ServiceBridge> {
    if file.to == ALL {
        let text = format!("{name}: `to: all` is not possible with `service`; name one modem");
        return cx.refuse(file.at.key_place("to"), text);
    }
    let from = find_modem(name, file, "from", &file.from, cx)?;
    let to = find_receiver(name, file, from, cx)?;
    let service = service.trim_matches('/').to_string();
    let offered_as = match &file.offered_as {
        Some(name) => name.trim_matches('/').to_string(),
        None => format!("{}/{service}", owner(cx.scene, from)),
    };
    Some(ServiceBridge {
        name: name.to_string(),
        from,
        to,
        offered_as,
        service_type: file.service_type.clone().unwrap_or_default(),
        min_interval_ns: min_interval(file),
        timeout_ns: nanoseconds(file.timeout_s.unwrap_or(TIMEOUT_S)),
        priority: file.priority as u8,
        queue: build_queue(name, file, false, cx),
        is_acknowledged: file.acknowledge,
        service,
    })
}

/// Builds the limits of the waiting messages. `keeps_newest`: default of `newest_only` without
/// `queue`.
fn build_queue(
    name: &str,
    file: &BridgeEntry,
    keeps_newest: bool,
    cx: SceneContext<'_>,
) -> BridgeQueue {
    let Some(queue) = &file.queue else {
        return match file.newest_only.unwrap_or(keeps_newest) {
            true => BridgeQueue::NEWEST_ONLY,
            false => BridgeQueue {
                max_messages: None,
                ..BridgeQueue::NEWEST_ONLY
            },
        };
    };
    if file.newest_only == Some(true) {
        let text = format!("{name}: `newest_only: true` excludes `queue`; remove one of them");
        cx.error(file.at.key_place("queue"), text);
    }
    BridgeQueue {
        max_messages: queue.max_messages.map(|n| n as usize),
        policy: queue.policy,
        max_age_ns: queue.max_age_s.map(nanoseconds),
    }
}

/// Returns the minimum time between two messages of a bridge [ns].
fn min_interval(file: &BridgeEntry) -> u64 {
    file.max_rate_hz.map_or(0, |rate| nanoseconds(1.0 / rate))
}

/// Returns the modem of the key `to`, which must receive from modem `from`.
fn find_receiver(
    name: &str,
    file: &BridgeEntry,
    from: usize,
    cx: SceneContext<'_>,
) -> Option<usize> {
    let to = find_modem(name, file, "to", &file.to, cx)?;
    if to == from || !decodes(&cx.scene.modems[from], &cx.scene.modems[to]) {
        let text = format!(
            "{name}: {} does not receive from {}; expected another modem with the same medium, band and rates",
            file.to, file.from
        );
        return cx.refuse(file.at.key_place("to"), text);
    }
    Some(to)
}

/// Returns true if modem `to` decodes the frames of modem `from`.
fn decodes(from: &Modem, to: &Modem) -> bool {
    let (a, b) = (&from.transceiver, &to.transceiver);
    a.is_same_medium(b) && a.medium.band() == b.medium.band() && a.rates().eq(b.rates())
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
    cx: SceneContext<'_>,
) -> Option<usize> {
    let names = cx.scene.modems.iter().map(|modem| modem.name.as_str());
    cx.find(file.at.key_place(key), requested, names, |modem| {
        format!("{name}: no modem {modem}")
    })
}
