//! Data of the discovery protocols SPDP and SEDP (RTPS 2.5, 8.5.3, 8.5.4, 9.6.3).
//!
//! Absent parameters have the defaults of RTPS 2.5, 9.6.3. Unknown parameters are skipped.

use bytes::{Bytes, BytesMut};

use super::element::Element;
use super::error::ParseError;
use super::input::Input;
use super::parameters::{ListWriter, Parameter, parameters, pid, read_encapsulated};
use super::types::{Duration, EntityId, Guid, GuidPrefix, Locator, ProtocolVersion, VendorId};
use crate::qos::Qos;

/// Bits of [`ParticipantData::builtin_endpoints`] (RTPS 2.5, 9.3.2.12).
pub mod builtin {
    /// Writer that announces participants (SPDP).
    const PARTICIPANT_ANNOUNCER: u32 = 1;
    /// Reader of announced participants (SPDP).
    const PARTICIPANT_DETECTOR: u32 = 1 << 1;
    /// SEDP writer of publications.
    pub const PUBLICATIONS_ANNOUNCER: u32 = 1 << 2;
    /// SEDP reader of publications.
    pub const PUBLICATIONS_DETECTOR: u32 = 1 << 3;
    /// SEDP writer of subscriptions.
    pub const SUBSCRIPTIONS_ANNOUNCER: u32 = 1 << 4;
    /// SEDP reader of subscriptions.
    pub const SUBSCRIPTIONS_DETECTOR: u32 = 1 << 5;
    /// Writer of participant messages.
    pub const MESSAGE_WRITER: u32 = 1 << 10;
    /// Reader of participant messages.
    pub const MESSAGE_READER: u32 = 1 << 11;
    /// All of the above: the built-in endpoints of this implementation.
    pub const ALL: u32 = PARTICIPANT_ANNOUNCER
        | PARTICIPANT_DETECTOR
        | PUBLICATIONS_ANNOUNCER
        | PUBLICATIONS_DETECTOR
        | SUBSCRIPTIONS_ANNOUNCER
        | SUBSCRIPTIONS_DETECTOR
        | MESSAGE_WRITER
        | MESSAGE_READER;
}

/// Announcement of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticipantData {
    /// GUID prefix of the participant.
    pub prefix: GuidPrefix,
    /// Version of the protocol.
    pub version: ProtocolVersion,
    /// Vendor of the implementation.
    pub vendor: VendorId,
    /// Domain; `None`: the domain of the port on which the announcement arrived.
    pub domain_id: Option<u32>,
    /// Tag of the domain. Participants with different tags do not communicate.
    pub domain_tag: String,
    /// Unicast locators of the built-in endpoints.
    pub metatraffic_unicast: Vec<Locator>,
    /// Multicast locators of the built-in endpoints.
    pub metatraffic_multicast: Vec<Locator>,
    /// Unicast locators of endpoints that announce none.
    pub default_unicast: Vec<Locator>,
    /// Set of built-in endpoints, bits of [`builtin`].
    pub builtin_endpoints: u32,
    /// Flags of the built-in endpoints; bit 0: the message reader is best effort.
    pub builtin_endpoint_qos: u32,
    /// Time after the last announcement at which the participant is lost.
    pub lease: Duration,
    /// Name of the participant.
    pub name: String,
    /// Data of the application.
    pub user_data: Bytes,
}

impl ParticipantData {
    /// Returns the size of the parts whose size is variable [B].
    pub(crate) fn variable_bytes(&self) -> usize {
        let locators = [
            &self.metatraffic_unicast,
            &self.metatraffic_multicast,
            &self.default_unicast,
        ];
        let locators = locators.iter().map(|list| list.len()).sum::<usize>();
        locators * size_of::<Locator>()
            + self.domain_tag.len()
            + self.name.len()
            + self.user_data.len()
    }

