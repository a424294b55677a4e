//! Diagnostics of lost messages: slow subscribers, invalid datagrams, dropped commands, links to
//! autopilots and ground stations.

use crate::node::diagnostics::{ERROR, OK, WARN, status, value};
use merrow_autopilot::status::{LinkKind, LinkStatus};
use merrow_ros2::msg::diagnostic_msgs::DiagnosticStatus;
use merrow_ros2::node::NetworkCounters;
use std::collections::BTreeMap;

/// Counters of messages and datagrams that were lost.
pub struct Losses<'a> {
    /// Number of messages that did not reach DDS or the bag.
    pub dropped: u64,
    /// The same by topic.
    pub by_topic: &'a BTreeMap<String, u64>,
    /// Number of messages per topic that left the history before every reliable subscriber
    /// acknowledged them.
    pub evicted: &'a [(&'a str, u64)],
    /// Counters of the network at the preceding diagnostics and now; `None` without a node.
    pub network: Option<[NetworkCounters; 2]>,
}

/// Builds the status of messages that the publisher could not send in time.
pub(super) fn publisher_status(by_topic: &BTreeMap<String, u64>) -> DiagnosticStatus {
    let total: u64 = by_topic.values().sum();
    let values = by_topic.iter().map(|(topic, count)| value(topic, count));
    status(
        WARN,
        "merrow: publisher".into(),
        format!("{total} messages were dropped before they were sent"),
        values.collect(),
    )
}

/// Builds the status of reliable subscribers that do not keep up.
pub(super) fn subscribers_status(total: u64, evicted: &[(&str, u64)]) -> DiagnosticStatus {
    let values = evicted.iter().map(|(topic, count)| value(topic, count));
    status(
        WARN,
        "merrow: slow subscribers".into(),
        format!("{total} messages were dropped before all reliable subscribers had them"),
        values.collect(),
    )
}

/// Builds the status of the network from its counters at the preceding diagnostics and now.
pub(super) fn network_status([before, now]: [NetworkCounters; 2]) -> DiagnosticStatus {
    let ignored = |c: &NetworkCounters| c.malformed + c.refused + c.skipped;
    let new = [
        (
            ignored(&now) - ignored(&before),
            "invalid or refused datagrams of peers were ignored",
        ),
        (
            now.overtaken - before.overtaken,
            "commands arrived faster than they were handled",
        ),
    ];
    let worst = new.iter().find(|(count, _)| *count > 0);
    let (level, message) = match worst {
        Some((count, text)) => (WARN, format!("{count} {text}")),
        None => (OK, "connected".to_string()),
    };
    let values = vec![
        value("datagrams sent", now.sent),
        value("datagrams received", now.received),
        value("datagrams that could not be sent", now.send_errors),
        value("datagrams from outside the discovery range", now.foreign),
        value("datagrams with invalid content", now.malformed),
        value("refused announcements", now.refused),
        value("messages skipped because of their size", now.skipped),
        value("messages dropped before their callback", now.overtaken),
    ];
    status(level, "merrow: network".into(), message, values)
}

/// Builds the status of the link to an autopilot or to a ground station. `before`: the same link at
/// the preceding diagnostics; new faults are a warning.
pub(crate) fn link_status(link: &LinkStatus, before: Option<&LinkStatus>) -> DiagnosticStatus {
    let has_new_faults =
        link.faults() > before.map_or(0, |before| before.faults().min(link.faults()));
    let transport = link.kind.transport();
    let (level, message) = match (&link.failure, &link.peer) {
        (Some(why), _) => (ERROR, why.clone()),
        (None, None) if link.lost => (ERROR, link.note.clone()),
        (None, _) if has_new_faults => (WARN, link.note.clone()),
        (None, Some(peer)) => (OK, format!("connected to {peer}")),
        (None, None) if link.kind == LinkKind::GroundStation => {
            (OK, format!("sends to {transport} {}", link.address))
        }
        // a program that only reads is not seen
        (None, None) if link.kind == LinkKind::Serial => (OK, format!("sends to {}", link.address)),
        (None, None) if link.kind == LinkKind::Moos => {
            (WARN, format!("no MOOSDB at {}", link.address))
        }
        (None, None) => (
            WARN,
            format!("no autopilot on {transport} {}", link.address),
        ),
    };
    let values = vec![
        value("address", &link.address),
        value("peer", link.peer.as_deref().unwrap_or("none")),
        value("frames", link.frames),
        value("frames that did not arrive", link.lost_frames),
        value("frames that arrived late", link.stale),
        value("packets sent again", link.repeated),
        value("invalid packets", link.malformed),
        value("packets of other programs", link.foreign),
        value("refused commands", link.refused),
        value("restarts", link.restarts),
    ];
    let name = format!("{}: {}", link.robot, link.kind.name());
    status(level, name, message, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_with_slow_subscribers_are_named() {
        let found = subscribers_status(7, &[("/image", 5), ("/scan", 2)]);
        assert_eq!(found.level, DiagnosticStatus::WARN);
        assert!(found.message.starts_with("7 messages"), "{}", found.message);
        let values: Vec<_> = found.values.iter().map(|v| (&*v.key, &*v.value)).collect();
        assert_eq!(values, [("/image", "5"), ("/scan", "2")]);
    }

    #[test]
    fn new_faults_of_a_link_are_a_warning() {
        let connected = LinkStatus {
            robot: "rov".to_string(),
            kind: LinkKind::Px4,
            address: "127.0.0.1:4560".to_string(),
            ..LinkStatus::default()
        };
        let found = link_status(&connected, None);
        assert_eq!(found.message, "no autopilot on TCP 127.0.0.1:4560");
        let faulty = LinkStatus {
            peer: Some("127.0.0.1:5000".to_string()),
            malformed: 1,
            note: "bytes that are not MAVLink".to_string(),
            ..connected
        };
        assert_eq!(link_status(&faulty, None).level, DiagnosticStatus::WARN);
        let later = link_status(&faulty, Some(&faulty));
        assert_eq!(later.level, DiagnosticStatus::OK);
        let failed = LinkStatus {
            failure: Some("UDP 127.0.0.1:9002: address in use".to_string()),
            ..LinkStatus::default()
        };
        assert_eq!(link_status(&failed, None).level, DiagnosticStatus::ERROR);
    }

    #[test]
    fn invalid_datagrams_are_a_warning_while_they_arrive() {
        let before = NetworkCounters {
            malformed: 3,
            ..NetworkCounters::default()
        };
        let now = NetworkCounters {
            malformed: 5,
            refused: 1,
            ..before
        };
        let found = network_status([before, now]);
        assert_eq!(found.level, DiagnosticStatus::WARN);
        assert!(found.message.starts_with("3 invalid"), "{}", found.message);
        assert_eq!(network_status([now, now]).level, DiagnosticStatus::OK);
    }
}
