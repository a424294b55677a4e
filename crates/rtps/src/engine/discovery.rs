//! Discovery of participants and endpoints: SPDP and SEDP (RTPS 2.5, 8.5).

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;

use super::Engine;
use super::config::{EndpointSpec, Limits, MILLIS, Nanos, Paths};
use super::event::{Event, Sample};
use super::group::Added;
use super::memory::Share;
use super::pace::Bucket;
use super::reader::{Reader, Received, Source};
use super::writer::Writer;
use crate::qos::{Durability, History, LivelinessKind, Qos, ReliabilityKind};
use crate::wire::*;

/// Period of announcements to groups [ns], and number of these periods between two announcements to
/// initial peers and known participants.
const ANNOUNCE_PERIOD: u64 = 1000 * MILLIS;
const KNOWN_ANNOUNCEMENTS: u32 = 3;

/// Number of announcements after the start that also go to the initial peers.
const FIRST_ANNOUNCEMENTS: u32 = 8;

/// Longest period of announcements to a participant that has not answered [ns].
const MAX_SILENT_PERIOD: u64 = 3000 * MILLIS;

/// Period of announcements after a participant appeared [ns].
const QUICK_PERIOD: u64 = 100 * MILLIS;

/// Largest discovery sample, and size of those that wait per participant [B].
pub(super) const BUILTIN_SAMPLE: usize = 64 << 10;
pub(super) const BUILTIN_PENDING: usize = 2 << 20;

/// Time without a datagram after which a participant counts as silent [ns].
const SILENCE: u64 = 1000 * MILLIS;

/// Longest lease of a participant before it has shown that it receives [ns].
pub(super) const UNVERIFIED_LEASE: u64 = 10_000 * MILLIS;

/// Maximum accepted lease of a remote participant [ns]. Peers repeat their announcements at least
/// every 30 s, also those with an infinite lease.
pub(super) const MAX_LEASE: u64 = 300_000 * MILLIS;

/// Time without a datagram after which a participant with endpoints can be replaced by another one
/// of its address [ns].
pub(super) const REPLACEABLE: u64 = 10_000 * MILLIS;

/// Largest memory of the announcements of a participant that is not verified [B]. The limits of a
/// verified one and of an address are a quarter and half of that of all.
pub(super) const UNVERIFIED_ANNOUNCEMENTS: usize = 64 << 10;

/// Shortest time between two requests for all announcements of a participant [ns].
const REQUEST_AGAIN_PERIOD: u64 = 1000 * MILLIS;

/// Shortest period of assertions of liveliness [ns].
const MIN_ASSERTION: u64 = 5 * MILLIS;

/// Shortest time between two changes of the announcement of a participant [ns]; an earlier change
/// takes effect when it is repeated. Each change matches all endpoints of the participant again.
pub(super) const CHANGE_PERIOD: u64 = 10 * MILLIS;

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

/// Period of announcements to participants whose lease ended, the time over which they are sent
/// [ns], and the number of such participants.
const LOST_PERIOD: u64 = 500 * MILLIS;
const LOST_TIME: u64 = 120_000 * MILLIS;
const MAX_LOST: usize = 256;

/// Address of a participant whose lease ended, maybe because the network was interrupted.
#[derive(Debug)]
pub(super) struct Lost {
    to: SocketAddr,
    prefix: GuidPrefix,
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
            let local = Writer::new(self.guid(writer), qos.clone(), &self.excess);
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

    fn participant_data(&self) -> ParticipantData {
        let config = &self.config;
        let mut data = ParticipantData::new(config.guid_prefix);
        data.domain_id = Some(u32::from(config.domain_id));
        data.metatraffic_unicast
            .clone_from(&config.metatraffic_unicast);
        data.metatraffic_multicast
            .clone_from(&config.metatraffic_multicast);
        data.default_unicast.clone_from(&config.default_unicast);
        data.lease = config.lease;
        data.name.clone_from(&config.name);
        data.user_data = config.user_data.clone();
        data
    }

