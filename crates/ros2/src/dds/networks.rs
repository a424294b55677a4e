//! Networks of this machine; they determine whether the DDS library sends a sample to a reader in
//! one piece or in fragments.
//!
//! The library (rustdds 0.15.1) decides this from the networks that it finds at start, but does not
//! report the decision. This module applies the same rule: each address of a reader has the MTU of
//! the local network that contains it, otherwise that of Ethernet. The minimum over the addresses
//! applies.

use std::net::{Ipv4Addr, SocketAddr};

/// Size of the IP, UDP and RTPS headers in a datagram [bytes].
const HEADERS_LEN: usize = 48;

/// Space that the library reserves for submessages around a payload [bytes]: DATA without inline
/// QoS, and HEARTBEAT.
const SUBMESSAGES_LEN: usize = 48 + 32;

/// Maximum payload [bytes] that fits into the largest datagram together with all submessages and an
/// identity of 60 bytes. The library itself does not include the identity.
const MAX_PAYLOAD: usize = 65_507 - 20 - 144;

/// Space in a datagram [bytes] if the MTU is unknown.
const ETHERNET_CAPACITY: usize = 1500 - HEADERS_LEN;

/// A network in which this machine has an address.
struct Network {
    address: Ipv4Addr,
    mask: Ipv4Addr,
    mtu: usize,
}

/// Networks to which this machine is connected.
pub(crate) struct Networks(Vec<Network>);

impl Networks {
    /// Reads the current networks of the operating system.
    pub(crate) fn detect() -> Self {
        let interfaces = netdev::get_interfaces();
        let of_interface = |interface: &netdev::Interface| {
            // a network without a known MTU is skipped, as in the library
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

    /// Whether a payload of `payload_len` bytes, including the encapsulation header, is sent in one
    /// piece to a reader with these UDP addresses.
    pub(crate) fn fits_one_datagram(
        &self,
        payload_len: usize,
        addresses: impl Iterator<Item = SocketAddr>,
    ) -> bool {
        let room = addresses
            .map(|address| self.payload_capacity(address))
            .min()
            .unwrap_or(ETHERNET_CAPACITY);
        payload_len <= MAX_PAYLOAD && payload_len + SUBMESSAGES_LEN <= room
    }

    /// Returns the space for submessages in a datagram to an address [bytes].
    fn payload_capacity(&self, address: SocketAddr) -> usize {
        let SocketAddr::V4(address) = address else {
            return ETHERNET_CAPACITY;
        };
        let peer = address.ip().to_bits();
        let holds = |network: &&Network| {
            let mask = network.mask.to_bits();
            network.address.to_bits() & mask == peer & mask
        };
        self.0
            .iter()
            .find(holds)
            .map_or(ETHERNET_CAPACITY, |network| {
                network.mtu.saturating_sub(HEADERS_LEN)
            })
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
                networks().fits_one_datagram(*len, addresses)
            };
            (0..70_000).rev().find(fits)
        };
        assert_eq!(largest(&["127.0.0.1:7411"]), Some(MAX_PAYLOAD));
        // MTU - 48 - 80
        assert_eq!(largest(&["10.1.9.9:7411"]), Some(8872));
        assert_eq!(largest(&["10.1.9.9:7411", "127.0.0.1:7411"]), Some(8872));
        assert_eq!(largest(&["10.1.9.9:7411", "192.168.1.7:7411"]), Some(1272));
        // addresses behind a router, IPv6 addresses, and no address at all use the Ethernet value
        for unknown in [&["10.2.0.1:7411"][..], &["[::1]:7411"], &[]] {
            assert_eq!(largest(unknown), Some(1372));
        }
    }

    #[test]
    fn this_machine_has_networks() {
        let loopback = "127.0.0.1:7411".parse().unwrap();
        assert!(Networks::detect().fits_one_datagram(10_000, std::iter::once(loopback)));
    }
}
