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
        let mut pairs = Vec::new();
        for endpoint in remote.endpoints.values() {
            let unicast = match endpoint.unicast.is_empty() {
                true => &remote.data.default_unicast,
                false => &endpoint.unicast,
            };
            let Some(to) = self.paths.choose(unicast) else {
                continue;
            };
            let writes = endpoint.guid.entity.is_writer();
            for (entity, local) in &self.local {
                if entity.is_writer() != writes
                    && local.topic_name == endpoint.topic_name
                    && local.type_name == endpoint.type_name
                {
                    pairs.push((*entity, endpoint.clone(), to));
                }
            }
        }
        for (local, endpoint, to) in pairs {
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
        } else if let Some(reader) = self.readers.get_mut(&local) {
            compatible(&remote.qos, reader.qos()).map(|()| {
                let added = reader.add(now, remote.guid, to);
                added.then_some(reader.matched())
            })
        } else {
            Ok(None)
        };
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
