//! Discovery range: where announcements go in addition to multicast, and from where datagrams are
//! accepted (RTPS 2.5, 8.5.3).

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, ToSocketAddrs};

use super::driver::Senders;
use super::ports;

/// Number of participant ids that are tried on a static peer without a port.
const STATIC_PEER_IDS: u16 = 32;

/// Participants that are discovered without being named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Range {
    /// All participants of the networks to which this machine is connected, by multicast, and the
    /// participants of this machine. A sender is in such a network if its address has the prefix of
    /// an interface.
    #[default]
    Subnet,
    /// Participants of this machine, by multicast that does not leave it.
    Localhost,
    /// None; static peers only.
    Off,
}

/// Discovery range with resolved static peers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    range: Range,
    peers: Vec<(Ipv4Addr, Option<u16>)>,
}

impl Discovery {
    /// Resolves static peers, each `host` or `host:port`.
    ///
    /// # Errors
    /// A name has no IPv4 address, or a port is not a number.
    pub fn new<'a>(range: Range, peers: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let peers = peers.into_iter().map(resolve).collect::<io::Result<_>>()?;
        Ok(Self { range, peers })
    }

    /// Returns how many networks multicast announcements pass; `None` without multicast.
    ///
    /// A Cyclone DDS participant that uses multicast has no well-known unicast port, so that only
    /// multicast also finds it on this machine.
    pub fn multicast_ttl(&self) -> Option<u8> {
        match self.range {
            Range::Subnet => Some(1),
            Range::Localhost => Some(0),
            Range::Off => None,
        }
    }

    /// Returns the unicast destinations of announcements.
    ///
    /// They include every participant id of this machine, because a machine may have no multicast.
    pub fn initial_peers(&self, domain_id: u16) -> Vec<SocketAddr> {
        let ids_of = |host: Ipv4Addr, ids: std::ops::RangeInclusive<u16>| {
            ids.filter_map(move |id| ports::metatraffic_unicast(domain_id, id))
                .map(move |port| SocketAddr::V4(SocketAddrV4::new(host, port)))
        };
        let mut all = Vec::new();
        if self.range != Range::Off {
            all.extend(ids_of(Ipv4Addr::LOCALHOST, 0..=ports::MAX_PARTICIPANT_ID));
        }
        for (host, port) in &self.peers {
            match port {
                Some(port) => all.push(SocketAddr::V4(SocketAddrV4::new(*host, *port))),
                None => all.extend(ids_of(*host, 0..=STATIC_PEER_IDS - 1)),
            }
        }
        all
    }

    /// Returns the senders whose datagrams are accepted.
    pub fn senders(&self) -> Senders {
        let names_own = self.peers.iter().any(|(host, _)| host.is_loopback());
        Senders {
            networks: self.range == Range::Subnet,
            own: self.range != Range::Off || names_own,
            hosts: self.peers.iter().map(|(host, _)| *host).collect(),
        }
    }
}

fn resolve(peer: &str) -> io::Result<(Ipv4Addr, Option<u16>)> {
    let invalid = |problem: &str| {
        let text = format!("static peer `{peer}`: {problem}; expected host or host:port");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    };
    let (host, port) = match peer.split_once(':') {
        Some((host, port)) => {
            let port = port
                .parse()
                .map_err(|_| invalid("the port is not a number"))?;
            (host, Some(port))
        }
        None => (peer, None),
    };
    let addresses = (host, 0)
        .to_socket_addrs()
        .map_err(|error| invalid(&error.to_string()))?;
    let v4 = |address: SocketAddr| match address {
        SocketAddr::V4(v4) => Some(*v4.ip()),
        SocketAddr::V6(_) => None,
    };
    let address = addresses.filter_map(v4).next();
    Ok((
        address.ok_or_else(|| invalid("the host has no IPv4 address"))?,
        port,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_reach_all_ids_of_this_machine_and_static_peers() {
        let discovery = Discovery::new(Range::Localhost, ["10.0.0.7", "10.0.0.8:9000"]).unwrap();
        let peers = discovery.initial_peers(0);
        assert_eq!(peers.len(), 120 + 32 + 1);
        assert_eq!(peers[0], "127.0.0.1:7410".parse().unwrap());
        assert_eq!(peers[119], "127.0.0.1:7648".parse().unwrap());
        assert_eq!(peers[120], "10.0.0.7:7410".parse().unwrap());
        assert_eq!(peers[152], "10.0.0.8:9000".parse().unwrap());
        assert_eq!(discovery.multicast_ttl(), Some(0));
    }

    #[test]
    fn ranges_limit_the_senders() {
        let senders = |range, peers: &[&str]| {
            let senders = Discovery::new(range, peers.iter().copied())
                .unwrap()
                .senders();
            (senders.networks, senders.own, senders.hosts.len())
        };
        assert_eq!(senders(Range::Subnet, &[]), (true, true, 0));
        assert_eq!(senders(Range::Localhost, &["10.0.0.7"]), (false, true, 1));
        assert_eq!(senders(Range::Off, &[]), (false, false, 0));
        assert_eq!(senders(Range::Off, &["localhost"]), (false, true, 1));
        assert!(
            Discovery::new(Range::Off, [])
                .unwrap()
                .initial_peers(0)
                .is_empty()
        );
    }

    #[test]
    fn invalid_static_peers_are_named() {
        for peer in ["10.0.0.7:x", "10.0.0.7:70000", ""] {
            let error = Discovery::new(Range::Subnet, [peer])
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with(&format!("static peer `{peer}`")),
                "{error}"
            );
        }
    }
}