    fn spdp_submessage(&mut self, payload: Payload, status: Option<StatusInfo>) -> Submessage {
        self.announcements += 1;
        let key_hash = status.map(|_| self.guid(EntityId::PARTICIPANT).to_bytes());
        Submessage::Data(Data {
            reader: EntityId::SPDP_READER,
            writer: EntityId::SPDP_WRITER,
            sequence_number: SequenceNumber(self.announcements),
            inline_qos: InlineQos {
                status,
                key_hash,
                ..InlineQos::default()
            },
            payload,
        })
    }

    /// Sends an SPDP submessage to the multicast groups and, if `with_known`, to the initial peers
    /// and known peers. The first announcements go to the initial peers in any case.
    fn send_spdp(&mut self, submessage: &Submessage, with_known: bool) {
        let groups = self.config.metatraffic_multicast.iter();
        let mut to: Vec<_> = groups.filter_map(Locator::socket_addr).collect();
        if with_known || self.rounds < FIRST_ANNOUNCEMENTS {
            to.extend(&self.config.initial_peers);
        }
        let known = self.remotes.values();
        let known = known.filter(|remote| with_known && remote.verified);
        let unicast = known.filter_map(|remote| remote.destination(&*self.paths));
        to.extend(unicast);
        to.sort_unstable();
        to.dedup();
        to.retain(|to| self.paths.is_connected(*to));
        for to in to {
            self.send(to, GuidPrefix::UNKNOWN, submessage.clone());
        }
    }

    pub(super) fn announce(&mut self, now: Nanos) {
        let payload = Payload::Data(self.participant_data().encode());
        let submessage = self.spdp_submessage(payload, None);
        self.send_spdp(&submessage, self.rounds.is_multiple_of(KNOWN_ANNOUNCEMENTS));
        self.rounds += 1;
        let quick = self.quick_announcements > 0;
        self.quick_announcements = self.quick_announcements.saturating_sub(1);
        self.announce_at = now.plus(if quick { QUICK_PERIOD } else { ANNOUNCE_PERIOD });
    }

    /// Returns half the shortest lease of a local writer with automatic liveliness [ns], if one is
    /// finite. Writers with manual liveliness assert it by their samples only.
    pub(super) fn liveliness_period(&self) -> Option<u64> {
        let all = self.writers.values().map(|writer| writer.qos().liveliness);
        let automatic = all.filter(|l| l.kind == LivelinessKind::Automatic);
        let finite = automatic.filter_map(|liveliness| liveliness.lease.as_nanos());
        finite.min().map(|lease| (lease / 2).max(MIN_ASSERTION))
    }

    /// Asserts the writers with automatic liveliness (RTPS 2.5, 8.4.13).
    pub(super) fn assert_liveliness(&mut self, now: Nanos) {
        self.assert_at = self.liveliness_period().map(|period| now.plus(period));
        if self.assert_at.is_none() {
            return;
        }
        let message = ParticipantMessageData {
            prefix: self.config.guid_prefix,
            kind: ParticipantMessageData::AUTOMATIC,
            data: Bytes::new(),
        };
        let payload = Payload::Data(message.encode());
        self.write_change(now, EntityId::MESSAGE_WRITER, payload, InlineQos::default());
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
        self.announce_at = Nanos(u64::MAX);
    }

