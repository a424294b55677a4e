//! Announcements of endpoints: SEDP (RTPS 2.5, 8.5.4).

use super::{BUILTIN, Remote, UNVERIFIED_ANNOUNCEMENTS};
use crate::engine::Engine;
use crate::engine::config::{EndpointSpec, MILLIS, Nanos};
use crate::engine::event::Sample;
use crate::engine::reader::Received;
use crate::wire::*;

/// Shortest time between two requests for all announcements of a participant [ns].
const REQUEST_AGAIN_PERIOD: u64 = 1000 * MILLIS;

impl Engine {
    /// Requests all announcements of a participant again, by matching its built-in writers as new.
    pub(super) fn request_again(&mut self, now: Nanos, prefix: GuidPrefix) {
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
    pub(super) fn request_refused(&mut self, now: Nanos) {
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

    pub(in crate::engine) fn publish_endpoint(
        &mut self,
        now: Nanos,
        guid: Guid,
        spec: EndpointSpec,
    ) {
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

    pub(in crate::engine) fn retract_endpoint(&mut self, now: Nanos, guid: Guid) {
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
    pub(in crate::engine) fn handle_builtin(&mut self, now: Nanos, received: &Received) {
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
