//! The Automatic Identification System as built: who sends what, and how it is received.

use merrow_math::Vec3;
use merrow_math::rng::Stream;

/// A transponder of a vessel.
#[derive(Clone, Debug)]
pub struct Transponder {
    /// Name in the world file.
    pub name: String,
    /// Robot and link that carry its antenna; none: it is fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Place of the antenna in L, or in W if nothing carries it [m].
    pub p: Vec3,
    /// Of class A; else of class B.
    pub is_class_a: bool,
    /// Who it is.
    pub vessel: Vessel,
    /// Status of navigation: 0 under way, 1 at anchor, 5 moored, 15 not defined.
    pub status: u32,
    /// Power sent [W].
    pub power: f64,
    /// Standard deviation of each axis of its position [m].
    pub position_std: f64,
    /// When it begins to send [s].
    pub start: f64,
    /// Source of its random numbers.
    pub stream: Stream,
}

/// What a vessel says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vessel {
    /// Maritime Mobile Service Identity.
    pub mmsi: u32,
    /// Number of the International Maritime Organization; 0: none.
    pub imo: u32,
    /// Call sign.
    pub call_sign: String,
    /// Name.
    pub name: String,
    /// Kind of ship, by the standard's number.
    pub kind: u32,
    /// From the antenna to bow, stern, port and starboard [m].
    pub reach: [f64; 4],
    /// Draught [m].
    pub draught: f64,
    /// Destination.
    pub destination: String,
}

/// A receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiverSpec {
    /// Power at which half of the messages are read [dBm].
    pub sensitivity: f64,
    /// Standard deviation of received powers [dB].
    pub fading: f64,
    /// What land and structures in the way take [dB].
    pub shadow: f64,
}
