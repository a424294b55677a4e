//! `rmw_dds_common`: assigns DDS endpoints to ROS nodes, as published on `ros_discovery_info`.
//!
//! DDS has participants but no nodes; without these messages `ros2 node list` lists no nodes. The
//! size of the GID changed from 24 bytes (up to Humble) to 16 (from Iron) under the same type name.
//! Each message therefore has two forms, and the node selects one at run time.

use crate::message::{BoundedString, Char, ros_message};

ros_message! {
    /// DDS GUID of an endpoint or participant: 12 bytes of prefix, 4 of entity.
    pub struct Gid("rmw_dds_common/msg/Gid") {
        /// Bytes of the GID.
        data: [u8; 16] as [Char; 16],
    }

    /// Endpoints of one node.
    pub struct NodeEntitiesInfo("rmw_dds_common/msg/NodeEntitiesInfo") {
        /// Namespace of the node, with the leading `/`.
        node_namespace: String as BoundedString<256>,
        /// Name of the node.
        node_name: String as BoundedString<256>,
        /// GIDs of its DataReaders.
        reader_gid_seq: Vec<Gid>,
        /// GIDs of its DataWriters.
        writer_gid_seq: Vec<Gid>,
    }

    /// Nodes of one DDS participant, for Iron and newer.
    pub struct ParticipantEntitiesInfo("rmw_dds_common/msg/ParticipantEntitiesInfo") {
        /// GID of the participant.
        gid: Gid,
        /// Nodes of the participant.
        node_entities_info_seq: Vec<NodeEntitiesInfo>,
    }

    /// [`Gid`] of Humble: the GUID and 8 zero bytes.
    pub struct HumbleGid("rmw_dds_common/msg/Gid") {
        /// Bytes of the GID.
        data: [u8; 24] as [Char; 24],
    }

    /// [`NodeEntitiesInfo`] with the GID of Humble.
    pub struct HumbleNodeEntitiesInfo("rmw_dds_common/msg/NodeEntitiesInfo") {
        /// Namespace of the node, with the leading `/`.
        node_namespace: String as BoundedString<256>,
        /// Name of the node.
        node_name: String as BoundedString<256>,
        /// GIDs of its DataReaders.
        reader_gid_seq: Vec<HumbleGid>,
        /// GIDs of its DataWriters.
        writer_gid_seq: Vec<HumbleGid>,
    }

    /// [`ParticipantEntitiesInfo`] with the GID of Humble.
    pub struct HumbleParticipantEntitiesInfo("rmw_dds_common/msg/ParticipantEntitiesInfo") {
        /// GID of the participant.
        gid: HumbleGid,
        /// Nodes of the participant.
        node_entities_info_seq: Vec<HumbleNodeEntitiesInfo>,
    }
}
