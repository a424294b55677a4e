//! `rmw_dds_common`: which DDS endpoints belong to which ROS node, as published on `ros_discovery_info`.
//!
//! DDS knows participants, not nodes; without these messages `ros2 node list` shows nothing. The GID went from 24
//! bytes (up to Humble) to 16 (from Iron) under the same type name, so there are two forms of each message, and the
//! node chooses at run time which it speaks.

use crate::message::{BoundedString, Char, ros_message};

ros_message! {
    /// DDS GUID of an endpoint or participant: 12 bytes of prefix, 4 of entity.
    pub struct Gid("rmw_dds_common/msg/Gid") {
        /// The bytes.
        data: [u8; 16] as [Char; 16],
    }

    /// The endpoints of one node.
    pub struct NodeEntitiesInfo("rmw_dds_common/msg/NodeEntitiesInfo") {
        /// Namespace of the node, with the leading `/`.
        node_namespace: String as BoundedString<256>,
        /// Name of the node.
        node_name: String as BoundedString<256>,
        /// Its DataReaders.
        reader_gid_seq: Vec<Gid>,
        /// Its DataWriters.
        writer_gid_seq: Vec<Gid>,
    }

    /// The nodes of one DDS participant, for peers from Iron on.
    pub struct ParticipantEntitiesInfo("rmw_dds_common/msg/ParticipantEntitiesInfo") {
        /// The participant.
        gid: Gid,
        /// Its nodes.
        node_entities_info_seq: Vec<NodeEntitiesInfo>,
    }

    /// [`Gid`] as Humble has it: the GUID and 8 zeros.
    pub struct HumbleGid("rmw_dds_common/msg/Gid") {
        /// The bytes.
        data: [u8; 24] as [Char; 24],
    }

    /// [`NodeEntitiesInfo`] as Humble has it.
    pub struct HumbleNodeEntitiesInfo("rmw_dds_common/msg/NodeEntitiesInfo") {
        /// Namespace of the node, with the leading `/`.
        node_namespace: String as BoundedString<256>,
        /// Name of the node.
        node_name: String as BoundedString<256>,
        /// Its DataReaders.
        reader_gid_seq: Vec<HumbleGid>,
        /// Its DataWriters.
        writer_gid_seq: Vec<HumbleGid>,
    }

    /// [`ParticipantEntitiesInfo`] as Humble has it.
    pub struct HumbleParticipantEntitiesInfo("rmw_dds_common/msg/ParticipantEntitiesInfo") {
        /// The participant.
        gid: HumbleGid,
        /// Its nodes.
        node_entities_info_seq: Vec<HumbleNodeEntitiesInfo>,
    }
}
