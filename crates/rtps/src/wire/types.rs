//! Elementary types of the protocol: identifiers, numbers, locators and times.
//!
//! RTPS 2.5, 8.2.4 (identifiers), 8.3.5 (submessage elements), 9.3 (mapping to bytes).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Prefix of the GUIDs of one participant (RTPS 2.5, 9.3.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuidPrefix(pub [u8; 12]);

impl GuidPrefix {
    /// The unknown prefix; as a destination it addresses every participant.
    pub const UNKNOWN: GuidPrefix = GuidPrefix([0; 12]);
}

/// Identifier of an endpoint within its participant: three bytes of key, one of kind
/// (RTPS 2.5, 9.3.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId(pub [u8; 4]);

impl EntityId {
    /// No endpoint; as a destination it addresses every matched endpoint.
    pub const UNKNOWN: EntityId = EntityId([0; 4]);
    /// Entity of the participant itself.
    pub const PARTICIPANT: EntityId = EntityId([0, 0, 1, 0xc1]);
    /// Built-in writer of participant announcements.
    pub const SPDP_WRITER: EntityId = EntityId([0, 1, 0, 0xc2]);
    /// Built-in reader of participant announcements.
    pub const SPDP_READER: EntityId = EntityId([0, 1, 0, 0xc7]);
    /// SEDP writer of publications.
    pub const PUBLICATIONS_WRITER: EntityId = EntityId([0, 0, 3, 0xc2]);
    /// SEDP reader of publications.
    pub const PUBLICATIONS_READER: EntityId = EntityId([0, 0, 3, 0xc7]);
    /// SEDP writer of subscriptions.
    pub const SUBSCRIPTIONS_WRITER: EntityId = EntityId([0, 0, 4, 0xc2]);
    /// SEDP reader of subscriptions.
    pub const SUBSCRIPTIONS_READER: EntityId = EntityId([0, 0, 4, 0xc7]);
    /// Writer of participant messages (liveliness).
    pub const MESSAGE_WRITER: EntityId = EntityId([0, 2, 0, 0xc2]);
    /// Reader of participant messages (liveliness).
    pub const MESSAGE_READER: EntityId = EntityId([0, 2, 0, 0xc7]);

    /// Returns the identifier of a user writer; `key` uses its low 24 bits.
    pub fn user_writer(key: u32) -> EntityId {
        EntityId::with_kind(key, 0x03)
    }

    /// Returns the identifier of a user reader; `key` uses its low 24 bits.
    pub fn user_reader(key: u32) -> EntityId {
        EntityId::with_kind(key, 0x04)
    }

    fn with_kind(key: u32, kind: u8) -> EntityId {
        let [_, a, b, c] = key.to_be_bytes();
        EntityId([a, b, c, kind])
    }

    /// Returns the kind byte.
    pub fn kind(self) -> u8 {
        self.0[3]
    }

    /// Returns true if the kind is a writer, built-in or user.
    pub fn is_writer(self) -> bool {
        matches!(self.kind() & 0x3f, 0x02 | 0x03)
    }

    /// Returns true if the kind is a reader, built-in or user.
    pub fn is_reader(self) -> bool {
        matches!(self.kind() & 0x3f, 0x04 | 0x07)
    }

    /// Returns true if the entity is built in.
    pub fn is_builtin(self) -> bool {
        self.kind() & 0xc0 == 0xc0
    }
}

/// Globally unique identifier of an entity (RTPS 2.5, 8.2.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid {
    /// GUID prefix of the participant.
    pub prefix: GuidPrefix,
    /// Entity within the participant.
    pub entity: EntityId,
}

impl Guid {
    /// GUID of an unknown entity.
    pub const UNKNOWN: Guid = Guid::new(GuidPrefix::UNKNOWN, EntityId::UNKNOWN);

    /// Returns the GUID of `entity` in the participant `prefix`.
    pub const fn new(prefix: GuidPrefix, entity: EntityId) -> Guid {
        Guid { prefix, entity }
    }