    /// Returns the announcement of the participant `prefix` of this implementation, without
    /// locators.
    pub fn new(prefix: GuidPrefix) -> ParticipantData {
        ParticipantData {
            prefix,
            version: ProtocolVersion::CURRENT,
            vendor: VendorId::MERROW,
            domain_id: None,
            domain_tag: String::new(),
            metatraffic_unicast: Vec::new(),
            metatraffic_multicast: Vec::new(),
            default_unicast: Vec::new(),
            builtin_endpoints: builtin::ALL,
            builtin_endpoint_qos: 0,
            lease: Duration::from_seconds(100),
            name: String::new(),
            user_data: Bytes::new(),
        }
    }

    /// Decodes the payload of an SPDP sample, with its encapsulation header.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is invalid or the GUID is absent.
    pub fn decode(payload: &Bytes) -> Result<ParticipantData, ParseError> {
        let mut guid = None;
        let mut data = ParticipantData::new(GuidPrefix::UNKNOWN);
        data.builtin_endpoints = 0;
        data.vendor = VendorId::UNKNOWN;
        read_encapsulated(payload, |id, value| {
            match id {
                pid::PARTICIPANT_GUID => guid = Some(Guid::get(value)?),
                pid::PROTOCOL_VERSION => data.version.read(value)?,
                pid::VENDOR_ID => data.vendor.read(value)?,
                _ => return data.read_parameter(id, value),
            }
            Ok(true)
        })?;
        let guid = guid.ok_or(ParseError::Missing)?;
        if guid.entity != EntityId::PARTICIPANT || guid.prefix == GuidPrefix::UNKNOWN {
            return Err(ParseError::Invalid);
        }
        data.prefix = guid.prefix;
        Ok(data)
    }

    /// Returns the payload of the SPDP sample, with its encapsulation header.
    pub fn encode(&self) -> Bytes {
        list(|list| {
            put_version(list, self.version, self.vendor);
            Guid::new(self.prefix, EntityId::PARTICIPANT).write(list, pid::PARTICIPANT_GUID);
            self.write_parameters(list, |_| true);
        })
    }
}

parameters! {
    ParticipantData, ParticipantData::new(GuidPrefix::UNKNOWN);
    always DOMAIN_ID domain_id;
    set DOMAIN_TAG domain_tag;
    always METATRAFFIC_UNICAST_LOCATOR metatraffic_unicast;
    always METATRAFFIC_MULTICAST_LOCATOR metatraffic_multicast;
    always DEFAULT_UNICAST_LOCATOR default_unicast;
    always PARTICIPANT_LEASE lease;
    always BUILTIN_ENDPOINT_SET builtin_endpoints;
    set BUILTIN_ENDPOINT_QOS builtin_endpoint_qos;
    set ENTITY_NAME name;
    set USER_DATA user_data;
}

/// Announcement of a writer or a reader; the kind of [`EndpointData::guid`] states which.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointData {
    /// GUID of the endpoint.
    pub guid: Guid,
    /// Name of the DDS topic.
    pub topic_name: String,
    /// Name of the DDS type.
    pub type_name: String,
    /// QoS with the user data.
    pub qos: Qos,
    /// Unicast locators; if there are none, the locators of the participant apply.
    pub unicast: Vec<Locator>,
}

impl EndpointData {
    /// Returns the approximate size in memory [B].
    pub fn memory_bytes(&self) -> usize {
        let names = self.topic_name.len() + self.type_name.len();
        let partitions = self.qos.partition.iter();
        let partitions: usize = partitions
            .map(|name| size_of::<String>() + name.len())
            .sum();
        let locators = size_of::<Locator>() * self.unicast.len();
        size_of::<Self>() + names + partitions + self.qos.user_data.len() + locators
    }

    /// Returns the announcement of `guid` without locators.
    pub fn new(guid: Guid, topic_name: &str, type_name: &str, qos: Qos) -> EndpointData {
        EndpointData {
            guid,
            topic_name: topic_name.to_owned(),
            type_name: type_name.to_owned(),
            qos,
            unicast: Vec::new(),
        }
    }

