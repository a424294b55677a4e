//! Announcements of participants: SPDP (RTPS 2.5, 8.5.3).

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;

use super::{
    BUILTIN, CHANGE_PERIOD, DISPLACED_BYTES, ELSEWHERE_PERIOD, Lost, MAX_DISPLACED, MAX_ELSEWHERE,
    QUICK_PERIOD, REPLACEABLE, Remote,
};
use crate::engine::Engine;
use crate::engine::config::{MILLIS, Nanos};
use crate::wire::*;

/// Period of announcements to groups [ns], and number of these periods between two announcements to
/// initial peers and known participants.
pub(super) const ANNOUNCE_PERIOD: u64 = 1000 * MILLIS;
const KNOWN_ANNOUNCEMENTS: u32 = 3;

/// Number of announcements after the start that also go to the initial peers.
const FIRST_ANNOUNCEMENTS: u32 = 8;

impl Engine {
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

    pub(super) fn spdp_submessage(
        &mut self,
        payload: Payload,
        status: Option<StatusInfo>,
    ) -> Submessage {
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
    pub(super) fn send_spdp(&mut self, submessage: &Submessage, with_known: bool) {
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

    /// Returns the next announcement of the participant.
    fn announcement(&mut self) -> Submessage {
        let payload = Payload::Data(self.participant_data().encode());
        self.spdp_submessage(payload, None)
    }

    pub(in crate::engine) fn announce(&mut self, now: Nanos) {
        let submessage = self.announcement();
        self.send_spdp(&submessage, self.rounds.is_multiple_of(KNOWN_ANNOUNCEMENTS));
        self.rounds += 1;
        let quick = self.quick_announcements > 0;
        self.quick_announcements = self.quick_announcements.saturating_sub(1);
        self.announce_at = now.plus(if quick { QUICK_PERIOD } else { ANNOUNCE_PERIOD });
    }

    /// Announces the participant to the groups soon, because an answer to a new participant could
    /// not be sent. Multicast needs no address of a host, which the system would have to resolve.
    pub fn announce_soon(&mut self, now: Nanos) {
        if !self.has_left {
            self.extra_at.get_or_insert(now.plus(QUICK_PERIOD));
        }
    }

    pub(in crate::engine) fn announce_to_groups(&mut self) {
        let submessage = self.announcement();
        let groups = self.config.metatraffic_multicast.iter();
        for to in groups.filter_map(Locator::socket_addr).collect::<Vec<_>>() {
            if self.paths.is_connected(to) {
                self.send(to, GuidPrefix::UNKNOWN, submessage.clone());
            }
        }
    }

    pub(in crate::engine) fn handle_spdp(
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
        let elsewhere = reachable.is_some_and(|to| self.is_elsewhere(to, from));
        let full = is_new
            && ((elsewhere && self.elsewhere_of(from.ip()) >= MAX_ELSEWHERE)
                || !self.has_room_for_participant(now, from.ip()));
        let Some(to) = reachable.filter(|_| !full) else {
            self.counters.refused += 1;
            return;
        };
        if let Some(remote) = self.remotes.get_mut(&source) {
            let moved = remote.data != announced;
            let period = match elsewhere {
                true => ELSEWHERE_PERIOD,
                false => CHANGE_PERIOD,
            };
            if (remote.verified || elsewhere) && moved && now.since(remote.changed) < period {
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

    /// Adds a participant again that addresses a message to the local participant after its lease
    /// ended or it was replaced. It has discovered the local participant, but Cyclone DDS announces
    /// itself only at its next period, up to 8 s later.
    pub(in crate::engine) fn restore(&mut self, now: Nanos, from: SocketAddr, prefix: GuidPrefix) {
        let is_same = |lost: &&Lost| lost.data.prefix == prefix && lost.source.ip() == from.ip();
        if self.remotes.contains_key(&prefix) {
            return;
        }
        let lost = self.lost.iter().find(is_same);
        let Some(lost) = lost.or_else(|| self.displaced.iter().find(is_same)) else {
            return;
        };
        let (to, source, data) = (lost.to, lost.source, lost.data.clone());
        if self.has_room_for_participant(now, from.ip()) {
            self.displaced.retain(|lost| lost.data.prefix != prefix);
            self.add_participant(now, source, to, data);
        }
    }

    /// Returns true if data for a participant at `from` goes to the address of another machine.
    fn is_elsewhere(&self, to: SocketAddr, from: SocketAddr) -> bool {
        to.ip() != from.ip() && !self.paths.is_own(to.ip())
    }

    /// Returns the number of participants at `address` that receive at another address.
    fn elsewhere_of(&self, address: IpAddr) -> usize {
        let same = self.remotes.values().filter(|r| r.source.ip() == address);
        let destinations = same.filter_map(|r| Some((r.destination(&*self.paths)?, r.source)));
        destinations
            .filter(|(to, source)| self.is_elsewhere(*to, *source))
            .count()
    }

    /// Makes room for one more participant at `address`, by removing one if necessary.
    fn has_room_for_participant(&mut self, now: Nanos, address: IpAddr) -> bool {
        let limit = self.config.limits.participants;
        let unverified = self.oldest_unverified(address);
        let replaced = match unverified {
            (count, oldest) if count >= limit / 4 => oldest,
            _ if self.remotes.len() < limit => return true,
            _ => self.replaceable(now, address),
        };
        replaced.map(|prefix| self.displace(now, prefix)).is_some()
    }

    /// Removes a participant to make room for another, and keeps its announcement if it is small
    /// and may be genuine.
    fn displace(&mut self, now: Nanos, prefix: GuidPrefix) {
        let remote = self.remotes.get(&prefix).filter(|r| !r.verified);
        let kept = remote.and_then(|remote| {
            let to = remote.destination(&*self.paths)?;
            let is_small = remote.data.variable_bytes() <= DISPLACED_BYTES;
            (is_small && !self.is_elsewhere(to, remote.source)).then(|| Lost {
                to,
                source: remote.source,
                data: ParticipantData {
                    // without the memory of the datagram
                    user_data: Bytes::copy_from_slice(&remote.data.user_data),
                    ..remote.data.clone()
                },
                since: now,
            })
        });
        self.lose(prefix);
        self.displaced.extend(kept);
        if self.displaced.len() > MAX_DISPLACED {
            self.displaced.pop_front();
        }
    }

    /// Returns the number of unverified participants at `address`, and the participant from which
    /// no datagram arrived for the longest time.
    fn oldest_unverified(&self, address: IpAddr) -> (usize, Option<GuidPrefix>) {
        let all = self.remotes.iter();
        let same = all.filter(|(_, r)| !r.verified && r.source.ip() == address);
        let count = same.clone().count();
        let oldest = same.min_by_key(|(_, remote)| remote.last_received);
        (count, oldest.map(|(prefix, _)| *prefix))
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

    fn add_participant(
        &mut self,
        now: Nanos,
        from: SocketAddr,
        to: SocketAddr,
        data: ParticipantData,
    ) {
        let prefix = data.prefix;
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
            .retain(|lost| lost.data.prefix != prefix && lost.to != to);
        self.announce_to(to, prefix);
        self.match_builtin(now, prefix);
    }

    /// Sends the announcement of the participant to one destination, addressed to `prefix`.
    pub(super) fn announce_to(&mut self, to: SocketAddr, prefix: GuidPrefix) {
        if !self.paths.is_connected(to) {
            return;
        }
        let announcement = self.announcement();
        self.send(to, prefix, announcement);
    }

    pub(super) fn lose(&mut self, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.remove(&prefix) else {
            return;
        };
        // while they wait, the messages to others do not find room
        self.control.retain(|(_, to, _)| *to != prefix);
        for endpoint in remote.endpoints.into_values() {
            self.announcement_bytes -= endpoint.memory_bytes();
            self.unmatch(&endpoint);
        }
        for (writer, _, reader, _) in BUILTIN {
            self.unmatch_builtin(reader, Guid::new(prefix, writer));
            self.unmatch_builtin(writer, Guid::new(prefix, reader));
        }
    }
}
