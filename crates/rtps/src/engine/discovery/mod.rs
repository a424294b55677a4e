//! Discovery of participants and endpoints: built-in endpoints, bounds, and state of remote
//! participants (RTPS 2.5, 8.5).

mod endpoints;
mod liveliness;
mod participants;
mod peers;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::Engine;
use super::config::{Limits, MILLIS, Nanos, Paths};
use super::group::Added;
use super::memory::Share;
use super::reader::{Reader, Source};
use super::writer::Writer;
use crate::qos::{Durability, History, Qos, ReliabilityKind};
use crate::wire::*;

/// Period of announcements after a participant appeared [ns].
const QUICK_PERIOD: u64 = 100 * MILLIS;

/// Largest discovery sample, and size of those that wait per participant [B].
pub(super) const BUILTIN_SAMPLE: usize = 64 << 10;
pub(super) const BUILTIN_PENDING: usize = 2 << 20;

/// Longest lease of a participant before it has shown that it receives [ns].
pub(super) const UNVERIFIED_LEASE: u64 = 10_000 * MILLIS;

/// Maximum accepted lease of a remote participant [ns]. Peers repeat their announcements at least
/// every 30 s, also those with an infinite lease.
pub(super) const MAX_LEASE: u64 = 300_000 * MILLIS;

/// Time without a datagram after which a participant with endpoints can be replaced by another
/// participant of its address [ns].
pub(super) const REPLACEABLE: u64 = 10_000 * MILLIS;

/// Maximum size of the announcements of a participant that is not verified [B]. The limits of a
/// verified participant and of an address are a quarter and half of the total limit.
pub(super) const UNVERIFIED_ANNOUNCEMENTS: usize = 64 << 10;

/// Shortest time between two changes of the announcement of a participant [ns]; an earlier change
/// takes effect when it is repeated. Each change matches all endpoints of the participant again.
pub(super) const CHANGE_PERIOD: u64 = 10 * MILLIS;

/// The same for a participant that receives at another address than its own, and the number of such
/// participants of one address. Possibly no machine has that address: the datagrams then occupy the
/// send buffer, which all peers share, until the system gives up resolving it after some seconds.
pub(super) const ELSEWHERE_PERIOD: u64 = 1000 * MILLIS;
pub(super) const MAX_ELSEWHERE: usize = 8;

/// Longest time for which the subscriptions are not announced to a participant of Fast DDS because
/// its publications are not received yet [ns].
///
/// Fast DDS announces its publications 100 ms after they are requested. A publisher that discovers
/// a subscription before sends samples that are refused, and `ros2 topic pub --once` ends before it
/// repeats them.
const SUBSCRIPTIONS_HELD: u64 = 400 * MILLIS;

/// Number of unverified participants that are kept after others replaced them, and the maximum size
/// of the variable parts of their announcements [B]. During a flood of forged participants a
/// genuine one is replaced within some milliseconds, before its first answer arrives.
pub(super) const MAX_DISPLACED: usize = 2048;
const DISPLACED_BYTES: usize = 1 << 10;

/// Pairs of a built-in writer and its reader with the bits that announce them.
const BUILTIN: [(EntityId, u32, EntityId, u32); 3] = [
    (
        EntityId::PUBLICATIONS_WRITER,
        builtin::PUBLICATIONS_ANNOUNCER,
        EntityId::PUBLICATIONS_READER,
        builtin::PUBLICATIONS_DETECTOR,
    ),
    (
        EntityId::SUBSCRIPTIONS_WRITER,
        builtin::SUBSCRIPTIONS_ANNOUNCER,
        EntityId::SUBSCRIPTIONS_READER,
        builtin::SUBSCRIPTIONS_DETECTOR,
    ),
    (
        EntityId::MESSAGE_WRITER,
        builtin::MESSAGE_WRITER,
        EntityId::MESSAGE_READER,
        builtin::MESSAGE_READER,
    ),
];

