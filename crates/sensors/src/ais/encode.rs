//! Encoding of Automatic Identification System (AIS) messages as sentences.
//!
//! # Law
//! ```text
//!   bits of the fields, most significant first -> groups of six -> v + 48, from 40 on v + 56  (1)
//!   !AIVDM,<sentences>,<number>,<sequence>,<channel>,<payload>,<fill bits>*<checksum>
//!   turn: 4.733 sqrt(degrees per minute), positive to starboard                               (2)
//!   (1) [ITU-R M.1371-5; IEC 61162-1]
//!   (2) [ITU-R M.1371-5, table 48]
//! ```
//! # Symbols
//! v group of six bits as a number; checksum: exclusive or of all characters between ! and *.
//!
//! # Frames
//! Latitude north, longitude east, courses and headings clockwise from north.
//!
//! # Limits
//! Only the messages 1, 5, 18 and 24 are encoded. The communication state is not modelled: its bits
//! are 0.
//!
//! # Checked by
//! tests below; test/witness/devices/ais.rs (pyais)

use merrow_model::sensor::ais::{Ais, Transponder};

/// Maximum number of payload characters in a sentence; a sentence has at most 82 characters.
const MAX_PAYLOAD: usize = 60;
/// Speed of one knot [m/s].
pub const KNOT: f64 = 1852.0 / 3600.0;

/// Motion of a vessel at the instant of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReportedMotion {
    /// Latitude and longitude [rad].
    pub position: [f64; 2],
    /// Speed over ground [m/s].
    pub speed: f64,
    /// Course over ground, clockwise from north [rad].
    pub course: f64,
    /// Heading, clockwise from north [rad].
    pub heading: f64,
    /// Rate of turn, positive to starboard [rad/s].
    pub turn: f64,
    /// Second of the minute (0 to 59).
    pub second: u32,
    /// True if the position error is below 10 m.
    pub(crate) is_accurate: bool,
}

/// Bits of a message.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn number(&mut self, value: u32, width: u32) -> &mut Self {
        self.0.extend((0..width).rev().map(|k| value >> k & 1 == 1));
        self
    }

    fn signed(&mut self, value: i32, width: u32) -> &mut Self {
        self.number(value as u32, width)
    }

    /// Appends a text of `n` six-bit characters. Lower-case letters become upper-case, characters
    /// without a code become spaces, and the end is padded with `@`.
    fn text(&mut self, text: &str, n: usize) -> &mut Self {
        let mut characters = text.chars().map(|c| match c.to_ascii_uppercase() {
            c @ '@'..='_' => c as u32 - 64,
            c @ ' '..='?' => c as u32,
            _ => 32,
        });
        for _ in 0..n {
            self.number(characters.next().unwrap_or(0), 6);
        }
        self
    }

    fn degrees(&mut self, radians: f64, width: u32) -> &mut Self {
        self.signed((radians.to_degrees() * 600_000.0).round() as i32, width)
    }
}

/// Converts an angle to 1/`parts` of a degree, from 0 up to a full turn.
fn angle_field(radians: f64, parts: f64) -> u32 {
    let n = (360.0 * parts) as u32;
    ((radians.to_degrees().rem_euclid(360.0) * parts).round() as u32) % n
}

/// Converts a speed [m/s] to tenths of a knot, clamped to the range of the field.
fn speed_field(speed: f64) -> u32 {
    (speed / KNOT * 10.0).round().clamp(0.0, 1022.0) as u32
}

/// Encodes the position report of a class A vessel (message 1).
pub(crate) fn position_a(vessel: &Ais, motion: &ReportedMotion) -> Message {
    let mut bits = Bits::default();
    let rate = motion.turn.to_degrees() * 60.0;
    let turn = (4.733 * rate.abs().sqrt())
        .round()
        .min(126.0)
        .copysign(rate); // (2)
    bits.number(1, 6)
        .number(0, 2)
        .number(vessel.mmsi, 30)
        .number(vessel.status, 4)
        .signed(turn as i32, 8);
    append_motion(&mut bits, motion);
    // maneuver, spare bits, RAIM and communication state
    bits.number(0, 25);
    Message(bits)
}

/// Appends speed, accuracy, position, course, heading and second.
fn append_motion(bits: &mut Bits, motion: &ReportedMotion) {
    bits.number(speed_field(motion.speed), 10)
        .number(u32::from(motion.is_accurate), 1)
        .degrees(motion.position[1], 28)
        .degrees(motion.position[0], 27)
        .number(angle_field(motion.course, 10.0), 12)
        .number(angle_field(motion.heading, 1.0), 9)
        .number(motion.second, 6);
}

/// Encodes the static and voyage data of a class A vessel (message 5).
pub(crate) fn voyage_data_a(transponder: &Transponder) -> Message {
    let vessel = &transponder.ais;
    let mut bits = Bits::default();
    bits.number(5, 6)
        .number(0, 2)
        .number(vessel.mmsi, 30)
        .number(2, 2)
        .number(vessel.imo, 30);
    bits.text(&vessel.call_sign, 7)
        .text(transponder.ship_name(), 20)
        .number(vessel.ship_type, 8);
    append_dimensions(&mut bits, vessel);
    // position by GPS; no time of arrival: month and day 0, hour 24, minute 60
    bits.number(1, 4).number(0, 9).number(24, 5).number(60, 6);
    bits.number(
        (vessel.draught_m * 10.0).round().clamp(0.0, 255.0) as u32,
        8,
    );
    bits.text(&vessel.destination, 20).number(0, 2);
    Message(bits)
}

