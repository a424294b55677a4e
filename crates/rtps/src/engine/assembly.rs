//! Assembly of one sample from fragments (RTPS 2.5, 8.4.14.1).

use bytes::{Bytes, BytesMut};

use super::config::Nanos;
use super::memory::ENTRY_BYTES;
use crate::wire::{DataFrag, FragmentNumber, FragmentNumberSet, SampleIdentity};

/// A sample whose fragments are still arriving.
#[derive(Debug)]
pub(super) struct Assembly {
    buffer: BytesMut,
    /// Whether each fragment arrived.
    present: Vec<bool>,
    missing: usize,
    /// Index of the first missing fragment.
    first: usize,
    /// Last fragment that a HEARTBEAT_FRAG announced; zero without one.
    announced: usize,
    fragment_size: u16,
    /// Time of the last new fragment.
    changed: Nanos,
    /// Request that the sample answers.
    pub(super) related: Option<SampleIdentity>,
}

impl Assembly {
    /// Starts the sample to which `frag` belongs. The caller checks its size against a limit.
    pub(super) fn new(frag: &DataFrag) -> Assembly {
        let total = frag.total_fragments() as usize;
        Assembly {
            buffer: BytesMut::zeroed(frag.sample_size as usize),
            present: vec![false; total],
            missing: total,
            first: 0,
            announced: 0,
            fragment_size: frag.fragment_size,
            changed: Nanos(0),
            related: frag.inline_qos.related,
        }
    }

    /// Returns the size in memory of the sample to which `frag` belongs [B].
    pub(super) fn bytes_for(frag: &DataFrag) -> usize {
        ENTRY_BYTES + frag.sample_size as usize + frag.total_fragments() as usize
    }

    /// Returns the size in memory [B].
    pub(super) fn bytes(&self) -> usize {
        ENTRY_BYTES + self.buffer.len() + self.present.len()
    }

    /// Returns the time of the last new fragment.
    pub(super) fn changed(&self) -> Nanos {
        self.changed
    }

    /// Records that the writer has the fragments up to `last`. Returns true if one is missing.
    pub(super) fn announce(&mut self, last: FragmentNumber) -> bool {
        let last = self.present.len().min(last.0 as usize);
        self.announced = self.announced.max(last);
        self.first < last
    }

    /// Returns true if `frag` divides the sample in the same way.
    pub(super) fn accepts(&self, frag: &DataFrag) -> bool {
        self.buffer.len() == frag.sample_size as usize && self.fragment_size == frag.fragment_size
    }

    /// Stores the fragments of `frag`. Returns true if the sample is complete.
    pub(super) fn insert(&mut self, now: Nanos, frag: &DataFrag) -> bool {
        self.related = self.related.or(frag.inline_qos.related);
        let size = usize::from(self.fragment_size);
        let first = frag.first_fragment.0.saturating_sub(1) as usize;
        for (offset, bytes) in frag.payload.chunks(size).enumerate() {
            let index = first.saturating_add(offset);
            let Some(present) = self.present.get_mut(index) else {
                break;
            };
            let start = index * size;
            let end = (start + size).min(self.buffer.len());
            if *present || bytes.len() != end - start {
                continue;
            }
            if let Some(target) = self.buffer.get_mut(start..end) {
                target.copy_from_slice(bytes);
                *present = true;
                self.missing -= 1;
                self.changed = now;
            }
        }
        while self.present.get(self.first) == Some(&true) {
            self.first += 1;
        }
        self.missing == 0
    }

    /// Returns the bytes of the complete sample.
    pub(super) fn finish(self) -> Bytes {
        self.buffer.freeze()
    }

    /// Returns the missing fragments among the 256 fragments from the first missing fragment.
    /// Unless `whole`, only fragments that a HEARTBEAT_FRAG announced, if any.
    pub(super) fn missing(&self, whole: bool) -> FragmentNumberSet {
        let number = |index: usize| FragmentNumber(u32::try_from(index + 1).unwrap_or(u32::MAX));
        let end = match (whole, self.announced) {
            (true, _) | (_, 0) => self.present.len(),
            (false, announced) => announced,
        };
        let mut set = FragmentNumberSet::new(number(self.first));
        let present = self.present.iter().take(end).enumerate();
        let rest = present.skip(self.first).take(256);
        for (index, _) in rest.filter(|(_, present)| !**present) {
            set.insert(number(index));
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{EntityId, InlineQos, SequenceNumber};

    fn frag(number: u32, size: u16, sample: &[u8]) -> DataFrag {
        let start = (number as usize - 1) * usize::from(size);
        let end = (start + usize::from(size)).min(sample.len());
        DataFrag {
            reader: EntityId::UNKNOWN,
            writer: EntityId::UNKNOWN,
            sequence_number: SequenceNumber(1),
            first_fragment: FragmentNumber(number),
            fragment_count: 1,
            fragment_size: size,
            sample_size: u32::try_from(sample.len()).expect("small"),
            inline_qos: InlineQos::default(),
            key: false,
            payload: Bytes::copy_from_slice(&sample[start..end]),
        }
    }

    #[test]
    fn fragments_in_any_order_and_repeated() {
        let sample: Vec<u8> = (0..=254).collect();
        let mut assembly = Assembly::new(&frag(1, 100, &sample));
        assert!(!assembly.insert(Nanos(0), &frag(3, 100, &sample)));
        assert!(!assembly.insert(Nanos(0), &frag(1, 100, &sample)));
        assert!(!assembly.insert(Nanos(0), &frag(1, 100, &sample)));
        let missing: Vec<_> = assembly.missing(true).iter().collect();
        assert_eq!(missing, [FragmentNumber(2)]);
        assert!(assembly.insert(Nanos(0), &frag(2, 100, &sample)));
        assert!(assembly.missing(true).is_empty());
        assert_eq!(assembly.finish(), sample);
    }

    #[test]
    fn other_fragment_sizes_are_refused() {
        let sample = [7; 250];
        let assembly = Assembly::new(&frag(1, 100, &sample));
        assert!(assembly.accepts(&frag(2, 100, &sample)));
        assert!(!assembly.accepts(&frag(2, 50, &sample)));
        assert!(!assembly.accepts(&frag(2, 100, &sample[..240])));
    }

    #[test]
    fn fragments_outside_the_sample_are_ignored() {
        let sample = [7; 250];
        let mut outside = frag(3, 100, &sample);
        outside.first_fragment = FragmentNumber(u32::MAX);
        let mut assembly = Assembly::new(&outside);
        assert!(!assembly.insert(Nanos(0), &outside));
        assert_eq!(assembly.missing(true).iter().count(), 3);
    }
}
