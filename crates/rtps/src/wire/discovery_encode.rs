//! Encoding of the data of SPDP and SEDP as PL_CDR_LE (RTPS 2.5, 9.6.3).

use bytes::{BufMut, Bytes, BytesMut};

use super::discovery::{EndpointData, ParticipantData};
use super::output::{put_duration, put_guid, put_locator, put_octets, put_string};
use super::parameters::{ListWriter, pid};
use super::qos_parameters::write_qos;
use super::types::{EntityId, Guid, Locator, ProtocolVersion, VendorId};

impl ParticipantData {
    /// Returns the payload of the SPDP sample, with its encapsulation header.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(512);
        let mut list = ListWriter::encapsulated(&mut out);
        put_version(&mut list, self.version, self.vendor);
        let guid = Guid::new(self.prefix, EntityId::PARTICIPANT);
        list.add(pid::PARTICIPANT_GUID, |out| put_guid(out, guid));
        if let Some(domain) = self.domain_id {
            list.add(pid::DOMAIN_ID, |out| out.put_u32_le(domain));
        }
        if !self.domain_tag.is_empty() {
            list.add(pid::DOMAIN_TAG, |out| put_string(out, &self.domain_tag));
        }
        for (id, locators) in [
            (pid::METATRAFFIC_UNICAST_LOCATOR, &self.metatraffic_unicast),
            (
                pid::METATRAFFIC_MULTICAST_LOCATOR,
                &self.metatraffic_multicast,
            ),
            (pid::DEFAULT_UNICAST_LOCATOR, &self.default_unicast),
        ] {
            put_locator_parameters(&mut list, id, locators);
        }
        list.add(pid::PARTICIPANT_LEASE, |out| put_duration(out, self.lease));
        list.add(pid::BUILTIN_ENDPOINT_SET, |out| {
            out.put_u32_le(self.builtin_endpoints)
        });
        if self.builtin_endpoint_qos != 0 {
            list.add(pid::BUILTIN_ENDPOINT_QOS, |out| {
                out.put_u32_le(self.builtin_endpoint_qos);
            });
        }
        if !self.name.is_empty() {
            list.add(pid::ENTITY_NAME, |out| put_string(out, &self.name));
        }
        if !self.user_data.is_empty() {
            list.add(pid::USER_DATA, |out| put_octets(out, &self.user_data));
        }
        list.finish();
        out.freeze()
    }
}

impl EndpointData {
    /// Returns the payload of the SEDP sample, with its encapsulation header.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(512);
        let mut list = ListWriter::encapsulated(&mut out);
        list.add(pid::ENDPOINT_GUID, |out| put_guid(out, self.guid));
        let participant = Guid::new(self.guid.prefix, EntityId::PARTICIPANT);
        list.add(pid::PARTICIPANT_GUID, |out| put_guid(out, participant));
        put_version(&mut list, ProtocolVersion::CURRENT, VendorId::MERROW);
        list.add(pid::TOPIC_NAME, |out| put_string(out, &self.topic_name));
        list.add(pid::TYPE_NAME, |out| put_string(out, &self.type_name));
        put_locator_parameters(&mut list, pid::UNICAST_LOCATOR, &self.unicast);
        // Fast DDS takes the identity of an announced endpoint from the key hash.
        list.add(pid::KEY_HASH, |out| put_guid(out, self.guid));
        write_qos(&mut list, &self.qos, self.guid.entity.is_writer());
        list.finish();
        out.freeze()
    }
}

/// Returns the key payload of a dispose message for the participant or endpoint `guid`.
pub fn encode_key(guid: Guid) -> Bytes {
    let mut out = BytesMut::with_capacity(28);
    let mut list = ListWriter::encapsulated(&mut out);
    let id = if guid.entity == EntityId::PARTICIPANT {
        pid::PARTICIPANT_GUID
    } else {
        pid::ENDPOINT_GUID
    };
    list.add(id, |out| put_guid(out, guid));
    list.finish();
    out.freeze()
}

fn put_version(list: &mut ListWriter<'_>, version: ProtocolVersion, vendor: VendorId) {
    list.add(pid::PROTOCOL_VERSION, |out| {
        out.put_slice(&[version.major, version.minor]);
    });
    list.add(pid::VENDOR_ID, |out| out.put_slice(&vendor.0));
}

fn put_locator_parameters(list: &mut ListWriter<'_>, id: u16, locators: &[Locator]) {
    for locator in locators {
        list.add(id, |out| put_locator(out, locator));
    }
}
