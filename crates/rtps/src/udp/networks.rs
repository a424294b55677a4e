//! IPv4 networks of this machine: own addresses, MTUs, and the choice of a peer's locator
//! (RTPS 2.5, 9.3.2.4).

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

use crate::engine::{Path, Paths};
use crate::wire::Locator;

/// Size of the IPv4 and UDP headers [bytes].
const HEADERS_LEN: usize = 28;

/// MTU that is assumed where the operating system does not report one [bytes].
const ETHERNET_MTU: usize = 1500;

/// Maximum UDP payload that is sent on this host [bytes].
///
/// The kernel charges a datagram of this size with about 66 kB to the receive buffer, so that three
/// of them fit into the default buffer of 212992 bytes.
const LOCAL_DATAGRAM: usize = 65_000;

/// Path to destinations on this machine.
///
/// The default receive buffer of Linux (212992 bytes) holds three datagrams of 65 kB, 92 of 1472
/// bytes or 166 of 200 bytes. A burst must not overflow it. Measured with a best-effort writer on
/// two cores and Fast DDS 2.9: 60 of 60 samples of 1 MB and 27 of 30 samples of 6 MB arrived.
/// Without a limit, 15 of 30 samples of 1 MB arrived.
const LOCAL_PATH: Path = Path {
    max_datagram: LOCAL_DATAGRAM,
    burst_bytes: 2 * LOCAL_DATAGRAM,
    bytes_per_second: 150_000_000,
    best_effort_bytes_per_second: 150_000_000,
};

/// Burst to other machines, with the memory that each datagram needs in addition to its content
/// [bytes].
const REMOTE_BURST: usize = 64_000;

/// Rate to other machines, with the memory that each datagram needs in addition to its content
/// [bytes/s]. In datagrams of 1472 bytes, 39 MB/s of content.
///
/// The cost per datagram of a subscriber limits it. Measured through a virtual Ethernet link with
/// datagrams of 1.4 kB on two idle cores and Fast DDS 2.9: 60 of 60 samples of 1 MB arrived. On
/// busy cores samples are lost at 15 MB/s, so losses have to lower the rate.
const REMOTE_RATE: u64 = 65_000_000;

/// Rate of samples for best-effort readers on other machines [bytes/s]: 24 MB/s of content.
///
/// A lost fragment loses the sample. Measured through a link with 1 ms delay, with the subscriber
/// on the same two cores: at the rate of reliable readers 30 to 50 of 50 samples of 1 MB arrived.
const REMOTE_BEST_EFFORT_RATE: u64 = 40_000_000;

/// An address of this machine with its network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Address of this machine.
    pub address: Ipv4Addr,
    /// Network mask of the address.
    pub mask: Ipv4Addr,
    /// Index of the interface, for multicast.
    pub index: u32,
    /// Maximum size of an IP packet [bytes].
    pub mtu: usize,
    /// Whether the interface can carry packets.
    pub is_up: bool,
}

impl Network {
    fn contains(&self, address: Ipv4Addr) -> bool {
        let mask = self.mask.to_bits();
        self.address.to_bits() & mask == address.to_bits() & mask
    }
}

/// Networks of this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(pub(super) Vec<Network>);

impl Networks {
    /// Reads the current networks of the operating system. An error yields the loopback network
    /// only.
    pub fn detect() -> Self {
        let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
        let mut networks: Vec<Network> = interfaces.iter().filter_map(network).collect();
        if !networks.iter().any(|network| network.address.is_loopback()) {
            networks.push(Network {
                address: Ipv4Addr::LOCALHOST,
                mask: Ipv4Addr::new(255, 0, 0, 0),
                index: 0,
                mtu: 65_536,
                is_up: true,
            });
        }
        // unequal order is no change
        networks.sort_by_key(|network| (network.address, network.index));
        Self(networks)
    }

    /// Returns the networks whose interfaces are up.
    pub fn iter(&self) -> impl Iterator<Item = &Network> {
        self.0.iter().filter(|network| network.is_up)
    }

    /// Returns true if `address` belongs to this machine.
    pub fn is_own(&self, address: Ipv4Addr) -> bool {
        address.is_loopback() || self.0.iter().any(|network| network.address == address)
    }

    /// Returns true if `address` is in a network whose interface is up.
    pub fn is_member(&self, address: Ipv4Addr) -> bool {
        self.containing(address).is_some()
    }

    /// Returns the maximum UDP payload to `address` that is not divided into IP fragments [bytes].
    fn max_datagram(&self, address: Ipv4Addr) -> usize {
        if self.is_own(address) {
            return LOCAL_DATAGRAM;
        }
        let mtu = if address.is_multicast() {
            self.iter().map(|network| network.mtu).min()
        } else {
            self.containing(address).map(|network| network.mtu)
        };
        let mtu = mtu.unwrap_or(ETHERNET_MTU);
        mtu.saturating_sub(HEADERS_LEN).clamp(512, LOCAL_DATAGRAM)
    }

