//! The `ros_discovery_info` topic: tells peers that these DDS endpoints are those of this ROS node.
//!
//! DDS knows participants and endpoints, not nodes; `ros2 node list` and `ros2 node info` read this topic. Changes
//! are gathered for a moment, for a world creates hundreds of endpoints at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustdds::bytes::Bytes;
use rustdds::{GUID, Timestamp};

use crate::args::GidSize;
use crate::cdr::to_bytes;
use crate::dds::transport::{HEADER_LEN, RawWriter};
use crate::msg::rmw_dds_common::{
    Gid, HumbleGid, HumbleNodeEntitiesInfo, HumbleParticipantEntitiesInfo, NodeEntitiesInfo,
    ParticipantEntitiesInfo,
};
use crate::names::NameResolver;

/// Shortest time between two messages.
const PERIOD: Duration = Duration::from_millis(100);

/// What is known of the node, and whether the network knows it too.
pub struct Graph {
    gid_size: GidSize,
    participant: GUID,
    namespace: String,
    name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    writer: Option<RawWriter>,
    readers: Vec<GUID>,
    writers: Vec<GUID>,
    changed: bool,
    published_at: Option<Instant>,
}

impl Graph {
    /// DDS topic, which carries no ROS prefix.
    pub const TOPIC: &'static str = "ros_discovery_info";
    /// DDS type; the size of its Gid depends on the distribution.
    pub const DDS_TYPE: &'static str = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";

    /// The graph of a node without endpoints.
    pub fn new(participant: GUID, gid_size: GidSize, names: &NameResolver) -> Self {
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

    /// Begins to publish through `writer`.
    pub fn start(&self, writer: RawWriter) {
        self.state().writer = Some(writer);
    }

    /// The node has these endpoints too. The caller wakes the thread that publishes.
    pub fn add(&self, guids: &[GUID]) {
        let mut state = self.state();
        for guid in guids {
            let list = if is_reader(guid) {
                &mut state.readers
            } else {
                &mut state.writers
            };
            list.push(*guid);
        }
        state.changed = true;
    }

    /// The node has these endpoints no more. The caller wakes the thread that publishes.
    pub fn remove(&self, guids: &[GUID]) {
        let mut state = self.state();
        state.readers.retain(|guid| !guids.contains(guid));
        state.writers.retain(|guid| !guids.contains(guid));
        state.changed = true;
    }

    /// Time until the next message is due; `None` without changes.
    pub fn due_in(&self, now: Instant) -> Option<Duration> {
        let state = self.state();
        if !state.changed || state.writer.is_none() {
            return None;
        }
        Some(state.published_at.map_or(Duration::ZERO, |at| {
            (at + PERIOD).saturating_duration_since(now)
        }))
    }

    /// Publishes what has changed, if that is due.
    pub fn publish_if_due(&self, now: Instant) {
        if self.due_in(now) != Some(Duration::ZERO) {
            return;
        }
        let mut state = self.state();
        let body = Bytes::from(self.message(&state)).slice(HEADER_LEN..);
        let Some(writer) = &state.writer else { return };
        // with a full send window it stays changed, and the next period tries again
        state.changed = writer.write(body, Some(Timestamp::now())).is_err();
        state.published_at = Some(now);
    }

    /// `rmw_dds_common/msg/ParticipantEntitiesInfo`, in the form that the domain's distribution reads.
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

fn gids<T>(guids: &[GUID], gid: impl Fn([u8; 16]) -> T) -> Vec<T> {
    guids.iter().map(|guid| gid(guid.to_bytes())).collect()
}

/// The GUID and 8 zeros.
fn humble_gid(guid: [u8; 16]) -> HumbleGid {
    let mut data = [0; 24];
    data[..16].copy_from_slice(&guid);
    HumbleGid { data }
}

/// RTPS gives readers entity kinds with this bit, writers without.
fn is_reader(guid: &GUID) -> bool {
    const READER_BIT: u8 = 0x04;
    guid.to_bytes()[15] & READER_BIT != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guid(entity_kind: u8) -> GUID {
        GUID::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1, entity_kind])
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
