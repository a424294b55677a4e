//! Publisher of the `ros_discovery_info` topic, which assigns DDS endpoints to the ROS node.
//!
//! DDS has participants and endpoints, but no nodes; `ros2 node list` and `ros2 node info` read
//! this topic. Changes are collected for a short period, because a world creates hundreds of
//! endpoints at once.
//!
//! The GIDs have 24 bytes up to Humble and 16 from Iron on, under the same names of topic and type.
//! Readers of Iron and newer announce a type hash. One writer serves the readers that announce a
//! type hash, and a second writer serves the other readers.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

use merrow_rtps::engine::OutgoingSample;
use merrow_rtps::participant::Writer;
use merrow_rtps::wire::Guid;

use crate::cdr::to_bytes;
use crate::msg::rmw_dds_common::{Gid, NodeEntitiesInfo, ParticipantEntitiesInfo};
use crate::msg::rmw_dds_common_humble as humble;
use crate::names::NameResolver;

/// Minimum time between two messages.
const PERIOD: Duration = Duration::from_millis(100);

/// Endpoints of the node, and whether the latest change has been published.
pub(crate) struct Graph {
    participant: Guid,
    namespace: String,
    name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Writers of the messages with GIDs of 16 and of 24 bytes.
    sinks: Option<(Writer, Writer)>,
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
    pub(crate) fn new(participant: Guid, names: &NameResolver) -> Self {
        Self {
            participant,
            namespace: names.namespace().to_owned(),
            name: names.node().to_owned(),
            state: Mutex::new(State {
                changed: true,
                ..State::default()
            }),
        }
    }

    /// Starts publishing through the writers for readers of Iron and newer, and of Humble.
    pub(crate) fn start(&self, iron: Writer, humble: Writer) {
        self.state.lock().sinks = Some((iron, humble));
    }

    /// Adds endpoints of the node. The caller wakes the thread that publishes.
    pub(crate) fn add(&self, guids: &[Guid]) {
        let mut state = self.state.lock();
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
        let mut state = self.state.lock();
        state.readers.retain(|guid| !guids.contains(guid));
        state.writers.retain(|guid| !guids.contains(guid));
        state.changed = true;
    }

    /// Returns the time until the next message is due; `None` without changes.
    pub(crate) fn due_in(&self, now: Instant) -> Option<Duration> {
        let state = self.state.lock();
        if !state.changed || state.sinks.is_none() {
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
        let mut state = self.state.lock();
        let (short, long) = (self.message(&state), self.humble_message(&state));
        let Some((iron, humble)) = &state.sinks else {
            return;
        };
        let write = |writer: &Writer, message: Vec<u8>| {
            writer.write(OutgoingSample {
                payload: message.into(),
                related: None,
            })
        };
        state.changed = write(iron, short).and(write(humble, long)).is_err();
        state.published_at = Some(now);
    }

    /// Encodes `rmw_dds_common/msg/ParticipantEntitiesInfo` of Iron and newer.
    fn message(&self, state: &State) -> Vec<u8> {
        let node = NodeEntitiesInfo {
            node_namespace: self.namespace.clone(),
            node_name: self.name.clone(),
            reader_gid_seq: gids(&state.readers, |data| Gid { data }),
            writer_gid_seq: gids(&state.writers, |data| Gid { data }),
        };
        to_bytes(&ParticipantEntitiesInfo {
            gid: Gid {
                data: self.participant.to_bytes(),
            },
            node_entities_info_seq: vec![node],
        })
    }

    /// Encodes `rmw_dds_common/msg/ParticipantEntitiesInfo` of Humble.
    fn humble_message(&self, state: &State) -> Vec<u8> {
        let node = humble::NodeEntitiesInfo {
            node_namespace: self.namespace.clone(),
            node_name: self.name.clone(),
            reader_gid_seq: gids(&state.readers, humble_gid),
            writer_gid_seq: gids(&state.writers, humble_gid),
        };
        to_bytes(&humble::ParticipantEntitiesInfo {
            gid: humble_gid(self.participant.to_bytes()),
            node_entities_info_seq: vec![node],
        })
    }
}

fn gids<T>(guids: &[Guid], gid: impl Fn([u8; 16]) -> T) -> Vec<T> {
    guids.iter().map(|guid| gid(guid.to_bytes())).collect()
}

/// Returns the GUID followed by 8 zero bytes.
fn humble_gid(guid: [u8; 16]) -> humble::Gid {
    let mut data = [0; 24];
    data[..16].copy_from_slice(&guid);
    humble::Gid { data }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guid(entity_kind: u8) -> Guid {
        Guid::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1, entity_kind])
    }

    fn graph() -> Graph {
        let names = NameResolver::new("/", "sim", vec![]).unwrap();
        Graph::new(guid(0xc1), &names)
    }

    #[test]
    fn message_lists_readers_and_writers_of_the_node() {
        let graph = graph();
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
        assert_eq!(graph.message(&graph.state.lock()), expected);
        graph.remove(&[guid(0x04), guid(0x03)]);
        assert!(graph.state.lock().readers.is_empty() && graph.state.lock().writers.is_empty());
    }

    #[test]
    fn humble_has_longer_gids() {
        let long = graph();
        assert_eq!(
            long.humble_message(&long.state.lock())[4..28],
            [&guid(0xc1).to_bytes()[..], &[0; 8]].concat()
        );
    }
}
