//! Matches between local and remote endpoints (RTPS 2.5, 8.5.4; DDS 1.4, 2.2.3).

use std::net::SocketAddr;

use super::Engine;
use super::config::Nanos;
use super::event::Event;
use crate::qos::compatible;
use crate::wire::*;

impl Engine {
    /// Matches all endpoints of a participant with the local ones.
    pub(super) fn match_participant(&mut self, now: Nanos, prefix: GuidPrefix) {
        let Some(remote) = self.remotes.get(&prefix) else {
            return;
        };
        let endpoints: Vec<_> = remote.endpoints.keys().copied().collect();
        for entity in endpoints {
            self.match_endpoint(now, Guid::new(prefix, entity));
        }
    }

    /// Matches a remote endpoint with the local ones of its topic.
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
            compatible(writer.qos(), &remote.qos).map(|()| {
                let added = writer.add(now, remote.guid, &remote.qos, to, path);
                added.then_some(writer.matched())
            })
        } else if let Some(reader) = self.readers.get(&local) {
            let result = compatible(&remote.qos, reader.qos());
            result.map(|()| self.add_writer(now, local, remote.guid, to))
        } else {
            Ok(None)
        };
        self.reschedule(local);
        let remote = remote.guid;
        let event = match result {
            Ok(None) => return,
            Ok(Some(total)) => Event::Matched {
                local: guid,
                remote,
                total,
            },
            Err(policy) => Event::IncompatibleQos {
                local: guid,
                remote,
                policy,
            },
        };
        let incompatible = matches!(event, Event::IncompatibleQos { .. });
        if !incompatible || self.incompatible.insert((local, remote)) {
            self.events.push_back(event);
        }
    }

    /// Ends the matches of a remote endpoint.
    pub(super) fn unmatch(&mut self, remote: Guid) {
        self.incompatible.retain(|(_, other)| *other != remote);
        self.routes.remove(&remote);
        let mut ended = Vec::new();
        for (entity, writer) in &mut self.writers {
            if writer.remove(remote) {
                ended.push((*entity, writer.matched()));
            }
        }
        for (entity, reader) in &mut self.readers {
            if reader.remove(remote) {
                ended.push((*entity, reader.matched()));
            }
        }
        for (entity, total) in ended {
            if !entity.is_builtin() {
                let local = self.guid(entity);
                self.events.push_back(Event::Unmatched {
                    local,
                    remote,
                    total,
                });
            }
        }
    }
}