/// Participant whose lease ended, maybe because the network was interrupted, or that was replaced.
#[derive(Debug)]
pub(super) struct Lost {
    to: SocketAddr,
    source: SocketAddr,
    data: ParticipantData,
    since: Nanos,
}

/// A remote participant and its endpoints.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) data: ParticipantData,
    /// Address from which its first announcement came.
    pub(super) source: SocketAddr,
    /// Whether the participant has addressed a message to the local participant. An announcement
    /// can be forged to direct traffic of the local participant to a third participant.
    pub(super) verified: bool,
    /// Bytes that may be sent to the participant while it is not verified [B].
    pub(super) credit: usize,
    last_received: Nanos,
    /// Time of the last change of its announcement.
    changed: Nanos,
    /// Time of the last announcement that answered an announcement of the participant.
    announced: Nanos,
    /// Whether the participant has answered a built-in writer, so it has discovered the local
    /// participant.
    answered: bool,
    /// Time of the next announcement to a participant that has not answered, and its period [ns].
    announce_at: Nanos,
    announce_period: u64,
    pub(super) endpoints: BTreeMap<EntityId, EndpointData>,
    /// Size of the announcements in `endpoints` [B].
    announcement_bytes: usize,
    /// Whether an announcement was refused for lack of memory. Its sample is acknowledged, so all
    /// announcements are requested again when there is room. Time of the last such request.
    is_incomplete: bool,
    requested_again: Nanos,
    /// Share in the memory for samples that are not delivered yet.
    share: Share,
}

impl Remote {
    /// Returns where discovery data for the participant goes.
    fn destination(&self, paths: &dyn Paths) -> Option<SocketAddr> {
        paths.choose(&self.data.metatraffic_unicast, Some(self.source))
    }

    /// Returns when the lease ends.
    pub(super) fn lost_at(&self) -> Nanos {
        let longest = match self.verified {
            true => MAX_LEASE,
            false => UNVERIFIED_LEASE,
        };
        let lease = self.data.lease.as_nanos().unwrap_or(longest);
        self.last_received.plus(lease.min(longest))
    }
}

fn builtin_qos() -> Qos {
    let mut qos = Qos::writer();
    qos.durability = Durability::TransientLocal;
    qos.history = History::KeepAll;
    qos
}

fn message_qos() -> Qos {
    let mut qos = builtin_qos();
    qos.history = History::KeepLast(1);
    qos
}

impl Engine {
    pub(super) fn create_builtin_endpoints(&mut self) {
        for (writer, _, reader, _) in BUILTIN {
            let message = writer == EntityId::MESSAGE_WRITER;
            let qos = if message {
                message_qos()
            } else {
                builtin_qos()
            };
            let local = Writer::new(self.guid(writer), qos.clone(), |_, _| true, &self.excess);
            self.writers.insert(writer, local);
            let limits = Limits {
                sample_bytes: BUILTIN_SAMPLE,
                pending_bytes: BUILTIN_PENDING,
                ..self.config.limits
            };
            self.readers
                .insert(reader, Reader::new(self.guid(reader), qos, limits));
        }
    }

    /// Writes to a built-in writer. Their histories have no limit, so that no write fails.
    fn write_change(&mut self, now: Nanos, entity: EntityId, payload: Payload, qos: InlineQos) {
        if let Some(writer) = self.writers.get_mut(&entity) {
            let written = writer.write(now, Time::INVALID, payload, qos);
            debug_assert!(written.is_ok());
        }
        self.reschedule(entity);
    }

    /// Changes the announced locators and chooses the destinations of all peers again.
    pub fn update_paths(
        &mut self,
        now: Nanos,
        paths: Box<dyn Paths + Send>,
        metatraffic_unicast: Vec<Locator>,
        default_unicast: Vec<Locator>,
    ) {
        self.paths = paths;
        if self.has_left {
            return;
        }
        self.config.metatraffic_unicast = metatraffic_unicast;
        self.config.default_unicast = default_unicast;
        // a waiting announcement has the former addresses, which peers on a new network cannot use;
        // Fast DDS keeps the addresses of the first announcement that it receives
        self.control.retain(|(to, ..)| !to.ip().is_multicast());
        self.buckets.clear();
        self.quick_announcements = 4;
        self.announce_at = now;
        for prefix in self.remotes.keys().copied().collect::<Vec<_>>() {
            self.match_builtin(now, prefix);
            self.match_participant(now, prefix);
        }
    }