/// Encodes the position report of a class B vessel (message 18).
pub(crate) fn position_b(vessel: &Ais, motion: &ReportedMotion) -> Message {
    let mut bits = Bits::default();
    bits.number(18, 6)
        .number(0, 2)
        .number(vessel.mmsi, 30)
        .number(0, 8);
    append_motion(&mut bits, motion);
    // a carrier-sense unit without display, for the whole band
    bits.number(0, 2).number(0b1001, 4).number(0, 23);
    Message(bits)
}

/// Encodes the static data of a class B vessel (message 24): part 0 (A) with its name, part 1 (B)
/// with the other fields.
pub(crate) fn static_data_b(transponder: &Transponder, part: u32) -> Message {
    let vessel = &transponder.ais;
    let mut bits = Bits::default();
    bits.number(24, 6)
        .number(0, 2)
        .number(vessel.mmsi, 30)
        .number(part, 2);
    if part == 0 {
        bits.text(transponder.ship_name(), 20);
    } else {
        bits.number(vessel.ship_type, 8)
            .text("MRW", 3)
            .number(0, 24)
            .text(&vessel.call_sign, 7);
        append_dimensions(&mut bits, vessel);
        bits.number(1, 4).number(0, 2);
    }
    Message(bits)
}

fn append_dimensions(bits: &mut Bits, vessel: &Ais) {
    for (length, width, max) in [(0, 9, 511.0), (1, 9, 511.0), (2, 6, 63.0), (3, 6, 63.0)] {
        bits.number(
            vessel.extents_m[length].round().clamp(0.0, max) as u32,
            width,
        );
    }
}

/// Encoded message of a fixed number of bits.
#[derive(Clone, Debug)]
pub struct Message(Bits);

impl Message {
    /// Returns the sentences of the message by (1). `talker` is AIVDM for received messages and
    /// AIVDO for messages of the own vessel; `sequence` distinguishes messages of several
    /// sentences.
    pub fn sentences(&self, talker: &str, channel: char, sequence: u64) -> Vec<String> {
        let bits = &self.0.0;
        let fill = (6 - bits.len() % 6) % 6;
        let six = |chunk: &[bool]| {
            let v = (0..6).fold(0, |v, k| {
                2 * v + u8::from(chunk.get(k).copied().unwrap_or(false))
            });
            char::from(if v < 40 { v + 48 } else { v + 56 })
        };
        let payload: Vec<char> = bits.chunks(6).map(six).collect();
        let pieces: Vec<&[char]> = payload.chunks(MAX_PAYLOAD).collect();
        let sentence = |(k, piece): (usize, &&[char])| {
            let last = k + 1 == pieces.len();
            let number = if pieces.len() > 1 {
                (sequence % 10).to_string()
            } else {
                String::new()
            };
            let (text, fill) = (
                piece.iter().collect::<String>(),
                if last { fill } else { 0 },
            );
            let body = format!(
                "{talker},{},{},{number},{channel},{text},{fill}",
                pieces.len(),
                k + 1
            );
            let sum = body.bytes().fold(0, |sum, byte| sum ^ byte);
            format!("!{body}*{sum:02X}")
        };
        pieces.iter().enumerate().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::Vec3;
    use merrow_math::rng::Stream;
    use merrow_model::sensor::ais::AisClass;
    use merrow_yaml::read::Places;

    fn transponder() -> Transponder {
        Transponder {
            name: "Evening Star".into(),
            on: None,
            p: Vec3::zero(),
            ais: Ais {
                robot: None,
                link: String::new(),
                position_m: [0.0; 3],
                class: AisClass::A,
                mmsi: 477_553_000,
                ship_name: None,
                call_sign: "VRXY9".into(),
                imo: 0,
                ship_type: 0,
                extents_m: [0.0; 4],
                draught_m: 0.0,
                destination: String::new(),
                status: 5,
                power_w: None,
                position_std_m: 0.0,
                start_s: 0.0,
                at: Places::default(),
            },
            stream: Stream::new(1, "ais"),
        }
    }

    // a report that many texts about AIS use: MMSI 477553000, moored in Seattle, 47.582833 N
    // 122.345833 W, course 51.0, heading 181, second 15; its communication state differs
    #[test]
    fn known_position_report_is_reproduced() {
        let motion = ReportedMotion {
            position: [
                f64::to_radians(28_549_700.0 / 600_000.0),
                f64::to_radians(-73_407_500.0 / 600_000.0),
            ],
            speed: 0.0,
            course: 51_f64.to_radians(),
            heading: 181_f64.to_radians(),
            turn: 0.0,
            second: 15,
            is_accurate: false,
        };
        let sentences = position_a(&transponder().ais, &motion).sentences("AIVDM", 'B', 0);
        assert_eq!(sentences.len(), 1);
        // !AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C
        assert!(
            sentences[0].starts_with("!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0"),
            "{}",
            sentences[0]
        );
    }

    #[test]
    fn long_messages_are_split_with_checksums() {
        let sentences = voyage_data_a(&transponder()).sentences("AIVDM", 'A', 13);
        assert_eq!(sentences.len(), 2);
        assert!(
            sentences[0].starts_with("!AIVDM,2,1,3,A,5")
                && sentences[1].starts_with("!AIVDM,2,2,3,A,")
        );
        for sentence in sentences {
            assert!(sentence.len() <= 82, "{sentence}");
            let (body, sum) = sentence[1..].split_once('*').expect("a sum");
            assert_eq!(format!("{:02X}", body.bytes().fold(0, |s, b| s ^ b)), sum);
        }
    }
}