    /// Returns the locators that a participant announces for a port: locators of all networks, the
    /// loopback network last.
    ///
    /// Cyclone DDS ignores participants that announce only a loopback address unless it is itself
    /// limited to the loopback network, so other addresses are announced even without multicast.
    pub fn announced(&self, port: u16) -> Vec<Locator> {
        let own = || self.iter().map(|network| network.address);
        let others = own().filter(|address| !address.is_loopback());
        let loopback = own().filter(Ipv4Addr::is_loopback);
        let locator = |address| Locator::from(SocketAddr::from((address, port)));
        others.chain(loopback).map(locator).collect()
    }

    /// Returns the best of the unicast addresses that one peer announces, whose datagrams come from
    /// `source`.
    ///
    /// For a peer on this machine, an address of this machine is preferred, because it has the
    /// largest datagrams. An address of this machine is not used for another machine: both may have
    /// a virtual network with the same address. Otherwise the order is `source`, an address in a
    /// common network, one behind a router. A loopback address is used if the peer has no other.
    fn best(&self, addresses: &[SocketAddrV4], source: Option<Ipv4Addr>) -> Option<SocketAddrV4> {
        let is_here = source.is_none_or(|source| self.is_own(source));
        let usable = |address: &&SocketAddrV4| {
            let ip = address.ip();
            !(ip.is_multicast() || ip.is_unspecified() || ip.is_broadcast() || address.port() == 0)
        };
        let rank = |address: &&SocketAddrV4| {
            let ip = *address.ip();
            match (ip.is_loopback(), self.is_own(ip), self.containing(ip)) {
                (true, ..) => 4,
                (_, true, _) if is_here => 0,
                (_, true, _) => 5,
                _ if source == Some(ip) => 1,
                (.., Some(_)) => 2,
                (.., None) => 3,
            }
        };
        addresses.iter().filter(usable).min_by_key(rank).copied()
    }

    fn containing(&self, address: Ipv4Addr) -> Option<&Network> {
        let holds = |network: &&Network| network.contains(address);
        self.iter().filter(holds).max_by_key(|network| network.mask)
    }
}

impl Paths for Networks {
    fn is_own(&self, address: IpAddr) -> bool {
        matches!(address, IpAddr::V4(address) if Networks::is_own(self, address))
    }

    fn path(&self, to: SocketAddr) -> Path {
        let address = match to {
            SocketAddr::V4(to) => *to.ip(),
            // no socket sends to IPv6 addresses, so the values do not matter
            SocketAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
        };
        if self.is_own(address) {
            return LOCAL_PATH;
        }
        let max_datagram = self.max_datagram(address);
        Path {
            max_datagram,
            burst_bytes: REMOTE_BURST.max(max_datagram),
            bytes_per_second: REMOTE_RATE,
            best_effort_bytes_per_second: REMOTE_BEST_EFFORT_RATE,
        }
    }

    /// Returns the other transports, such as shared memory, are ignored.
    fn choose(&self, locators: &[Locator], source: Option<SocketAddr>) -> Option<SocketAddr> {
        let v4 = |locator: &Locator| match locator.socket_addr()? {
            SocketAddr::V4(address) => Some(address),
            SocketAddr::V6(_) => None,
        };
        let addresses: Vec<_> = locators.iter().filter_map(v4).collect();
        let source = match source {
            Some(SocketAddr::V4(source)) => Some(*source.ip()),
            _ => None,
        };
        self.best(&addresses, source).map(SocketAddr::V4)
    }

    /// Returns an interface can come up after the networks were read, so that datagrams pass
    /// although its address is not announced yet. Cyclone DDS then keeps the loopback address for
    /// ever.
    fn is_connected(&self, to: SocketAddr) -> bool {
        let SocketAddr::V4(to) = to else {
            return false;
        };
        let address = *to.ip();
        if address.is_multicast() || self.is_own(address) || self.is_member(address) {
            return true;
        }
        // behind a router, unless it belongs to an interface that is down
        !self.0.iter().any(|network| network.contains(address))
            && self.iter().any(|network| !network.address.is_loopback())
    }
}

/// Converts an interface address; `None` for IPv6.
fn network(interface: &if_addrs::Interface) -> Option<Network> {
    let if_addrs::IfAddr::V4(v4) = &interface.addr else {
        return None;
    };
    Some(Network {
        address: v4.ip,
        mask: v4.netmask,
        index: interface.index.unwrap_or(0),
        mtu: mtu(&interface.name),
        is_up: v4.ip.is_loopback() || interface.oper_status == if_addrs::IfOperStatus::Up,
    })
}

