//! Matches between local and remote endpoints (RTPS 2.5, 8.5.4; DDS 1.4, 2.2.3).

use std::net::SocketAddr;

use super::config::{MILLIS, Nanos};
use super::event::Event;
use super::group::Added;
use super::{Engine, Reader, Writer};
use crate::qos::{Durability, Policy, compatible};
use crate::wire::*;

/// Shortest time between two reports that a local endpoint does not match because of one policy
/// [ns].
pub(super) const REPORT_PERIOD: u64 = 10_000 * MILLIS;

impl Engine {
    /// Matches all endpoints of a participant with the local endpoints.
    pub(super) fn match_participant(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get(&prefix) else {
            return;
        };
        let endpoints: Vec<_> = remote.endpoints.keys().copied().collect();
        for entity in endpoints {
            self.match_endpoint(now, Guid::new(prefix, entity));
        }
    }

    /// Matches a remote endpoint with the local endpoints of its topic.
    pub(super) fn match_endpoint(&mut self, now: Nanos, remote: Guid) {
        let Some(participant) = self.remotes.get(&remote.prefix) else {
            return;
        };
        let endpoint = participant.endpoints.get(&remote.entity);
        let Some(endpoint) = endpoint.filter(|_| participant.verified) else {
            return;
        };
        let Some(same_topic) = self.topics.get(&endpoint.topic_name) else {
            return;
        };
        let unicast = match endpoint.unicast.is_empty() {
            true => &participant.data.default_unicast,
            false => &endpoint.unicast,
        };
        let Some(to) = self.paths.choose(unicast, Some(participant.source)) else {
            return;
        };
        let writes = remote.entity.is_writer();
        let fits = |entity: &EntityId| {
            let local = self.local.get(entity);
            entity.is_writer() != writes
                && local.is_some_and(|local| local.type_name == endpoint.type_name)
        };
        let locals: Vec<_> = same_topic.iter().copied().filter(fits).collect();
        let endpoint = endpoint.clone();
        for local in locals {
            self.match_pair(now, local, &endpoint, to);
        }
    }

    fn match_pair(&mut self, now: Nanos, local: EntityId, remote: &EndpointData, to: SocketAddr) {
        let guid = self.guid(local);
        let path = self.paths.path(to);
        let result = if let Some(writer) = self.writers.get_mut(&local) {
            let participant = self.remotes.get(&remote.guid.prefix);
            let vendor = participant.map_or(VendorId::UNKNOWN, |p| p.data.vendor);
            if !writer.accepts(remote, vendor) {
                return self.unmatch_pair(local, remote.guid);
            }
            compatible(writer.qos(), &remote.qos)
                .map(|()| writer.add(now, remote.guid, &remote.qos, to, path))
        } else if let Some(reader) = self.readers.get(&local) {
            let durable = remote.qos.durability >= Durability::TransientLocal;
            compatible(&remote.qos, reader.qos())
                .map(|()| self.add_writer(now, local, remote.guid, durable, to))
        } else {
            Ok(Added::Known)
        };
        match result {
            Ok(Added::Known) => {}
            Ok(Added::TooMany) => self.counters.refused += 1,
            Ok(Added::New) => {
                self.reschedule(local);
                self.incompatible.remove(&(remote.guid, local));
                self.events.push_back(Event::Matched {
                    local: guid,
                    remote: remote.guid,
                    user_data: remote.qos.user_data.clone(),
                    total: self.matched(local),
                });
            }
            Err(policy) => {
                // a known endpoint can be announced again with another QoS
                self.unmatch_pair(local, remote.guid);
                self.report_incompatible(now, local, remote.guid, policy);
            }
        }
    }

    /// Returns the number of remote endpoints that match the local endpoint `local`.
    fn matched(&self, local: EntityId) -> usize {
        let writer = self.writers.get(&local).map(Writer::matched);
        let reader = self.readers.get(&local).map(Reader::matched);
        writer.or(reader).unwrap_or(0)
    }

    /// Reports once that two endpoints do not match. Reports of other remote endpoints with the
    /// same local one and policy follow after [`REPORT_PERIOD`] only: a peer can announce and
    /// withdraw endpoints at any rate.
    fn report_incompatible(&mut self, now: Nanos, local: EntityId, remote: Guid, policy: Policy) {
        let is_new = self.incompatible.insert((remote, local));
        let last = self.reported.get(&(local, policy));
        if !is_new || last.is_some_and(|at| now.since(*at) < REPORT_PERIOD) {
            return;
        }
        self.reported.insert((local, policy), now);
        self.events.push_back(Event::IncompatibleQos {
            local: self.guid(local),
            remote,
            policy,
        });
    }

    /// Ends the matches of a remote endpoint. Only local endpoints of its topic can match it.
    pub(super) fn unmatch(&mut self, remote: &EndpointData) {
        let locals = self.topics.get(&remote.topic_name);
        let remote = remote.guid;
        self.routes.remove(&remote);
        for entity in locals.cloned().unwrap_or_default() {
            self.incompatible.remove(&(remote, entity));
            self.unmatch_pair(entity, remote);
        }
    }

    /// Ends the match of a local and a remote endpoint, if they match.
    fn unmatch_pair(&mut self, local: EntityId, remote: Guid) {
        let is_removed = if let Some(writer) = self.writers.get_mut(&local) {
            writer.remove(remote)
        } else if let Some(reader) = self.readers.get_mut(&local) {
            reader.remove(remote)
        } else {
            false
        };
        if !is_removed {
            return;
        }
        if let Some(readers) = self.routes.get_mut(&remote) {
            readers.retain(|reader| *reader != local);
        }
        self.reschedule(local);
        self.events.push_back(Event::Unmatched {
            local: self.guid(local),
            remote,
            total: self.matched(local),
        });
    }

    /// Ends the match of a built-in endpoint with the built-in endpoint of a remote participant.
    pub(super) fn unmatch_builtin(&mut self, local: EntityId, remote: Guid) {
        self.routes.remove(&remote);
        if let Some(writer) = self.writers.get_mut(&local) {
            writer.remove(remote);
        }
        if let Some(reader) = self.readers.get_mut(&local) {
            reader.remove(remote);
        }
    }
}
