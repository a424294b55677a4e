//! Automatic Identification System (AIS): parameters of transponders and receivers.

use crate::persist::Persist;
use crate::sensor::ExteroceptiveSensor;
use merrow_math::Vec3;
use merrow_math::rng::Stream;

/// AIS transponder of a vessel.
#[derive(Clone, Debug)]
pub struct Transponder {
    /// Name in the world file.
    pub name: String,
    /// Index of the robot and of the link that carry the antenna; `None`: fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Position of the antenna in L, or in W if no link carries it [m].
    pub p: Vec3,
    /// True for class A, false for class B.
    pub is_class_a: bool,
    /// Static data of the vessel.
    pub vessel: Vessel,
    /// Navigational status: 0 under way, 1 at anchor, 5 moored, 15 not defined.
    pub status: u32,
    /// Power of the transmitter [W].
    pub power: f64,
    /// Standard deviation of the reported position, per axis [m].
    pub position_std: f64,
    /// Time of the first transmission [s].
    pub start: f64,
    /// Random number stream of the transponder.
    pub stream: Stream,
}

/// Static and voyage data that a vessel transmits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vessel {
    /// Maritime Mobile Service Identity (MMSI).
    pub mmsi: u32,
    /// IMO number; 0: none.
    pub imo: u32,
    /// Call sign of the vessel.
    pub call_sign: String,
    /// Name of the vessel.
    pub name: String,
    /// Ship type code of the standard.
    pub kind: u32,
    /// Distances from the antenna to bow, stern, port side and starboard side [m].
    pub reach: [f64; 4],
    /// Draught of the vessel [m].
    pub draught: f64,
    /// Destination of the voyage.
    pub destination: String,
}

/// AIS receiver with its detection model.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiverSpec {
    /// Received power at which half of the messages are decoded [dBm].
    pub sensitivity: f64,
    /// Standard deviation of the received power [dB].
    pub fading: f64,
    /// Loss due to land and structures in the path [dB].
    pub shadow: f64,
}

impl ExteroceptiveSensor for ReceiverSpec {
    fn name(&self) -> &'static str {
        "ais_receiver"
    }

    fn sample_duration_ns(&self) -> u64 {
        0
    }
}

/// AIS sentence as received by radio.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Sentence {
    /// Time of transmission [ns].
    pub stamp_ns: u64,
    /// Text without the line terminator.
    pub text: String,
}
