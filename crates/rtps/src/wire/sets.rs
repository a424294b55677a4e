//! Sets of sequence and fragment numbers (RTPS 2.5, 8.3.5.5, 8.3.5.7, 9.4.2.6, 9.4.2.8).

use super::types::{FragmentNumber, SequenceNumber};

/// Bits from the most significant bit of word 0 onwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bitmap {
    /// Number of valid bits, at most 256.
    pub(super) bits: u32,
    /// Bits; those past `bits` are zero.
    pub(super) words: [u32; 8],
}

impl Bitmap {
    /// Maximum number of bits.
    pub(super) const MAX_BITS: u32 = 256;

    fn set(&mut self, bit: u32) -> bool {
        if bit >= Bitmap::MAX_BITS {
            return false;
        }
        self.words[(bit / 32) as usize] |= 1 << (31 - bit % 32);
        self.bits = self.bits.max(bit + 1);
        true
    }

    fn get(&self, bit: u32) -> bool {
        bit < self.bits && self.words[(bit / 32) as usize] & (1 << (31 - bit % 32)) != 0
    }

    /// Clears the bits past `bits`.
    pub(super) fn trim(&mut self) {
        for bit in self.bits..Bitmap::MAX_BITS {
            self.words[(bit / 32) as usize] &= !(1 << (31 - bit % 32));
        }
    }

    fn iter(self) -> impl Iterator<Item = u32> {
        (0..self.bits).filter(move |bit| self.get(*bit))
    }
}

/// Set of sequence numbers within 256 of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceNumberSet {
    pub(super) base: SequenceNumber,
    pub(super) bitmap: Bitmap,
}

impl SequenceNumberSet {
    /// Returns the empty set with base `base`.
    pub fn new(base: SequenceNumber) -> SequenceNumberSet {
        SequenceNumberSet {
            base,
            bitmap: Bitmap::default(),
        }
    }

    /// Returns the base. An ACKNACK acknowledges every number below it.
    pub fn base(&self) -> SequenceNumber {
        self.base
    }

    /// Adds `number`. Returns true if it is within the range of the set.
    pub fn insert(&mut self, number: SequenceNumber) -> bool {
        let offset = number.0.checked_sub(self.base.0);
        let bit = offset.and_then(|offset| u32::try_from(offset).ok());
        bit.is_some_and(|bit| self.bitmap.set(bit))
    }

    /// Returns true if the set has no member.
    pub fn is_empty(&self) -> bool {
        self.bitmap.words == [0; 8]
    }

    /// Returns the members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = SequenceNumber> + use<> {
        let base = self.base;
        let members = self.bitmap.iter();
        members.map(move |bit| base.plus(i64::from(bit)))
    }
}

/// Set of fragment numbers within 256 of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentNumberSet {
    pub(super) base: FragmentNumber,
    pub(super) bitmap: Bitmap,
}

impl FragmentNumberSet {
    /// Returns the empty set with base `base`.
    pub fn new(base: FragmentNumber) -> FragmentNumberSet {
        FragmentNumberSet {
            base,
            bitmap: Bitmap::default(),
        }
    }

    /// Returns true if all numbers that the set can contain are valid.
    pub(super) fn is_valid(&self) -> bool {
        self.base.0 > 0 && self.base.0.checked_add(self.bitmap.bits).is_some()
    }

    /// Returns the smallest number that the set can contain.
    pub fn base(&self) -> FragmentNumber {
        self.base
    }

    /// Adds `number`. Returns true if it is within the range of the set.
    pub fn insert(&mut self, number: FragmentNumber) -> bool {
        let bit = number.0.checked_sub(self.base.0);
        bit.is_some_and(|bit| self.bitmap.set(bit))
    }

    /// Returns true if the set has no member.
    pub fn is_empty(&self) -> bool {
        self.bitmap.words == [0; 8]
    }

    /// Returns the members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = FragmentNumber> + use<> {
        let base = self.base.0;
        let members = self.bitmap.iter();
        members.map(move |bit| FragmentNumber(base.saturating_add(bit)))
    }
}
