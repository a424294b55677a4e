//! Matches between local and remote endpoints (RTPS 2.5, 8.5.4; DDS 1.4, 2.2.3).

use std::net::SocketAddr;

use super::Engine;
use super::config::Nanos;
use super::event::Event;
use crate::qos::compatible;
use crate::wire::*;

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
        if matches!(result, Ok(Some(_))) {
            self.reschedule(local);
        }
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
        if !incompatible || self.incompatible.insert((remote, local)) {
            self.events.push_back(event);
        }
    }

    /// Ends the matches of a remote endpoint. Only local endpoints of its topic can match it.
    pub(super) fn unmatch(&mut self, remote: &EndpointData) {
        let locals = self.topics.get(&remote.topic_name);
        let remote = remote.guid;
        self.routes.remove(&remote);
        for entity in locals.into_iter().flatten().copied() {
            self.incompatible.remove(&(remote, entity));
            let total = if let Some(writer) = self.writers.get_mut(&entity) {
                writer.remove(remote).then(|| writer.matched())
            } else if let Some(reader) = self.readers.get_mut(&entity) {
                reader.remove(remote).then(|| reader.matched())
            } else {
                None
            };
            if let Some(total) = total {
                let local = Guid::new(self.config.guid_prefix, entity);
                self.events.push_back(Event::Unmatched {
                    local,
                    remote,
                    total,
                });
            }
        }
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
