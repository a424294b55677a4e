//! Configuration of the engine and the interfaces that it requires (RTPS 2.5, 8.5.3.2, 8.5.4.2).

use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;

use crate::qos::Qos;
use crate::wire::{Duration, EndpointData, GuidPrefix, Locator, SampleIdentity, VendorId};

/// Instant of a monotonic clock that the caller reads [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Returns the instant `nanos` [ns] later. Saturates.
    #[must_use]
    pub fn plus(self, nanos: u64) -> Nanos {
        Nanos(self.0.saturating_add(nanos))
    }

    /// Returns the time since `earlier` [ns], zero if it is later.
    pub fn since(self, earlier: Nanos) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Milliseconds in nanoseconds [ns].
pub(super) const MILLIS: u64 = 1_000_000;

/// Limits on the data that the engine stores for remote peers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of remote participants.
    pub participants: usize,
    /// Number of remote endpoints of one participant.
    pub endpoints: usize,
    /// Size of one received sample [B].
    pub sample_bytes: usize,
    /// Size of the samples that one reader holds from one writer: incomplete samples and samples
    /// that wait for earlier samples [B].
    pub pending_bytes: usize,
    /// Size of these samples of all readers and writers [B].
    pub total_bytes: usize,
    /// Size of the announcements of all remote endpoints [B].
    pub announcement_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            participants: 256,
            endpoints: 16_384,
            sample_bytes: 64 << 20,
            pending_bytes: 128 << 20,
            total_bytes: 512 << 20,
            announcement_bytes: 64 << 20,
        }
    }
}

/// Configuration of one participant.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Number of the DDS domain.
    pub domain_id: u16,
    /// Prefix of the GUIDs of the participant.
    pub guid_prefix: GuidPrefix,
    /// Entity name that is announced.
    pub name: String,
    /// Opaque data of the application, announced with the participant.
    pub user_data: Bytes,
    /// Time after the last announcement at which peers consider the participant lost.
    pub lease: Duration,
    /// Announced unicast locators of the built-in endpoints.
    pub metatraffic_unicast: Vec<Locator>,
    /// Announced unicast locators of the other endpoints.
    pub default_unicast: Vec<Locator>,
    /// Multicast locators of SPDP, announced and sent to.
    pub metatraffic_multicast: Vec<Locator>,
    /// Further destinations of SPDP.
    pub initial_peers: Vec<SocketAddr>,
    /// Upper bounds of remote data.
    pub limits: Limits,
}

/// Properties of the path to one destination.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Size of the largest datagram that is not divided into IP fragments [B].
    pub max_datagram: usize,
    /// Size of the largest burst [B].
    pub burst_bytes: usize,
    /// Mean rate of the datagrams [B/s].
    pub bytes_per_second: u64,
    /// Mean rate of the datagrams for best-effort readers, whose losses are not repaired [B/s].
    pub best_effort_bytes_per_second: u64,
}

/// Interface to the networks of the machine.
pub trait Paths {
    /// Returns size and rate limits of datagrams to `to`.
    fn path(&self, to: SocketAddr) -> Path;
    /// Returns the best of the unicast locators of a peer whose datagrams come from `source`, if
    /// one can be reached.
    fn choose(&self, locators: &[Locator], source: Option<SocketAddr>) -> Option<SocketAddr>;
    /// Returns true if `address` belongs to this machine.
    fn is_own(&self, address: IpAddr) -> bool;
    /// Returns true if an announced address of this machine is reachable from `to`. Peers keep the
    /// first addresses that they receive, so an announcement without addresses must not be sent.
    fn is_connected(&self, to: SocketAddr) -> bool;
}

/// Description of a new endpoint.
#[derive(Clone, Debug)]
pub struct EndpointSpec {
    /// Name of the DDS topic.
    pub topic: String,
    /// Name of the DDS type.
    pub type_name: String,
    /// QoS with the user data.
    pub qos: Qos,
    /// Selects the remote readers that a writer serves.
    pub accepts: ReaderFilter,
}

/// Selects the remote readers that a writer serves, by their announcement and the vendor of their
/// participant.
pub type ReaderFilter = fn(&EndpointData, VendorId) -> bool;

/// A sample that a writer sends.
#[derive(Clone, Debug)]
pub struct OutgoingSample {
    /// Content with the encapsulation header.
    pub payload: Bytes,
    /// Request that the sample answers.
    pub related: Option<SampleIdentity>,
}
