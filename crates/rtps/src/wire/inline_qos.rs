//! Inline QoS of DATA and DATA_FRAG (RTPS 2.5, 8.7, 9.6.4; DDS-RPC 1.0, 7.8.2).

use bytes::BytesMut;

use super::element::{Element, elements};
use super::error::ParseError;
use super::input::Input;
use super::parameters::{ListWriter, Parameter, pid, read_list};
use super::types::{Guid, SequenceNumber};

/// Identity of a sample: its writer and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SampleIdentity {
    /// GUID of the writer of the sample.
    pub writer: Guid,
    /// Sequence number of the sample.
    pub sequence_number: SequenceNumber,
}

elements! {
    SampleIdentity { writer sequence_number }
}

/// Change of the state of an instance (RTPS 2.5, 9.6.4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatusInfo {
    /// The instance is disposed.
    pub disposed: bool,
    /// The writer no longer updates the instance.
    pub unregistered: bool,
}

/// Parameters that accompany a sample. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineQos {
    /// Request that the sample answers. Written under the standard and the legacy identifier.
    pub related: Option<SampleIdentity>,
    /// State of the instance.
    pub status: Option<StatusInfo>,
    /// Key of the instance, or its MD5 if longer than 16 bytes.
    pub key_hash: Option<[u8; 16]>,
}

impl InlineQos {
    /// Returns true if there is no parameter.
    pub fn is_empty(&self) -> bool {
        *self == InlineQos::default()
    }

    /// Returns the size on the wire with the sentinel [B]; zero if empty.
    pub fn encoded_len(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let related = if self.related.is_some() { 2 * 28 } else { 0 };
        let status = if self.status.is_some() { 8 } else { 0 };
        let key_hash = if self.key_hash.is_some() { 20 } else { 0 };
        related + status + key_hash + 4
    }

    pub(super) fn encode(&self, out: &mut BytesMut) {
        let mut list = ListWriter::new(out);
        if let Some(related) = self.related {
            for id in [
                pid::RELATED_SAMPLE_IDENTITY,
                pid::LEGACY_RELATED_SAMPLE_IDENTITY,
            ] {
                related.write(&mut list, id);
            }
        }
        if let Some(hash) = self.key_hash {
            hash.write(&mut list, pid::KEY_HASH);
        }
        if let Some(status) = self.status {
            let flags = u8::from(status.disposed) | u8::from(status.unregistered) << 1;
            // An array of octets: the same in both byte orders.
            [0, 0, 0, flags].write(&mut list, pid::STATUS_INFO);
        }
        list.finish();
    }

    /// Reads inline QoS up to its sentinel.
    pub(super) fn decode(input: &mut Input) -> Result<InlineQos, ParseError> {
        let mut qos = InlineQos::default();
        read_list(input, |id, value| {
            match id {
                pid::RELATED_SAMPLE_IDENTITY => qos.related.read(value)?,
                // Another vendor can use the legacy number with another meaning and size.
                pid::LEGACY_RELATED_SAMPLE_IDENTITY if value.left() == 24 => {
                    let legacy = SampleIdentity::get(value)?;
                    qos.related.get_or_insert(legacy);
                }
                pid::KEY_HASH => qos.key_hash.read(value)?,
                pid::STATUS_INFO => {
                    let [.., flags] = value.array::<4>()?;
                    qos.status = Some(StatusInfo {
                        disposed: flags & 1 != 0,
                        unregistered: flags & 2 != 0,
                    });
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(qos)
    }
}