    /// Decodes the payload of an SEDP sample, with its encapsulation header.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is invalid or the GUID, the topic or the type is absent.
    pub fn decode(payload: &Bytes) -> Result<EndpointData, ParseError> {
        let guid = find_guid(payload, &[pid::ENDPOINT_GUID])?;
        // the reliability that a peer does not announce depends on the kind of the endpoint
        let qos = match guid.entity.is_writer() {
            true => Qos::writer(),
            false => Qos::reader(),
        };
        let mut data = EndpointData::new(guid, "", "", qos);
        read_encapsulated(payload, |id, value| {
            let is_known = data.read_parameter(id, value)? || data.qos.read_parameter(id, value)?;
            Ok(is_known || id == pid::ENDPOINT_GUID)
        })?;
        let valid_kind = guid.entity.is_writer() || guid.entity.is_reader();
        if !valid_kind || guid.prefix == GuidPrefix::UNKNOWN {
            return Err(ParseError::Invalid);
        }
        if data.topic_name.is_empty() || data.type_name.is_empty() {
            return Err(ParseError::Missing);
        }
        Ok(data)
    }

    /// Returns the payload of the SEDP sample, with its encapsulation header.
    pub fn encode(&self) -> Bytes {
        list(|list| {
            let participant = Guid::new(self.guid.prefix, EntityId::PARTICIPANT);
            self.guid.write(list, pid::ENDPOINT_GUID);
            participant.write(list, pid::PARTICIPANT_GUID);
            put_version(list, ProtocolVersion::CURRENT, VendorId::MERROW);
            self.write_parameters(list, |_| true);
            // Fast DDS takes the identity of an announced endpoint from the key hash.
            self.guid.write(list, pid::KEY_HASH);
            self.qos.write(list, self.guid.entity.is_writer());
        })
    }
}

parameters! {
    EndpointData, EndpointData::new(Guid::UNKNOWN, "", "", Qos::reader());
    always TOPIC_NAME topic_name;
    always TYPE_NAME type_name;
    always UNICAST_LOCATOR unicast;
}

/// Decodes the key of a participant or an endpoint: the payload of a dispose message that has no
/// key hash.
///
/// # Errors
///
/// Returns an error if the payload is not a parameter list or has no GUID.
pub fn decode_key(payload: &Bytes) -> Result<Guid, ParseError> {
    find_guid(payload, &[pid::PARTICIPANT_GUID, pid::ENDPOINT_GUID])
}

/// Returns the GUID of one of these parameters; the GUID of an endpoint has priority, because its
/// list can name its participant too.
fn find_guid(payload: &Bytes, ids: &[u16]) -> Result<Guid, ParseError> {
    let mut guid = None;
    read_encapsulated(payload, |id, value| {
        if ids.contains(&id) {
            let found = Guid::get(value)?;
            if id == pid::ENDPOINT_GUID || guid.is_none() {
                guid = Some(found);
            }
        }
        Ok(true)
    })?;
    guid.ok_or(ParseError::Missing)
}

/// Returns the key payload of a dispose message for the participant or endpoint `guid`.
pub fn encode_key(guid: Guid) -> Bytes {
    let id = match guid.entity {
        EntityId::PARTICIPANT => pid::PARTICIPANT_GUID,
        _ => pid::ENDPOINT_GUID,
    };
    list(|list| guid.write(list, id))
}

/// Returns the parameter list that `fill` writes, as PL_CDR_LE with its encapsulation header.
fn list(fill: impl FnOnce(&mut ListWriter<'_>)) -> Bytes {
    let mut out = BytesMut::with_capacity(512);
    let mut list = ListWriter::encapsulated(&mut out);
    fill(&mut list);
    list.finish();
    out.freeze()
}

fn put_version(list: &mut ListWriter<'_>, version: ProtocolVersion, vendor: VendorId) {
    version.write(list, pid::PROTOCOL_VERSION);
    vendor.write(list, pid::VENDOR_ID);
}