fn mtu(name: &str) -> usize {
    // an alias such as eth0:1 has the MTU of its interface
    let name = name.split(':').next().unwrap_or(name);
    std::fs::read_to_string(format!("/sys/class/net/{name}/mtu"))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(ETHERNET_MTU)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks() -> Networks {
        let network = |address: [u8; 4], mask: [u8; 4], mtu| Network {
            address: address.into(),
            mask: mask.into(),
            index: 0,
            mtu,
            is_up: true,
        };
        Networks(vec![
            network([127, 0, 0, 1], [255, 0, 0, 0], 65_536),
            network([10, 1, 2, 3], [255, 255, 0, 0], 9000),
            network([192, 168, 1, 5], [255, 255, 255, 0], 1500),
        ])
    }

    fn chosen(addresses: &[&str]) -> Option<String> {
        let parsed: Vec<_> = addresses.iter().map(|a| a.parse().unwrap()).collect();
        networks().best(&parsed, None).map(|a| a.to_string())
    }

    #[test]
    fn datagrams_fit_the_network() {
        let size = |address: &str| networks().max_datagram(address.parse().unwrap());
        assert_eq!(size("127.0.0.1"), 65_000);
        assert_eq!(size("10.1.2.3"), 65_000, "own address");
        assert_eq!(size("10.1.9.9"), 8972);
        assert_eq!(size("192.168.1.9"), 1472);
        assert_eq!(size("8.8.8.8"), 1472, "behind a router");
        assert_eq!(size("239.255.0.1"), 1472, "smallest network");
    }

    #[test]
    fn bursts_fit_the_default_receive_buffer() {
        for address in ["127.0.0.1", "10.1.9.9", "192.168.1.9"] {
            let address: Ipv4Addr = address.parse().unwrap();
            let path = networks().path((address, 7411).into());
            assert!(path.max_datagram <= path.burst_bytes && path.burst_bytes <= 130_000);
        }
    }

    #[test]
    fn loopback_is_announced_last() {
        let own = ["10.1.2.3:7411", "192.168.1.5:7411", "127.0.0.1:7411"];
        let locators = own.map(|text| Locator::from(text.parse::<SocketAddr>().unwrap()));
        assert_eq!(networks().announced(7411), locators);
    }

    #[test]
    fn locators_of_shared_memory_are_ignored() {
        let mut memory = Locator::from("127.0.0.1:7411".parse::<SocketAddr>().unwrap());
        memory.kind = 16_777_216;
        let network = Locator::from("10.1.9.9:7411".parse::<SocketAddr>().unwrap());
        let chosen = networks().choose(&[memory, network], None);
        assert_eq!(chosen, network.socket_addr());
    }

    #[test]
    fn own_then_same_network_then_routed_addresses_are_chosen() {
        let routed = "172.16.0.1:7411";
        assert_eq!(chosen(&["127.0.0.1:7411", routed]).as_deref(), Some(routed));
        let common = "192.168.1.9:7411";
        assert_eq!(chosen(&[routed, common]).as_deref(), Some(common));
        let own = "192.168.1.5:7413";
        assert_eq!(chosen(&[common, own]).as_deref(), Some(own));
        let loopback = "127.0.0.1:7411";
        assert_eq!(chosen(&[loopback]).as_deref(), Some(loopback));
    }

    /// Two machines with the same address of a virtual network, such as a network of containers.
    #[test]
    fn own_addresses_are_not_used_for_another_machine() {
        let addresses = ["10.1.2.3:7411", "192.168.1.9:7411", "127.0.0.1:7411"];
        let addresses = addresses.map(|text| text.parse().unwrap());
        let best = |source: &str| {
            let source = source.parse().unwrap();
            networks()
                .best(&addresses, Some(source))
                .unwrap()
                .to_string()
        };
        assert_eq!(best("192.168.1.9"), "192.168.1.9:7411");
        assert_eq!(
            best("192.168.1.77"),
            "192.168.1.9:7411",
            "behind a translator"
        );
        assert_eq!(best("192.168.1.5"), "10.1.2.3:7411", "this machine");
    }

    #[test]
    fn interfaces_that_are_down_are_not_announced() {
        let mut networks = networks();
        networks.0[1].is_up = false;
        assert_eq!(networks.announced(7411).len(), 2);
        assert!(networks.is_own("10.1.2.3".parse().unwrap()));
        assert!(networks.containing("10.1.9.9".parse().unwrap()).is_none());
    }

    #[test]
    fn announcements_that_name_no_reachable_address_are_not_sent() {
        let mut networks = networks();
        let is_connected = |networks: &Networks, address: &str| {
            networks.is_connected(SocketAddr::new(address.parse().unwrap(), 7410))
        };
        for address in ["127.0.0.1", "239.255.0.1", "10.1.9.9", "8.8.8.8"] {
            assert!(is_connected(&networks, address), "{address}");
        }
        networks.0[1].is_up = false;
        assert!(!is_connected(&networks, "10.1.9.9"), "interface down");
        assert!(is_connected(&networks, "8.8.8.8"), "by the other interface");
        networks.0[2].is_up = false;
        assert!(!is_connected(&networks, "8.8.8.8"), "no interface");
        assert!(is_connected(&networks, "127.0.0.1"));
    }

    #[test]
    fn non_unicast_addresses_are_ignored() {
        assert_eq!(
            chosen(&["239.255.0.1:7400", "0.0.0.0:7411", "10.1.9.9:0"]),
            None
        );
    }

    #[test]
    fn this_machine_has_networks() {
        assert!(Networks::detect().is_own(Ipv4Addr::LOCALHOST));
    }
}
