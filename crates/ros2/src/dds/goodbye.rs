//! Announces to Fast DDS that a participant has left, because Fast DDS does not accept the
//! announcement of the DDS library.
//!
//! A participant that leaves disposes its discovery entry. The DDS library identifies the entry in
//! the payload. Fast DDS requires the hash of the entry's key in the inline QoS; without it, the
//! node stays listed until its lease expires. This module sends that missing packet as defined by
//! RTPS 2.5 (8.3.8.2, 9.6.4.9). It must not be sent for a participant that still exists.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use rustdds::GUID;

use crate::args::DiscoveryRange;

/// Number of participants on one host whose discovery ports receive the packet, equal to the number
/// that the DDS library itself probes.
const LOCAL_PARTICIPANTS: u16 = 12;

/// Multicast address for discovery of all DDS vendors.
const MULTICAST: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);

/// Well-known numbers of RTPS.
const PORT_BASE: u16 = 7400;
const PORT_DOMAIN_GAIN: u16 = 250;
const PORT_UNICAST_OFFSET: u16 = 10;
const PORT_PARTICIPANT_GAIN: u16 = 2;
const SPDP_WRITER: [u8; 4] = [0, 1, 0, 0xc2];
const SPDP_READER: [u8; 4] = [0, 1, 0, 0xc7];

/// Sends the packet for a participant when dropped. Drop it after the participant.
pub(super) struct Goodbye {
    participant: GUID,
    domain_id: u16,
    range: DiscoveryRange,
}

impl Goodbye {
    /// Prepares the packet of `participant`.
    pub(super) fn new(participant: GUID, domain_id: u16, range: DiscoveryRange) -> Self {
        Self {
            participant,
            domain_id,
            range,
        }
    }

    /// Returns all addresses and ports on which discovery may listen.
    fn destinations(&self) -> Vec<(IpAddr, u16)> {
        let base = PORT_BASE + PORT_DOMAIN_GAIN * self.domain_id;
        let local = (0..LOCAL_PARTICIPANTS)
            .map(|index| base + PORT_UNICAST_OFFSET + PORT_PARTICIPANT_GAIN * index);
        let mut destinations = Vec::new();
        if self.range != DiscoveryRange::Off {
            destinations.extend(local.map(|port| (IpAddr::V4(Ipv4Addr::LOCALHOST), port)));
        }
        if self.range == DiscoveryRange::Subnet {
            destinations.push((IpAddr::V4(MULTICAST), base));
        }
        destinations
    }
}

impl Drop for Goodbye {
    fn drop(&mut self) {
        // if the packet cannot be sent, peers notice the departure when the lease expires
        let Ok(socket) = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)) else {
            return;
        };
        let packet = packet(self.participant);
        for destination in self.destinations() {
            socket
                .send_to(&packet, destination)
                .map(drop)
                .unwrap_or_default();
        }
    }
}

/// Builds the RTPS message that disposes and unregisters the discovery entry of `participant`.
fn packet(participant: GUID) -> Vec<u8> {
    const VERSION_AND_VENDOR: [u8; 4] = [2, 4, 1, 0x12];
    const DATA: u8 = 0x15;
    const LITTLE_ENDIAN_WITH_INLINE_QOS: u8 = 0x03;
    const KEY_HASH: [u8; 4] = [0x70, 0, 16, 0];
    const STATUS_DISPOSED_AND_UNREGISTERED: [u8; 8] = [0x71, 0, 4, 0, 0, 0, 0, 3];
    const SENTINEL: [u8; 4] = [1, 0, 0, 0];
    let guid = participant.to_bytes();
    // greater than every sequence number with which the entry was announced, because receivers
    // ignore samples that appear old
    let sequence_number = [&1i32.to_le_bytes()[..], &0u32.to_le_bytes()].concat();
    let no_extra_flags_and_offset_to_inline_qos = [0, 0, 16, 0];
    let body = [
        &no_extra_flags_and_offset_to_inline_qos[..],
        &SPDP_READER,
        &SPDP_WRITER,
        &sequence_number,
        &KEY_HASH,
        &guid,
        &STATUS_DISPOSED_AND_UNREGISTERED,
        &SENTINEL,
    ]
    .concat();
    let submessage = [DATA, LITTLE_ENDIAN_WITH_INLINE_QOS, body.len() as u8, 0];
    [
        &b"RTPS"[..],
        &VERSION_AND_VENDOR,
        &guid[..12],
        &submessage,
        &body,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_is_one_data_submessage_with_the_key_hash() {
        let guid = GUID::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1, 0xc1]);
        let packet = packet(guid);
        assert_eq!(packet.len(), 20 + 4 + 52);
        assert_eq!(packet[20..24], [0x15, 3, 52, 0]);
        assert_eq!(packet[48..64], guid.to_bytes());
    }

    #[test]
    fn goodbyes_go_no_farther_than_discovery() {
        let count = |range| {
            let goodbye = Goodbye::new(GUID::GUID_UNKNOWN, 232, range);
            let count = goodbye.destinations().len();
            std::mem::forget(goodbye);
            count
        };
        assert_eq!(
            [
                DiscoveryRange::Off,
                DiscoveryRange::Localhost,
                DiscoveryRange::Subnet
            ]
            .map(count),
            [0, 12, 13]
        );
    }
}