    /// Queues the message that the participant leaves, and ends all endpoints. Afterwards the
    /// engine sends no datagrams.
    pub fn leave(&mut self) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        let status = StatusInfo {
            disposed: true,
            unregistered: true,
        };
        let key = encode_key(self.guid(EntityId::PARTICIPANT));
        let submessage = self.spdp_submessage(Payload::Key(key), Some(status));
        self.control.clear();
        self.send_spdp(&submessage, true);
        self.local.clear();
        self.topics.clear();
        self.routes.clear();
        self.writers.clear();
        self.readers.clear();
        for prefix in self.remotes.keys().copied().collect::<Vec<_>>() {
            self.lose(prefix);
        }
        (self.announce_at, self.extra_at) = (Nanos(u64::MAX), None);
    }

    /// Connects the built-in endpoints of both sides (RTPS 2.5, 8.5.5.1).
    fn match_builtin(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get(&prefix) else {
            return;
        };
        let Some(to) = remote.destination(&*self.paths) else {
            return;
        };
        let path = self.paths.path(to);
        let set = remote.data.builtin_endpoints;
        let best_effort = remote.data.builtin_endpoint_qos & 1 != 0;
        let is_fast = remote.data.vendor == VendorId::FAST_DDS;
        for (writer, has_writer, reader, has_reader) in BUILTIN {
            if let Some(local) = self
                .writers
                .get_mut(&writer)
                .filter(|_| set & has_reader != 0)
            {
                let mut qos = builtin_qos();
                if reader == EntityId::MESSAGE_READER && best_effort {
                    qos.reliability.kind = ReliabilityKind::BestEffort;
                }
                let reader = Guid::new(prefix, reader);
                let is_new = local.add(now, reader, &qos, to, path) == Added::New;
                if is_new && is_fast && writer == EntityId::SUBSCRIPTIONS_WRITER {
                    local.hold(reader, now.plus(SUBSCRIPTIONS_HELD));
                }
            }
            if set & has_writer != 0 {
                self.add_writer(now, reader, Guid::new(prefix, writer), true, to);
            }
            self.reschedule(writer);
        }
    }

    /// Announces the subscriptions to a participant whose publications are complete.
    pub(super) fn release_subscriptions(&mut self, prefix: GuidPrefix) {
        let publications = Guid::new(prefix, EntityId::PUBLICATIONS_WRITER);
        let reader = self.readers.get(&EntityId::PUBLICATIONS_READER);
        if !reader.is_some_and(|reader| reader.is_complete(publications)) {
            return;
        }
        if let Some(writer) = self.writers.get_mut(&EntityId::SUBSCRIPTIONS_WRITER) {
            writer.hold(Guid::new(prefix, EntityId::SUBSCRIPTIONS_READER), Nanos(0));
        }
        self.touched.insert(EntityId::SUBSCRIPTIONS_WRITER);
    }

    /// Matches a local reader with a remote writer. Returns the new number of matches if the writer
    /// is new.
    pub(super) fn add_writer(
        &mut self,
        now: Nanos,
        reader: EntityId,
        writer: Guid,
        durable: bool,
        to: SocketAddr,
    ) -> Added {
        let remote = self.remotes.get(&writer.prefix);
        let source = remote.map_or_else(Source::default, |remote| Source {
            vendor: remote.data.vendor,
            share: remote.share.clone(),
            durable,
        });
        let Some(local) = self.readers.get_mut(&reader) else {
            return Added::Known;
        };
        let added = local.add(now, writer, &source, to);
        if added == Added::New {
            self.routes.entry(writer).or_default().push(reader);
            self.reschedule(reader);
        }
        added
    }
}