    pub(super) fn handle_spdp(
        &mut self,
        now: Nanos,
        from: SocketAddr,
        source: GuidPrefix,
        data: &Data,
    ) {
        let status = data.inline_qos.status.unwrap_or_default();
        if status.disposed || status.unregistered {
            self.lose(source);
            return;
        }
        let Payload::Data(payload) = &data.payload else {
            return;
        };
        let decoded = ParticipantData::decode(payload);
        let Some(announced) = decoded.ok().filter(|data| data.prefix == source) else {
            self.counters.refused += 1;
            return;
        };
        let domain = u32::from(self.config.domain_id);
        if announced.domain_id.is_some_and(|id| id != domain) || !announced.domain_tag.is_empty() {
            return;
        }
        let reachable = self
            .paths
            .choose(&announced.metatraffic_unicast, Some(from));
        let is_new = !self.remotes.contains_key(&source);
        let full = is_new && !self.has_room_for_participant(now, from.ip());
        let Some(to) = reachable.filter(|_| !full) else {
            self.counters.refused += 1;
            return;
        };
        if let Some(remote) = self.remotes.get_mut(&source) {
            let moved = remote.data != announced;
            if remote.verified && moved && now.since(remote.changed) < CHANGE_PERIOD {
                remote.last_received = now;
                return;
            }
            if remote.verified || !moved {
                (remote.last_received, remote.data) = (now, announced);
                if moved {
                    remote.changed = now;
                }
                if moved {
                    self.match_builtin(now, source);
                    self.match_participant(now, source);
                } else if !remote.verified {
                    // the first answer may be lost
                    self.announce_to(to, source);
                }
                return;
            }
            self.lose(source);
        }
        self.add_participant(now, from, to, announced);
    }

    /// Makes room for one more participant at `address`, by removing one if necessary.
    fn has_room_for_participant(&mut self, now: Nanos, address: IpAddr) -> bool {
        if self.remotes.len() < self.config.limits.participants {
            return true;
        }
        let replaced = self.replaceable(now, address);
        replaced.map(|prefix| self.lose(prefix)).is_some()
    }

    /// Returns the participant that one at `address` replaces: the oldest unverified one, else one
    /// of the address that has most participants, without endpoints if possible, which was silent
    /// longest.
    fn replaceable(&self, now: Nanos, address: IpAddr) -> Option<GuidPrefix> {
        let unverified = self.remotes.iter().filter(|(_, remote)| !remote.verified);
        if let Some((prefix, _)) = unverified.min_by_key(|(_, remote)| remote.last_received) {
            return Some(*prefix);
        }
        let mut counts = BTreeMap::from([(address, 1)]);
        for remote in self.remotes.values() {
            *counts.entry(remote.source.ip()).or_default() += 1;
        }
        let (fullest, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let same = |remote: &Remote| remote.source.ip() == fullest;
        let all = self.remotes.iter().filter(|(_, remote)| same(remote));
        let (prefix, remote) =
            all.min_by_key(|(_, r)| (!r.endpoints.is_empty(), r.last_received))?;
        let is_active =
            !remote.endpoints.is_empty() && now.since(remote.last_received) < REPLACEABLE;
        (fullest != address || !is_active).then_some(*prefix)
    }

    /// Records that a participant receives the messages of the local participant, and matches its
    /// endpoints.
    pub(super) fn verify(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return;
        };
        if !std::mem::replace(&mut remote.verified, true) {
            remote.share.verify();
            if remote.is_incomplete {
                self.request_again(now, prefix);
            }
            self.match_participant(now, prefix);
        }
    }

