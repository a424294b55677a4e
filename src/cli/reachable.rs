//! The line at the start of a run that names its sockets and who reaches them.

use std::net::IpAddr;

use merrow_model::scene::Robot;
use merrow_ros2::args::{DiscoveryRange, NodeOptions};

/// Describes the sockets of a run: sockets of the node, of the live view and of the links of the
/// robots. `None` without sockets.
pub(super) fn line(
    node: Option<&NodeOptions>,
    view: Option<IpAddr>,
    robots: &[Robot],
) -> Option<String> {
    let mut sockets = Vec::new();
    if let Some(node) = node {
        sockets.push(format!("ROS 2 domain {} {}", node.domain_id, peers(node)));
    }
    if let Some(address) = view {
        let token = if address.is_loopback() {
            ""
        } else {
            " with the token"
        };
        sockets.push(format!("live view from {}{token}", network(address)));
    }
    for robot in robots {
        if let Some(station) = robot.mavlink {
            sockets.push(format!(
                "MAVLink of {} from {}",
                robot.name, station.address
            ));
        }
        if let Some(link) = robot.autopilot.as_ref().filter(|link| link.enabled) {
            let from = network(link.address);
            sockets.push(format!("autopilot of {} from {from}", robot.name));
        }
    }
    (!sockets.is_empty()).then(|| format!("reachable: {}", sockets.join("; ")))
}

fn peers(node: &NodeOptions) -> String {
    let range = match node.discovery {
        DiscoveryRange::Subnet => "from the networks of this machine",
        DiscoveryRange::Localhost => {
            "from this machine (ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET: also from its networks)"
        }
        DiscoveryRange::Off => "from no network",
    };
    match node.static_peers.join(", ") {
        none if none.is_empty() => range.to_owned(),
        named => format!("{range}, and from {named}"),
    }
}

fn network(address: IpAddr) -> String {
    match address {
        address if address.is_loopback() => "this machine".to_owned(),
        address if address.is_unspecified() => "every network".to_owned(),
        address => format!("the network of {address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_socket_has_its_peers() {
        let line = |node: Option<&NodeOptions>, view: Option<&str>| {
            line(node, view.map(|text| text.parse().unwrap()), &[])
        };
        assert_eq!(line(None, None), None);
        let mut node = NodeOptions::new("merrow");
        let text = line(Some(&node), Some("127.0.0.1")).unwrap();
        assert_eq!(
            text,
            "reachable: ROS 2 domain 0 from this machine (ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET: also from its \
             networks); live view from this machine"
        );
        node.discovery = DiscoveryRange::Subnet;
        node.static_peers = vec!["10.0.0.7".to_owned()];
        let text = line(Some(&node), Some("0.0.0.0")).unwrap();
        assert_eq!(
            text,
            "reachable: ROS 2 domain 0 from the networks of this machine, and from 10.0.0.7; live view from \
             every network with the token"
        );
    }
}
