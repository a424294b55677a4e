//! Samples of a writer and the submessages that carry them (RTPS 2.5, 8.3.8.2 to 8.3.8.4).

use super::config::Nanos;
use crate::wire::*;

/// Sample in the history of a writer.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) number: SequenceNumber,
    pub(super) source: Time,
    pub(super) written: Nanos,
    pub(super) inline_qos: InlineQos,
    pub(super) payload: Payload,
}

impl Change {
    /// Returns true if the change disposes of its instance.
    pub(super) fn is_disposal(&self) -> bool {
        self.inline_qos.status.is_some_and(|status| status.disposed)
    }

    /// Returns the size of the payload [B].
    pub(super) fn len(&self) -> usize {
        match &self.payload {
            Payload::None => 0,
            Payload::Data(bytes) | Payload::Key(bytes) => bytes.len(),
        }
    }
}

/// Sample, fragment or gap to send.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) at: (SequenceNumber, u32),
    source: Option<Time>,
    inline_qos: InlineQos,
    payload: Payload,
    total: u32,
    fragment_size: usize,
    sample_size: usize,
    pub(super) repair: bool,
    /// End of a gap: the first number after it.
    end: SequenceNumber,
}

impl Outgoing {
    pub(super) fn new(
        change: &Change,
        at: (SequenceNumber, u32),
        total: u32,
        size: usize,
        repair: bool,
    ) -> Outgoing {
        let cut = |bytes: &bytes::Bytes| {
            let start = (at.1.saturating_sub(1) as usize * size).min(bytes.len());
            bytes.slice(start..(start + size).min(bytes.len()))
        };
        let payload = match &change.payload {
            Payload::Data(bytes) if total > 1 => Payload::Data(cut(bytes)),
            whole => whole.clone(),
        };
        Outgoing {
            at,
            source: Some(change.source),
            inline_qos: change.inline_qos,
            payload,
            total,
            fragment_size: size,
            sample_size: change.len(),
            repair,
            end: at.0.next(),
        }
    }

    /// Returns the gap from `at` up to and excluding `end`.
    pub(super) fn gap(at: (SequenceNumber, u32), end: SequenceNumber) -> Outgoing {
        Outgoing {
            at,
            source: None,
            inline_qos: InlineQos::default(),
            payload: Payload::None,
            total: 1,
            fragment_size: 0,
            sample_size: 0,
            repair: true,
            end,
        }
    }

    /// Returns true if this is a gap.
    pub(super) fn is_gap(&self) -> bool {
        self.source.is_none()
    }

    /// Returns an upper bound of the size [B].
    pub(super) fn size(&self) -> usize {
        let payload = match &self.payload {
            Payload::None => 0,
            Payload::Data(bytes) | Payload::Key(bytes) => bytes.len() + 3,
        };
        DATA_FRAG_OVERHEAD + self.inline_qos.encoded_len() + payload
    }

    pub(super) fn after(&self) -> (SequenceNumber, u32) {
        if self.at.1 < self.total {
            (self.at.0, self.at.1 + 1)
        } else {
            (self.end, 1)
        }
    }

    pub(super) fn append(self, builder: &mut MessageBuilder, reader: EntityId, writer: EntityId) {
        let number = self.at.0;
        let Some(source) = self.source else {
            let list = SequenceNumberSet::new(self.end);
            let gap = Gap {
                reader,
                writer,
                start: number,
                list,
            };
            builder.fixed(&gap);
            return;
        };
        // Cyclone DDS before 11 drops datagrams with an INFO_TS of the invalid time
        builder.info_timestamp((source != Time::INVALID).then_some(source));
        match self.payload {
            Payload::Data(payload) if self.total > 1 => builder.data_frag(&DataFrag {
                reader,
                writer,
                sequence_number: number,
                first_fragment: FragmentNumber(self.at.1),
                fragment_count: 1,
                fragment_size: u16::try_from(self.fragment_size).unwrap_or(u16::MAX),
                sample_size: u32::try_from(self.sample_size).unwrap_or(u32::MAX),
                inline_qos: self.inline_qos,
                key: false,
                payload,
            }),
            payload => builder.data(&Data {
                reader,
                writer,
                sequence_number: number,
                inline_qos: self.inline_qos,
                payload,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cyclone DDS before version 11 drops datagrams whose INFO_TS has the invalid time.
    #[test]
    fn samples_without_a_time_have_no_timestamp() {
        let change = |source| Change {
            number: SequenceNumber(1),
            source,
            written: Nanos(0),
            inline_qos: InlineQos::default(),
            payload: Payload::Data(bytes::Bytes::from_static(&[0, 1, 0, 0])),
        };
        let size = |source| {
            let mut builder = MessageBuilder::new(GuidPrefix([1; 12]));
            let sample = Outgoing::new(&change(source), (SequenceNumber(1), 1), 1, 1000, false);
            sample.append(
                &mut builder,
                EntityId::UNKNOWN,
                EntityId::PUBLICATIONS_WRITER,
            );
            builder.len()
        };
        assert_eq!(size(Time::from_nanos(1)), size(Time::INVALID) + 12);
    }
}