    /// Returns the 16 bytes of the wire form.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&self.prefix.0);
        bytes[12..].copy_from_slice(&self.entity.0);
        bytes
    }

    /// Returns the GUID with the wire form `bytes`.
    pub fn from_bytes(bytes: [u8; 16]) -> Guid {
        let mut guid = Guid::UNKNOWN;
        guid.prefix.0.copy_from_slice(&bytes[..12]);
        guid.entity.0.copy_from_slice(&bytes[12..]);
        guid
    }
}

/// Number of a sample of one writer; the first is 1 (RTPS 2.5, 8.3.5.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SequenceNumber(pub i64);

impl SequenceNumber {
    /// The unknown number: high word -1, low word 0.
    pub const UNKNOWN: SequenceNumber = SequenceNumber(-(1 << 32));
    /// Largest number that this implementation accepts. It keeps sums with the size of a set in
    /// range.
    pub const MAX: SequenceNumber = SequenceNumber(i64::MAX >> 1);

    /// Returns the number `count` samples later. Saturates.
    #[must_use]
    pub fn plus(self, count: i64) -> SequenceNumber {
        SequenceNumber(self.0.saturating_add(count))
    }

    /// Returns the next number. Saturates.
    #[must_use]
    pub fn next(self) -> SequenceNumber {
        self.plus(1)
    }

    /// Returns true if the number is a valid sample number: 1 to [`SequenceNumber::MAX`].
    pub fn is_valid(self) -> bool {
        self.0 >= 1 && self <= SequenceNumber::MAX
    }
}

/// Number of a fragment of one sample; the first is 1 (RTPS 2.5, 8.3.5.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FragmentNumber(pub u32);

/// Version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolVersion {
    /// Major version of the protocol.
    pub major: u8,
    /// Minor version of the protocol.
    pub minor: u8,
}

impl ProtocolVersion {
    /// Version that this implementation announces. 2.3 is the version that ROS 2 peers announce;
    /// 2.5 does not change the messages of this crate.
    pub const CURRENT: ProtocolVersion = ProtocolVersion { major: 2, minor: 3 };
}

/// Identifier of an implementation (RTPS 2.5, 9.3.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VendorId(pub [u8; 2]);

impl VendorId {
    /// Identifier of an unknown vendor.
    pub const UNKNOWN: VendorId = VendorId([0, 0]);
    /// This implementation, which has no registered number. Peers apply no vendor-specific rules
    /// to the number.
    pub const MERROW: VendorId = VendorId([0x01, 0x4d]);
    /// Vendor identifier of eProsima Fast DDS.
    pub const FAST_DDS: VendorId = VendorId([0x01, 0x0f]);
    /// Vendor identifier of Eclipse Cyclone DDS.
    pub const CYCLONE_DDS: VendorId = VendorId([0x01, 0x10]);
}

/// Address of a transport (RTPS 2.5, 9.3.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Locator {
    /// Kind of the transport: 1 for UDP over IPv4, 2 for UDP over IPv6, or an unknown kind.
    pub kind: i32,
    /// UDP port of the address.
    pub port: u32,
    /// Address; an IPv4 address occupies the last four bytes.
    pub address: [u8; 16],
}

impl Locator {
    /// Kind of an address of UDP over IPv4.
    const UDP_V4: i32 = 1;
    /// Kind of an address of UDP over IPv6.
    const UDP_V6: i32 = 2;

    /// Returns the UDP socket address, or `None` for another transport or an invalid port.
    pub fn socket_addr(&self) -> Option<SocketAddr> {
        let port = u16::try_from(self.port).ok().filter(|port| *port != 0)?;
        let [.., a, b, c, d] = self.address;
        match self.kind {
            Locator::UDP_V4 => Some((Ipv4Addr::new(a, b, c, d), port).into()),
            Locator::UDP_V6 => Some((Ipv6Addr::from(self.address), port).into()),
            _ => None,
        }
    }
}