    /// Requests all announcements of a participant again, by matching its built-in writers as new.
    fn request_again(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return;
        };
        (remote.is_incomplete, remote.requested_again) = (false, now);
        for (writer, _, reader, _) in BUILTIN {
            self.unmatch_builtin(reader, Guid::new(prefix, writer));
        }
        self.match_builtin(now, prefix);
    }

    /// Requests the announcements again that were refused, of participants for which there is room.
    fn request_refused(&mut self, now: Nanos) {
        let spare = self.config.limits.announcement_bytes / 16;
        let is_due = |remote: &Remote| {
            remote.is_incomplete && now.since(remote.requested_again) >= REQUEST_AGAIN_PERIOD
        };
        let due = self.remotes.iter().filter(|(_, remote)| is_due(remote));
        let due = due.map(|(prefix, _)| *prefix);
        let due = due.filter(|prefix| self.fits_announcement(*prefix, spare));
        for prefix in due.collect::<Vec<_>>() {
            self.request_again(now, prefix);
        }
    }

    /// Returns whether there is room for announcements of `bytes` [B] more of a participant.
    fn fits_announcement(&self, prefix: GuidPrefix, bytes: usize) -> bool {
        let total = self.config.limits.announcement_bytes;
        let Some(remote) = self.remotes.get(&prefix) else {
            return false;
        };
        let quota = match remote.verified {
            true => total / 4,
            false => UNVERIFIED_ANNOUNCEMENTS,
        };
        let address = remote.source.ip();
        let same = self.remotes.values().filter(|r| r.source.ip() == address);
        let of_address: usize = same.map(|remote| remote.announcement_bytes).sum();
        self.announcement_bytes + bytes <= total
            && of_address + bytes <= total / 2
            && remote.announcement_bytes + bytes <= quota
    }

    fn add_participant(
        &mut self,
        now: Nanos,
        from: SocketAddr,
        to: SocketAddr,
        data: ParticipantData,
    ) {
        let prefix = data.prefix;
        self.events.push_back(Event::ParticipantFound {
            prefix,
            name: data.name.clone(),
            user_data: data.user_data.clone(),
        });
        // a participant that was verified before its lease ended has the same random prefix
        let verified = self.was_verified(prefix);
        let share = self.shares.participant(from.ip());
        if verified {
            share.verify();
        }
        let remote = Remote {
            data,
            source: from,
            verified,
            credit: 0,
            last_received: now,
            changed: now,
            announced: now,
            answered: false,
            announce_at: now.plus(QUICK_PERIOD),
            announce_period: QUICK_PERIOD,
            endpoints: BTreeMap::new(),
            announcement_bytes: 0,
            is_incomplete: false,
            requested_again: now,
            share,
        };
        self.remotes.insert(prefix, remote);
        self.peers_at = self.peers_at.min(now.plus(QUICK_PERIOD));
        self.lost
            .retain(|lost| lost.prefix != prefix && lost.to != to);
        self.announce_to(to, prefix);
        self.match_builtin(now, prefix);
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
                local.add(now, Guid::new(prefix, reader), &qos, to, path);
            }
            if set & has_writer != 0 {
                self.add_writer(now, reader, Guid::new(prefix, writer), true, to);
            }
            self.reschedule(writer);
        }
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

    /// Allows as many bytes to an unverified participant as arrived from it.
    pub(super) fn add_credit(&mut self, prefix: GuidPrefix, bytes: usize) {
        let remote = self.remotes.get_mut(&prefix);
        if let Some(remote) = remote.filter(|remote| !remote.verified) {
            remote.credit += bytes;
        }
    }

    /// Returns true if a participant has addressed a message to the local participant.
    pub(super) fn is_verified(&self, prefix: GuidPrefix) -> bool {
        let remote = self.remotes.get(&prefix);
        remote.is_some_and(|remote| remote.verified)
    }

    /// Returns true if a participant was verified before its lease ended.
    pub(super) fn was_verified(&self, prefix: GuidPrefix) -> bool {
        self.lost.iter().any(|lost| lost.prefix == prefix)
    }

    /// Returns true if no datagram of a participant arrived for a while.
    pub(super) fn is_silent(&self, now: Nanos, prefix: GuidPrefix) -> bool {
        let remote = self.remotes.get(&prefix);
        remote.is_some_and(|remote| now.since(remote.last_received) > SILENCE)
    }

    /// Requests heartbeats of all writers of a participant that was silent.
    pub(super) fn greet(&mut self, now: Nanos, prefix: GuidPrefix) {
        let routes = self.routes.iter();
        let routes = routes.filter(|(writer, _)| writer.prefix == prefix);
        for (writer, readers) in routes {
            for entity in readers {
                if let Some(reader) = self.readers.get_mut(entity) {
                    reader.greet(now, *writer);
                    self.timers.set(*entity, reader.deadline());
                }
            }
        }
    }

    /// Records that a participant is alive.
    pub(super) fn refresh(&mut self, now: Nanos, prefix: GuidPrefix) {
        if let Some(remote) = self.remotes.get_mut(&prefix) {
            remote.last_received = now;
        }
    }

    /// Records that a participant has discovered the local one.
    pub(super) fn note_answer(&mut self, prefix: GuidPrefix) {
        if let Some(remote) = self.remotes.get_mut(&prefix) {
            remote.answered = true;
        }
    }

    /// Ends leases that are due and announces the participant to peers that do not answer yet,
    /// because all announcements to them may have been lost.
    pub(super) fn check_peers(&mut self, now: Nanos) {
        let lost = |remote: &Remote| remote.lost_at() <= now;
        let expired = self.remotes.iter().filter(|(_, remote)| lost(remote));
        let expired = expired.map(|(prefix, remote)| {
            let to = remote.destination(&*self.paths);
            (*prefix, to, remote.verified)
        });
        for (prefix, to, verified) in expired.collect::<Vec<_>>() {
            self.lose(prefix);
            let lost = to.filter(|_| verified).map(|to| Lost {
                to,
                prefix,
                since: now,
            });
            self.lost.extend(lost);
        }
        self.request_refused(now);
        let idle = |bucket: &Bucket| bucket.is_idle(now);
        self.buckets.retain(|_, bucket| !idle(bucket));
        let mut silent = Vec::new();
        let mut next = now.plus(ANNOUNCE_PERIOD);
        let first = self.lost.len().saturating_sub(MAX_LOST);
        self.lost.drain(..first);
        self.lost.retain(|lost| now.since(lost.since) < LOST_TIME);
        if !self.lost.is_empty() {
            next = now.plus(LOST_PERIOD);
            silent.extend(self.lost.iter().map(|lost| (lost.to, lost.prefix)));
        }
        for (prefix, remote) in &mut self.remotes {
            next = remote.lost_at().min(next);
            if remote.answered {
                continue;
            }
            if remote.announce_at <= now {
                remote.announce_at = now.plus(remote.announce_period);
                remote.announce_period = (2 * remote.announce_period).min(MAX_SILENT_PERIOD);
                let to = remote.destination(&*self.paths);
                silent.extend(to.map(|to| (to, *prefix)));
            }
            next = next.min(remote.announce_at);
        }
        self.peers_at = next;
        for (to, prefix) in silent {
            self.announce_to(to, prefix);
        }
    }

    /// Answers a participant that announces itself to the local participant because its lease of
    /// the local participant ended.
    pub(super) fn answer_lost(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get_mut(&prefix) else {
            return;
        };
        let to = remote.destination(&*self.paths);
        if let Some(to) = to.filter(|_| now.since(remote.announced) > QUICK_PERIOD) {
            remote.announced = now;
            self.announce_to(to, prefix);
        }
    }

    /// Sends the announcement of the participant to one destination, addressed to `prefix`.
    fn announce_to(&mut self, to: SocketAddr, prefix: GuidPrefix) {
        if !self.paths.is_connected(to) {
            return;
        }
        let payload = Payload::Data(self.participant_data().encode());
        let announcement = self.spdp_submessage(payload, None);
        self.send(to, prefix, announcement);
    }

    fn lose(&mut self, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.remove(&prefix) else {
            return;
        };
        for endpoint in remote.endpoints.into_values() {
            self.announcement_bytes -= endpoint.memory_bytes();
            self.unmatch(&endpoint);
        }
        for (writer, _, reader, _) in BUILTIN {
            self.unmatch_builtin(reader, Guid::new(prefix, writer));
            self.unmatch_builtin(writer, Guid::new(prefix, reader));
        }
        self.events.push_back(Event::ParticipantLost { prefix });
    }

    pub(super) fn publish_endpoint(&mut self, now: Nanos, guid: Guid, spec: EndpointSpec) {
        let data = EndpointData::new(guid, &spec.topic, &spec.type_name, spec.qos);
        let qos = InlineQos {
            key_hash: Some(guid.to_bytes()),
            ..InlineQos::default()
        };
        self.write_change(
            now,
            sedp_writer(guid.entity),
            Payload::Data(data.encode()),
            qos,
        );
        let same = self.topics.entry(data.topic_name.clone()).or_default();
        same.push(guid.entity);
        let topic = data.topic_name.clone();
        self.local.insert(guid.entity, data);
        let endpoints = self.remotes.values().flat_map(|r| r.endpoints.values());
        let same = endpoints.filter(|endpoint| endpoint.topic_name == topic);
        for remote in same.map(|endpoint| endpoint.guid).collect::<Vec<_>>() {
            self.match_endpoint(now, remote);
        }
    }

    pub(super) fn retract_endpoint(&mut self, now: Nanos, guid: Guid) {
        let qos = InlineQos {
            related: None,
            status: Some(StatusInfo {
                disposed: true,
                unregistered: true,
            }),
            key_hash: Some(guid.to_bytes()),
        };
        let writer = sedp_writer(guid.entity);
        if let Some(writer) = self.writers.get_mut(&writer) {
            writer.forget(guid.to_bytes());
        }
        self.write_change(now, writer, Payload::Key(encode_key(guid)), qos);
    }

    /// Processes a sample of SEDP. Participant messages only show that the peer is alive.
    pub(super) fn handle_builtin(&mut self, now: Nanos, received: &Received) {
        let sample = &received.sample;
        if sample.reader.entity == EntityId::MESSAGE_READER {
            return;
        }
        let prefix = sample.writer.prefix;
        let status = received.inline_qos.status.unwrap_or_default();
        if status.disposed || status.unregistered || !received.is_value {
            let hash = received.inline_qos.key_hash.map(Guid::from_bytes);
            let gone = hash.or_else(|| decode_key(&sample.payload).ok());
            if let Some(gone) = gone.filter(|gone| gone.prefix == prefix) {
                let remote = self.remotes.get_mut(&prefix);
                let endpoint = remote.and_then(|remote| remote.endpoints.remove(&gone.entity));
                if let Some(endpoint) = endpoint {
                    self.count_announcement(prefix, endpoint.memory_bytes(), 0);
                    self.unmatch(&endpoint);
                }
            }
            return;
        }
        self.handle_endpoint(now, sample);
    }

    /// Processes the announcement of an endpoint.
    fn handle_endpoint(&mut self, now: Nanos, sample: &Sample) {
        let prefix = sample.writer.prefix;
        let endpoint = EndpointData::decode(&sample.payload).ok();
        let limit = self.config.limits.endpoints;
        let remote = self.remotes.get(&prefix);
        let valid = endpoint.filter(|e| e.guid.prefix == prefix && !e.guid.entity.is_builtin());
        let (Some(endpoint), Some(remote)) = (valid, remote) else {
            self.counters.refused += 1;
            return;
        };
        let entity = endpoint.guid.entity;
        let known = remote.endpoints.get(&entity);
        let (before, after) = (
            known.map_or(0, EndpointData::memory_bytes),
            endpoint.memory_bytes(),
        );
        let is_full = known.is_none() && remote.endpoints.len() >= limit;
        let fits = self.fits_announcement(prefix, after.saturating_sub(before));
        let Some(remote) = self.remotes.get_mut(&prefix).filter(|_| fits && !is_full) else {
            self.counters.refused += 1;
            if let Some(remote) = self.remotes.get_mut(&prefix) {
                remote.is_incomplete |= !fits;
            }
            return;
        };
        let guid = endpoint.guid;
        let names = |data: &EndpointData| (data.topic_name.clone(), data.type_name.clone());
        let new_names = names(&endpoint);
        let known = remote.endpoints.insert(entity, endpoint);
        self.count_announcement(prefix, before, after);
        if let Some(known) = known.filter(|known| names(known) != new_names) {
            self.unmatch(&known);
        }
        self.match_endpoint(now, guid);
    }

    /// Counts that the size of an announcement has changed from `before` to `after` [B].
    fn count_announcement(&mut self, prefix: GuidPrefix, before: usize, after: usize) {
        self.announcement_bytes = self.announcement_bytes - before + after;
        if let Some(remote) = self.remotes.get_mut(&prefix) {
            remote.announcement_bytes = remote.announcement_bytes - before + after;
        }
    }
}

fn sedp_writer(endpoint: EntityId) -> EntityId {
    if endpoint.is_writer() {
        EntityId::PUBLICATIONS_WRITER
    } else {
        EntityId::SUBSCRIPTIONS_WRITER
    }
}
