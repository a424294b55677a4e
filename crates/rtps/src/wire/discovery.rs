//! Data of the discovery protocols SPDP and SEDP (RTPS 2.5, 8.5.3, 8.5.4, 9.6.3).
//!
//! Absent parameters have the defaults of RTPS 2.5, 9.6.3. Unknown parameters are skipped.

use bytes::Bytes;

use super::error::ParseError;
use super::input::Input;
use super::parameters::{pid, read_encapsulated};
use super::qos_parameters::QosDecoder;
use super::types::{Duration, EntityId, Guid, GuidPrefix, Locator, ProtocolVersion, VendorId};
use crate::qos::Qos;

pub use super::discovery_encode::encode_key;

/// Upper bound of the locators of one kind; further locators are ignored.
const MAX_LOCATORS: usize = 32;

/// Upper bound of user data [B].
pub(super) const MAX_USER_DATA: usize = 16_384;

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
            if id == pid::PARTICIPANT_GUID {
                guid = Some(value.guid()?);
                return Ok(true);
            }
            data.read(id, value)
        })?;
        let guid = guid.ok_or(ParseError::Missing)?;
        if guid.entity != EntityId::PARTICIPANT || guid.prefix == GuidPrefix::UNKNOWN {
            return Err(ParseError::Invalid);
        }
        data.prefix = guid.prefix;
        Ok(data)
    }

    fn read(&mut self, id: u16, value: &mut Input) -> Result<bool, ParseError> {
        match id {
            pid::PROTOCOL_VERSION => {
                let [major, minor] = value.array()?;
                self.version = ProtocolVersion { major, minor };
            }
            pid::VENDOR_ID => self.vendor = VendorId(value.array()?),
            pid::DOMAIN_ID => self.domain_id = Some(value.u32()?),
            pid::DOMAIN_TAG => self.domain_tag = value.string()?,
            pid::METATRAFFIC_UNICAST_LOCATOR => push(&mut self.metatraffic_unicast, value)?,
            pid::METATRAFFIC_MULTICAST_LOCATOR => push(&mut self.metatraffic_multicast, value)?,
            pid::DEFAULT_UNICAST_LOCATOR => push(&mut self.default_unicast, value)?,
            pid::BUILTIN_ENDPOINT_SET => self.builtin_endpoints = value.u32()?,
            pid::BUILTIN_ENDPOINT_QOS => self.builtin_endpoint_qos = value.u32()?,
            pid::PARTICIPANT_LEASE => self.lease = value.duration()?,
            pid::ENTITY_NAME => self.name = value.string()?,
            pid::USER_DATA => self.user_data = value.octets(MAX_USER_DATA)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
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
        let mut guid = None;
        let mut data = EndpointData::new(Guid::UNKNOWN, "", "", Qos::reader());
        let mut qos = QosDecoder::default();
        read_encapsulated(payload, |id, value| {
            if id == pid::ENDPOINT_GUID {
                guid = Some(value.guid()?);
                return Ok(true);
            }
            Ok(data.read(id, value)? || qos.read(id, value)?)
        })?;
        data.guid = guid.ok_or(ParseError::Missing)?;
        data.qos = qos.finish(data.guid.entity.is_writer());
        let valid_kind = data.guid.entity.is_writer() || data.guid.entity.is_reader();
        if !valid_kind || data.guid.prefix == GuidPrefix::UNKNOWN {
            return Err(ParseError::Invalid);
        }
        if data.topic_name.is_empty() || data.type_name.is_empty() {
            return Err(ParseError::Missing);
        }
        Ok(data)
    }

    fn read(&mut self, id: u16, value: &mut Input) -> Result<bool, ParseError> {
        match id {
            pid::TOPIC_NAME => self.topic_name = value.string()?,
            pid::TYPE_NAME => self.type_name = value.string()?,
            pid::UNICAST_LOCATOR => push(&mut self.unicast, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Decodes the key of a participant or an endpoint: the payload of a dispose message that has no
/// key hash.
///
/// # Errors
///
/// Returns an error if the payload is not a parameter list or has no GUID.
pub fn decode_key(payload: &Bytes) -> Result<Guid, ParseError> {
    let mut guid = None;
    read_encapsulated(payload, |id, value| {
        if id == pid::PARTICIPANT_GUID || id == pid::ENDPOINT_GUID {
            let endpoint = id == pid::ENDPOINT_GUID;
            let found = value.guid()?;
            // An endpoint's key can name its participant too.
            if endpoint || guid.is_none() {
                guid = Some(found);
            }
        }
        Ok(true)
    })?;
    guid.ok_or(ParseError::Missing)
}

fn push(locators: &mut Vec<Locator>, value: &mut Input) -> Result<(), ParseError> {
    let locator = value.locator()?;
    if locators.len() < MAX_LOCATORS {
        locators.push(locator);
    }
    Ok(())
}
