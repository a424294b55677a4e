//! Hostile CDR: no bytes of either byte order make the decoder of a message type panic or allocate
//! more than a small multiple of the received size.
//!
//! Method: samples of every type, in both byte orders, with lengths and bytes changed at random,
//! and an allocator that measures the peak of each decoding. The seed is printed on failure. The
//! tests of the crate messages include this file for the types of that crate.

use super::samples::samples;
use merrow_ros2::dynamic::definition::{Count, Definition, Element, Field, MessageType, Primitive};
use merrow_ros2::message::{RoundTrip, TypeInfo};
use merrow_testing::allocator::{self, Counting};
use merrow_testing::random::Random;

/// Maximum memory that a decoding may need per received byte, and independent of the size [B]. An
/// element of a sequence occupies at least 4 bytes on the wire and, as a string, 24 bytes in
/// memory.
const MAX_MEMORY: (isize, isize) = (10, 2048);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Converts the body of a little-endian message to big-endian.
struct Swapper<'a> {
    definition: &'a Definition,
    body: &'a mut [u8],
    at: usize,
    /// Offsets of the lengths of strings and sequences in the body.
    lengths: Vec<usize>,
}

impl Swapper<'_> {
    fn number(&mut self, size: usize) -> usize {
        self.at = self.at.next_multiple_of(size);
        let bytes = &mut self.body[self.at..self.at + size];
        let value = bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte));
        bytes.reverse();
        self.at += size;
        value as usize
    }

    fn length(&mut self) -> usize {
        let length = self.number(4);
        self.lengths.push(self.at - 4);
        length
    }

    fn message(&mut self, message: &MessageType) {
        message.fields.iter().for_each(|field| self.field(field));
    }

    fn field(&mut self, field: &Field) {
        let count = match field.count {
            Count::One => 1,
            Count::Array(count) => count,
            Count::AtMost(_) | Count::Any => self.length(),
        };
        for _ in 0..count {
            match field.element {
                Element::Message(index) => self.message(self.definition.message(index)),
                Element::Primitive(primitive) => self.primitive(primitive),
            }
        }
    }

    fn primitive(&mut self, primitive: Primitive) {
        use Primitive::*;
        match primitive {
            Bool | Byte | Char | Int8 | Uint8 => self.at += 1,
            Int16 | Uint16 => drop(self.number(2)),
            Int32 | Uint32 | Float32 => drop(self.number(4)),
            Int64 | Uint64 | Float64 => drop(self.number(8)),
            String | BoundedString(_) => self.at += self.length(),
        }
    }
}

/// Sample of a message type in one byte order.
struct Seed {
    name: &'static str,
    decode: RoundTrip,
    bytes: Vec<u8>,
    /// Offsets of the lengths of strings and sequences.
    lengths: Vec<usize>,
    big: bool,
}

/// Message types and their decoders.
type Catalogue = Vec<(&'static TypeInfo, RoundTrip)>;

/// Returns the samples of the types in both byte orders.
fn seeds(catalogue: Catalogue) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for sample in samples(catalogue) {
        let (name, decode) = (sample.info.name, sample.decode);
        let little = sample.cdr.expect("valid sample");
        let mut big = little.clone();
        big[1] = 0;
        let definition = &sample.info.structure;
        let mut swapper = Swapper {
            definition,
            body: &mut big[4..],
            at: 0,
            lengths: Vec::new(),
        };
        swapper.message(definition.root());
        assert_eq!(swapper.at, swapper.body.len(), "{name}");
        let lengths: Vec<_> = swapper.lengths.iter().map(|at| at + 4).collect();
        for (bytes, big) in [(little, false), (big, true)] {
            seeds.push(Seed {
                name,
                decode,
                bytes,
                lengths: lengths.clone(),
                big,
            });
        }
    }
    seeds
}

/// Decodes `bytes` as the type of `seed` and checks the peak of the memory. Accepted data is
/// encoded in the same way after a further round trip.
fn check(seed: &Seed, bytes: &[u8]) -> bool {
    let name = seed.name;
    let (peak, result) = allocator::peak(|| (seed.decode)(bytes));
    let (per_byte, fixed) = MAX_MEMORY;
    let size = bytes.len().cast_signed();
    assert!(
        peak <= per_byte * size + fixed,
        "{name}: {peak} B for {size} B"
    );
    let Ok(encoded) = result else {
        return false;
    };
    assert_eq!((seed.decode)(&encoded).as_ref(), Ok(&encoded), "{name}");
    true
}

/// Changes a length, a byte or the size of the message.
fn change(seed: &Seed, bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(10) {
        0 => bytes.truncate(at),
        1 => bytes.extend_from_within(at..),
        2 => bytes.extend((0..random.below(64)).map(|_| 0)),
        3..=6 if !seed.lengths.is_empty() => {
            let at = seed.lengths[random.below(seed.lengths.len())];
            let left = bytes.len().saturating_sub(at);
            let small = random.below(20) as u32;
            let left = (left / [1, 2, 4, 8, 16, 24][random.below(6)]) as u32;
            let values = [
                0,
                1,
                small,
                left,
                1 << 20,
                1 << 30,
                i32::MAX as u32,
                u32::MAX,
            ];
            let value = values[random.below(values.len())];
            let value = if seed.big {
                value.to_be_bytes()
            } else {
                value.to_le_bytes()
            };
            if let Some(target) = bytes.get_mut(at..at + 4) {
                target.copy_from_slice(&value);
            }
        }
        _ if at < bytes.len() => bytes[at] = random.next() as u8,
        _ => {}
    }
    bytes.truncate(4096);
}

/// Decodes `count` changed samples.
pub(crate) fn fuzz(catalogue: Catalogue, seed: u64, count: usize) {
    let seeds = seeds(catalogue);
    let mut random = Random(seed);
    let mut accepted = 0;
    for round in 0..count {
        let state = random.0;
        let sample = &seeds[random.below(seeds.len())];
        let mut bytes = sample.bytes.clone();
        for _ in 0..=random.below(4) {
            change(sample, &mut bytes, &mut random);
        }
        let result = std::panic::catch_unwind(|| check(sample, &bytes));
        let result = result.unwrap_or_else(|_| panic!("round {round}, state {state:#x}"));
        accepted += usize::from(result);
    }
    assert!(accepted > count / 10, "{accepted} of {count} accepted");
}

/// Checks that both byte orders of a sample are the same message.
pub(crate) fn check_byte_orders(catalogue: Catalogue) {
    for pair in seeds(catalogue).chunks(2) {
        let [little, big] = pair else {
            panic!("pairs");
        };
        assert_eq!((little.decode)(&little.bytes).as_ref(), Ok(&little.bytes));
        assert_eq!(
            (big.decode)(&big.bytes).as_ref(),
            Ok(&little.bytes),
            "{}",
            big.name
        );
    }
}

/// Decodes the largest lengths that the bytes permit, for each sequence and string of each type.
pub(crate) fn check_lengths(catalogue: Catalogue) {
    for seed in seeds(catalogue) {
        for at in &seed.lengths {
            let mut bytes = seed.bytes.clone();
            bytes.resize(bytes.len() + 60_000, 0);
            for divisor in [1, 2, 4, 5, 6, 8, 12, 16, 24, 36, 64] {
                let length = u32::try_from((bytes.len() - at) / divisor).expect("small");
                let length = match seed.big {
                    true => length.to_be_bytes(),
                    false => length.to_le_bytes(),
                };
                bytes[*at..at + 4].copy_from_slice(&length);
                check(&seed, &bytes);
            }
        }
    }
}
