//! Publisher of the `ros_discovery_info` topic, which assigns DDS endpoints to the ROS node.
//!
//! DDS has participants and endpoints, but no nodes; `ros2 node list` and `ros2 node info` read
//! this topic. Changes are collected for a short period, because a world creates hundreds of
//! endpoints at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use merrow_rtps::engine::OutgoingSample;
use merrow_rtps::participant::Writer;
use merrow_rtps::wire::Guid;

use crate::args::GidSize;
use crate::cdr::to_bytes;
use crate::msg::rmw_dds_common::{
    Gid, HumbleGid, HumbleNodeEntitiesInfo, HumbleParticipantEntitiesInfo, NodeEntitiesInfo,
    ParticipantEntitiesInfo,
};
use crate::names::NameResolver;

/// Minimum time between two messages.
const PERIOD: Duration = Duration::from_millis(100);

/// Endpoints of the node, and whether the latest change has been published.
pub(crate) struct Graph {
    gid_size: GidSize,
    participant: Guid,
    namespace: String,
    name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    writer: Option<Writer>,
    readers: Vec<Guid>,
    writers: Vec<Guid>,
    changed: bool,
    published_at: Option<Instant>,
}

impl Graph {
    /// DDS topic, which has no ROS prefix.
    pub(crate) const TOPIC: &'static str = "ros_discovery_info";
    /// DDS type; the size of its `Gid` depends on the ROS distribution.
    pub(crate) const DDS_TYPE: &'static str = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";

    /// Creates the graph of a node without endpoints.
    pub(crate) fn new(participant: Guid, gid_size: GidSize, names: &NameResolver) -> Self {
        Self {
            gid_size,
            participant,
            namespace: names.namespace().to_owned(),
            name: names.node().to_owned(),
            state: Mutex::new(State {
                changed: true,
                ..State::default()
            }),
        }
    }

    /// Starts publishing through `writer`.
    pub(crate) fn start(&self, writer: Writer) {
        self.state().writer = Some(writer);
    }

    /// Adds endpoints of the node. The caller wakes the thread that publishes.
    pub(crate) fn add(&self, guids: &[Guid]) {
        let mut state = self.state();
        for guid in guids {
            let list = if guid.entity.is_reader() {
                &mut state.readers
            } else {
                &mut state.writers
            };
            list.push(*guid);
        }
        state.changed = true;
    }

    /// Removes endpoints of the node. The caller wakes the thread that publishes.
    pub(crate) fn remove(&self, guids: &[Guid]) {
        let mut state = self.state();
        state.readers.retain(|guid| !guids.contains(guid));
        state.writers.retain(|guid| !guids.contains(guid));
        state.changed = true;
    }

    /// Returns the time until the next message is due; `None` without changes.
    pub(crate) fn due_in(&self, now: Instant) -> Option<Duration> {
        let state = self.state();
        if !state.changed || state.writer.is_none() {
            return None;
        }
        Some(state.published_at.map_or(Duration::ZERO, |at| {
            (at + PERIOD).saturating_duration_since(now)
        }))
    }

    /// Publishes the endpoints if they have changed and the minimum period has passed.
    pub(crate) fn publish_if_due(&self, now: Instant) {
        if self.due_in(now) != Some(Duration::ZERO) {
            return;
        }
        let mut state = self.state();
        let payload = Bytes::from(self.message(&state));
        let Some(writer) = &state.writer else { return };
        let sample = OutgoingSample {
            payload,
            related: None,
        };
        state.changed = writer.write(sample).is_err();
        state.published_at = Some(now);
    }

    /// Encodes `rmw_dds_common/msg/ParticipantEntitiesInfo` in the form of the domain's ROS
    /// distribution.
    fn message(&self, state: &State) -> Vec<u8> {
        let participant = self.participant.to_bytes();
        let (node_namespace, node_name) = (self.namespace.clone(), self.name.clone());
        match self.gid_size {
            GidSize::Iron16 => {
                let node = NodeEntitiesInfo {
                    node_namespace,
                    node_name,
                    reader_gid_seq: gids(&state.readers, |data| Gid { data }),
                    writer_gid_seq: gids(&state.writers, |data| Gid { data }),
                };
                let gid = Gid { data: participant };
                to_bytes(&ParticipantEntitiesInfo {
                    gid,
                    node_entities_info_seq: vec![node],
                })
            }
            GidSize::Humble24 => {
                let node = HumbleNodeEntitiesInfo {
                    node_namespace,
                    node_name,
                    reader_gid_seq: gids(&state.readers, humble_gid),
                    writer_gid_seq: gids(&state.writers, humble_gid),
                };
                let gid = humble_gid(participant);
                to_bytes(&HumbleParticipantEntitiesInfo {
                    gid,
                    node_entities_info_seq: vec![node],
                })
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gids<T>(guids: &[Guid], gid: impl Fn([u8; 16]) -> T) -> Vec<T> {
    guids.iter().map(|guid| gid(guid.to_bytes())).collect()
}

/// Returns the GUID followed by 8 zero bytes.
fn humble_gid(guid: [u8; 16]) -> HumbleGid {
    let mut data = [0; 24];
    data[..16].copy_from_slice(&guid);
    HumbleGid { data }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guid(entity_kind: u8) -> Guid {
        Guid::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1, entity_kind])
    }

    fn graph(gid_size: GidSize) -> Graph {
        let names = NameResolver::new("/", "sim", vec![]).unwrap();
        Graph::new(guid(0xc1), gid_size, &names)
    }

    #[test]
    fn message_lists_readers_and_writers_of_the_node() {
        let graph = graph(GidSize::Iron16);
        graph.add(&[guid(0x04), guid(0x03)]);
        let expected = [
            &[0, 1, 0, 0][..],
            &guid(0xc1).to_bytes(),
            &[1, 0, 0, 0],
            b"\x02\0\0\0/\0\0\0",
            b"\x04\0\0\0sim\0",
            &[1, 0, 0, 0],
            &guid(0x04).to_bytes(),
            &[1, 0, 0, 0],
            &guid(0x03).to_bytes(),
        ]
        .concat();
        assert_eq!(graph.message(&graph.state()), expected);
        graph.remove(&[guid(0x04), guid(0x03)]);
        assert!(graph.state().readers.is_empty() && graph.state().writers.is_empty());
    }

    #[test]
    fn humble_has_longer_gids() {
        let long = graph(GidSize::Humble24);
        assert_eq!(
            long.message(&long.state())[4..28],
            [&guid(0xc1).to_bytes()[..], &[0; 8]].concat()
        );
    }
}