impl From<SocketAddr> for Locator {
    fn from(socket: SocketAddr) -> Locator {
        let mut address = [0; 16];
        let kind = match socket.ip() {
            IpAddr::V4(ip) => {
                address[12..].copy_from_slice(&ip.octets());
                Locator::UDP_V4
            }
            IpAddr::V6(ip) => {
                address = ip.octets();
                Locator::UDP_V6
            }
        };
        let port = u32::from(socket.port());
        Locator {
            kind,
            port,
            address,
        }
    }
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

fn fraction_of(nanos: u64) -> u32 {
    let scaled = (nanos << 32).div_ceil(NANOS_PER_SECOND);
    u32::try_from(scaled).unwrap_or(u32::MAX)
}

/// Rounds to the nearest nanosecond, so that the conversion of nanoseconds to a fraction and back
/// is exact whether the sender rounds the fraction up or down.
fn nanos_of(fraction: u32) -> u64 {
    (u64::from(fraction) * NANOS_PER_SECOND + (1 << 31)) >> 32
}

/// Instant since the Unix epoch (RTPS 2.5, 9.3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds of the time [s].
    pub seconds: u32,
    /// Fraction of a second [2^-32 s].
    pub fraction: u32,
}

impl Time {
    /// Time that denotes "no time".
    pub const INVALID: Time = Time {
        seconds: u32::MAX,
        fraction: u32::MAX,
    };

    /// Returns the time `nanos` [ns] after the epoch. Saturates below [`Time::INVALID`].
    pub fn from_nanos(nanos: u64) -> Time {
        match u32::try_from(nanos / NANOS_PER_SECOND) {
            Ok(seconds) if seconds != u32::MAX => Time {
                seconds,
                fraction: fraction_of(nanos % NANOS_PER_SECOND),
            },
            _ => Time {
                seconds: u32::MAX - 1,
                fraction: u32::MAX,
            },
        }
    }

    /// Returns the nanoseconds since the epoch [ns].
    pub fn as_nanos(self) -> u64 {
        u64::from(self.seconds) * NANOS_PER_SECOND + nanos_of(self.fraction)
    }
}

/// Length of time (RTPS 2.5, 9.3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration {
    /// Whole seconds of the time [s].
    pub seconds: i32,
    /// Fraction of a second [2^-32 s].
    pub fraction: u32,
}

impl Duration {
    /// Duration of zero seconds.
    pub const ZERO: Duration = Duration {
        seconds: 0,
        fraction: 0,
    };
    /// Duration without a limit.
    pub const INFINITE: Duration = Duration {
        seconds: i32::MAX,
        fraction: u32::MAX,
    };

    /// Returns a length of whole seconds [s].
    pub const fn from_seconds(seconds: i32) -> Duration {
        Duration {
            seconds,
            fraction: 0,
        }
    }

    /// Returns a length of `nanos` [ns]. Lengths above 2^31 s are infinite.
    pub fn from_nanos(nanos: u64) -> Duration {
        match i32::try_from(nanos / NANOS_PER_SECOND) {
            Ok(seconds) if seconds != i32::MAX => Duration {
                seconds,
                fraction: fraction_of(nanos % NANOS_PER_SECOND),
            },
            _ => Duration::INFINITE,
        }
    }

    /// Returns true if the length is unlimited. Vendors differ in the fraction.
    pub fn is_infinite(self) -> bool {
        self.seconds == i32::MAX
    }

    /// Returns the length [ns], zero if negative, `None` if infinite.
    pub fn as_nanos(self) -> Option<u64> {
        if self.is_infinite() {
            return None;
        }
        let seconds = u64::try_from(self.seconds);
        Some(seconds.map_or(0, |whole| {
            whole * NANOS_PER_SECOND + nanos_of(self.fraction)
        }))
    }
}
