//! Packets of the docking study: 512 bits from the dock, or fewer in the variants of the study. The
//! packets of 64 bits from a vehicle are control frames of its modem.
//!
//! The thesis lists fields of 16, 112, 112 and 64 bits, which sum to 304 bits, for a packet of 512
//! bits. Three coordinates do not divide 112 bits equally: each field of 112 bits holds three
//! 32-bit numbers and 16 unused bits, and the packet ends with 208 unused bits.

use merrow_math::Vec3;

/// Length of the fields of a packet [byte]: 304 bit.
pub(crate) const FIELD_BYTES: usize = 38;

/// Packet of the dock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Downlink {
    /// Address of the vehicle.
    pub receiver: u16,
    /// Measured position of the vehicle in W [m].
    pub position: Vec3,
    /// Reference position in W [m]: the way-point or the dock.
    pub reference: Vec3,
    /// Time of the measurement [ns].
    pub stamp_ns: u64,
}

impl Downlink {
    /// Returns the packet as `length` bytes, at least [`FIELD_BYTES`].
    pub fn encode(&self, length: usize) -> Vec<u8> {
        let mut bytes = self.receiver.to_le_bytes().to_vec();
        for p in [self.position, self.reference] {
            for x in p.to_array() {
                bytes.extend((x as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes.extend(self.stamp_ns.to_le_bytes());
        bytes.resize(length.max(FIELD_BYTES), 0);
        bytes
    }

    /// Reads a packet of `length` bytes; `None`: the bytes are not a packet of the dock, which its
    /// size shows.
    pub fn decode(bytes: &[u8], length: usize) -> Option<Self> {
        if bytes.len() != length {
            return None;
        }
        let vector = |at: usize| -> Option<Vec3> {
            let x = |k: usize| Some(f64::from(f32::from_le_bytes(array(bytes, at + 4 * k)?)));
            Some(Vec3::new(x(0)?, x(1)?, x(2)?))
        };
        Some(Self {
            receiver: u16::from_le_bytes(array(bytes, 0)?),
            position: vector(2)?,
            reference: vector(16)?,
            stamp_ns: u64::from_le_bytes(array(bytes, 30)?),
        })
    }
}

/// Returns the `N` bytes from `at` on.
fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_survive_their_bytes() {
        let down = Downlink {
            receiver: 6,
            position: Vec3::new(-20.0, 20.5, -75.25),
            reference: Vec3::new(0.0, 1.0, -99.0),
            stamp_ns: 123_456_789_012,
        };
        for length in [FIELD_BYTES, 64] {
            let bytes = down.encode(length);
            assert_eq!(bytes.len(), length);
            assert_eq!(Downlink::decode(&bytes, length), Some(down));
            assert_eq!(Downlink::decode(&bytes[1..], length), None, "another size");
        }
    }
}
