//! The networks this machine is on: whether the DDS library sends a sample to a reader in one piece or in fragments.
//!
//! The library (rustdds 0.15.1) decides that by the networks that it finds when it starts, and does not tell. This file
//! decides by its rule: each address of a reader counts with the MTU of the network here that holds it, or else as
//! behind an ordinary Ethernet, and the smallest decides.

use std::net::{Ipv4Addr, SocketAddr};

/// Bytes of IP, UDP and RTPS headers in a datagram.
const HEADERS: usize = 48;

/// Room that the library keeps for the submessages around a payload: DATA without inline QoS, and HEARTBEAT.
const SUBMESSAGES: usize = 48 + 32;

/// Longest payload beside which all submessages and an identity of 60 bytes fit into the largest datagram there is;
/// the library itself reckons without the identity.
const LONGEST: usize = 65_507 - 20 - 144;

/// Room where the MTU is not known.
const ETHERNET: usize = 1500 - HEADERS;

/// A network that this machine has an address of.
struct Network {
    address: Ipv4Addr,
    mask: Ipv4Addr,
    mtu: usize,
}

/// The networks this machine is on.
pub struct Networks(Vec<Network>);

impl Networks {
    /// Those of now.
    pub fn found() -> Self {
        let interfaces = netdev::get_interfaces();
        let of_interface = |interface: &netdev::Interface| {
            // the library goes on looking where an MTU is not known
            let mtu = interface.mtu.and_then(|mtu| usize::try_from(mtu).ok());
            let networks = interface.ipv4.iter().filter_map(move |network| {
                Some(Network {
                    address: network.addr(),
                    mask: network.netmask(),
                    mtu: mtu?,
                })
            });
            networks.collect::<Vec<_>>()
        };
        Self(interfaces.iter().flat_map(of_interface).collect())
    }

    /// Whether a payload, encapsulation header included, goes out in one piece to a reader that listens at these UDP
    /// addresses.
    pub fn takes_in_one_piece(
        &self,
        payload_len: usize,
        addresses: impl Iterator<Item = SocketAddr>,
    ) -> bool {
        let room = addresses
            .map(|address| self.room(address))
            .min()
            .unwrap_or(ETHERNET);
        payload_len <= LONGEST && payload_len + SUBMESSAGES <= room
    }

    /// Bytes of submessages in a datagram to an address.
    fn room(&self, address: SocketAddr) -> usize {
        let SocketAddr::V4(address) = address else {
            return ETHERNET;
        };
        let peer = address.ip().to_bits();
        let holds = |network: &&Network| {
            let mask = network.mask.to_bits();
            network.address.to_bits() & mask == peer & mask
        };
        self.0
            .iter()
            .find(holds)
            .map_or(ETHERNET, |network| network.mtu.saturating_sub(HEADERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks() -> Networks {
        let network = |address: [u8; 4], mask: [u8; 4], mtu| Network {
            address: address.into(),
            mask: mask.into(),
            mtu,
        };
        Networks(vec![
            network([127, 0, 0, 1], [255, 0, 0, 0], 65536),
            network([10, 1, 2, 3], [255, 255, 0, 0], 9000),
            network([192, 168, 1, 5], [255, 255, 255, 0], 1400),
        ])
    }

    #[test]
    fn the_smallest_network_of_a_reader_decides() {
        let largest = |addresses: &[&str]| {
            let fits = |len: &usize| {
                let addresses = addresses.iter().map(|address| address.parse().unwrap());
                networks().takes_in_one_piece(*len, addresses)
            };
            (0..70_000).rev().find(fits)
        };
        assert_eq!(largest(&["127.0.0.1:7411"]), Some(LONGEST));
        // MTU - 48 - 80
        assert_eq!(largest(&["10.1.9.9:7411"]), Some(8872));
        assert_eq!(largest(&["10.1.9.9:7411", "127.0.0.1:7411"]), Some(8872));
        assert_eq!(largest(&["10.1.9.9:7411", "192.168.1.7:7411"]), Some(1272));
        // behind a router, over IPv6, and without any address as on Ethernet
        for unknown in [&["10.2.0.1:7411"][..], &["[::1]:7411"], &[]] {
            assert_eq!(largest(unknown), Some(1372));
        }
    }

    #[test]
    fn this_machine_has_networks() {
        let loopback = "127.0.0.1:7411".parse().unwrap();
        assert!(Networks::found().takes_in_one_piece(10_000, std::iter::once(loopback)));
    }
}
