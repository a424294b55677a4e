//! Servo packets of ArduPilot SITL's JSON interface.
//!
//! Little endian: magic (16 bit), frame rate [Hz] (16 bit), frame count (32 bit), and the pulse
//! widths of 16 or 32 outputs [µs] (16 bit each). The magic number identifies the number of
//! outputs. Source: ArduPilot, libraries/SITL/examples/JSON/readme.md (045bdf55) and SIM_JSON.h.

/// Magic number of a packet with 16 outputs.
pub const MAGIC_16: u16 = 18458;
/// Magic number of a packet with 32 outputs.
pub const MAGIC_32: u16 = 29569;
/// Maximum number of outputs.
pub(crate) const MAX_OUTPUTS: usize = 32;
/// Length of a packet without its outputs [bytes].
const HEADER: usize = 8;
/// Minimum frame rate [Hz]; the SITL ignores steps of 0.1 s or more.
const MIN_FRAME_RATE: u16 = 11;

/// Outputs of an autopilot at one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServoPacket {
    /// Frames per second that the autopilot requests [Hz].
    pub frame_rate: u16,
    /// Frame counter of the SITL. It increases by one per frame and starts again from zero when the
    /// SITL restarts.
    pub frame_count: u32,
    /// Number of outputs: 16 or 32.
    pub output_count: usize,
    /// Pulse widths of the outputs [µs]; 0 without pulses.
    pub pwm: [u16; MAX_OUTPUTS],
}

/// Pulses of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pulse {
    /// Pulses of this width [µs].
    Width(f64),
    /// The output keeps its last pulses: 65535, as in MAVLink.
    Unchanged,
    /// No pulses: 0, an output that the packet lacks, or a width that no servo accepts.
    Absent,
}

/// Pulse widths that servos and motor controllers accept [µs]; wider than the limits of ArduPilot,
/// 800 to 2200 (SRV_Channel.cpp).
const WIDTHS: std::ops::RangeInclusive<u16> = 500..=2500;

impl ServoPacket {
    /// Returns the pulses of the output with the index `channel`.
    pub fn pulse(&self, channel: usize) -> Pulse {
        match self.pwm[..self.output_count].get(channel) {
            Some(&u16::MAX) => Pulse::Unchanged,
            Some(width) if WIDTHS.contains(width) => Pulse::Width(f64::from(*width)),
            Some(_) | None => Pulse::Absent,
        }
    }
}

/// Decodes a packet.
///
/// # Errors
/// Wrong magic number or length, or a frame rate below 11 Hz.
pub fn decode(bytes: &[u8]) -> Result<ServoPacket, String> {
    let word = |k: usize| -> Option<u16> {
        let pair = bytes.get(2 * k..2 * k + 2)?;
        Some(u16::from_le_bytes([pair[0], pair[1]]))
    };
    let output_count = match word(0) {
        Some(MAGIC_16) => 16,
        Some(MAGIC_32) => MAX_OUTPUTS,
        Some(other) => {
            return Err(format!(
                "magic number: expected {MAGIC_16} or {MAGIC_32}, found {other}"
            ));
        }
        None => return Err(format!("expected a packet, found {} bytes", bytes.len())),
    };
    let expected = HEADER + 2 * output_count;
    if bytes.len() != expected {
        let found = bytes.len();
        return Err(format!("expected {expected} bytes, found {found}"));
    }
    let words: Vec<u16> = (1..expected / 2).filter_map(word).collect();
    let (frame_rate, count) = (words[0], [words[1], words[2]]);
    if frame_rate < MIN_FRAME_RATE {
        return Err(format!(
            "frame rate: expected at least {MIN_FRAME_RATE} Hz, found {frame_rate} Hz"
        ));
    }
    let mut pwm = [0; MAX_OUTPUTS];
    pwm[..output_count].copy_from_slice(&words[3..]);
    Ok(ServoPacket {
        frame_rate,
        frame_count: u32::from(count[0]) | u32::from(count[1]) << 16,
        output_count,
        pwm,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(magic: u16, rate: u16, count: u32, pwm: &[u16]) -> Vec<u8> {
        let mut bytes = [magic.to_le_bytes(), rate.to_le_bytes()].concat();
        bytes.extend(count.to_le_bytes());
        bytes.extend(pwm.iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    #[test]
    fn packets_of_both_lengths_are_decoded() {
        let pwm: Vec<u16> = (0..32).map(|k| 1100 + k).collect();
        let short = decode(&packet(MAGIC_16, 400, 70_000, &pwm[..16])).unwrap();
        assert_eq!((short.frame_rate, short.frame_count), (400, 70_000));
        assert_eq!(
            (short.output_count, short.pwm[15], short.pwm[16]),
            (16, 1115, 0)
        );
        let long = decode(&packet(MAGIC_32, 50, 1, &pwm)).unwrap();
        assert_eq!((long.output_count, long.pwm[31]), (32, 1131));
    }

    // Values that are no pulses of a servo move no device. Method: each limit.
    #[test]
    fn pulses_are_distinguished_from_other_values() {
        let mut pwm = [1500; 16];
        pwm[..6].copy_from_slice(&[0, 499, 500, 2500, 2501, u16::MAX]);
        let packet = decode(&packet(MAGIC_16, 400, 1, &pwm)).unwrap();
        let found: Vec<Pulse> = (0..6).map(|k| packet.pulse(k)).collect();
        let [low, high] = [500.0, 2500.0].map(Pulse::Width);
        let (absent, kept) = (Pulse::Absent, Pulse::Unchanged);
        assert_eq!(found, [absent, absent, low, high, absent, kept]);
        assert_eq!(packet.pulse(16), Pulse::Absent);
    }

    #[test]
    fn malformed_packets_are_refused() {
        let good = packet(MAGIC_16, 400, 1, &[1500; 16]);
        for (bytes, expected) in [
            (&b""[..], "expected a packet, found 0 bytes"),
            (&good[..39], "expected 40 bytes, found 39"),
            (
                &packet(1, 400, 1, &[1500; 16]),
                "magic number: expected 18458 or 29569, found 1",
            ),
            (
                &packet(MAGIC_32, 400, 1, &[1500; 16]),
                "expected 72 bytes, found 40",
            ),
            (
                &packet(MAGIC_16, 0, 1, &[1500; 16]),
                "frame rate: expected at least 11 Hz, found 0 Hz",
            ),
        ] {
            assert_eq!(decode(bytes).unwrap_err(), expected);
        }
    }
}
