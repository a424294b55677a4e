//! Sets of sequence numbers as ranges, so that a GAP of any length takes constant time and memory
//! (RTPS 2.5, 8.3.8.4).

use std::collections::BTreeMap;

use crate::wire::SequenceNumber;

/// Disjoint ranges of sequence numbers, neither empty nor adjacent.
#[derive(Debug, Default)]
pub(super) struct Ranges(BTreeMap<SequenceNumber, SequenceNumber>);

impl Ranges {
    /// Returns the number of ranges.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the numbers from `start` up to and excluding `end`.
    pub(super) fn insert(&mut self, mut start: SequenceNumber, mut end: SequenceNumber) {
        if start >= end {
            return;
        }
        let before = self.0.range(..=start).next_back();
        if let Some((first, last)) = before.filter(|(_, last)| **last >= start) {
            (start, end) = (*first, end.max(*last));
        }
        while let Some((first, last)) = self.0.range(start..=end).next() {
            let (first, last) = (*first, *last);
            end = end.max(last);
            self.0.remove(&first);
        }
        self.0.insert(start, end);
    }

    /// Returns the end of the range that contains `number`, if one does.
    pub(super) fn end_after(&self, number: SequenceNumber) -> Option<SequenceNumber> {
        let (_, end) = self.0.range(..=number).next_back()?;
        (*end > number).then_some(*end)
    }

    /// Returns true if `number` is in the set.
    pub(super) fn contains(&self, number: SequenceNumber) -> bool {
        self.end_after(number).is_some()
    }

    /// Removes the numbers below `number`.
    pub(super) fn remove_before(&mut self, number: SequenceNumber) {
        while let Some(entry) = self.0.first_entry().filter(|entry| *entry.key() < number) {
            let end = entry.remove();
            self.insert(number, end);
        }
    }

    /// Removes all numbers of the set.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_numbers_as_a_set() {
        let mut state = 1_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005) + 1;
            i64::try_from((state >> 33) % bound).expect("small")
        };
        let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let start = below(60);
            let end = start + below(6);
            if below(4) == 0 {
                ranges.remove_before(SequenceNumber(start));
                set.retain(|number| *number >= start);
            } else {
                ranges.insert(SequenceNumber(start), SequenceNumber(end));
                set.extend(start..end);
            }
            let all = |number: &i64| ranges.contains(SequenceNumber(*number));
            assert_eq!((0..70).filter(all).collect::<BTreeSet<_>>(), set);
            let starts = set.iter().filter(|number| !set.contains(&(*number - 1)));
            assert_eq!(ranges.len(), starts.count());
        }
    }

    #[test]
    fn a_range_up_to_the_largest_number() {
        let mut ranges = Ranges::default();
        ranges.insert(SequenceNumber(2), SequenceNumber::MAX);
        let end = ranges.end_after(SequenceNumber(1 << 40));
        assert_eq!(end, Some(SequenceNumber::MAX));
        ranges.remove_before(SequenceNumber::MAX);
        assert_eq!(ranges.len(), 0);
    }
}
