//! What sensors that look around bring back: too large to stand among the readings, and found beside the step.

pub mod acoustic;
pub mod detection;
pub mod ping;
pub mod sweep;
pub mod view;

use crate::state::frames::acoustic::Sounds;
use crate::state::frames::detection::{Found, Heard};
use crate::state::frames::ping::Ping;
use crate::state::frames::sweep::Sweep;
use bytes::Bytes;
use std::sync::Arc;

/// What one sample of such a sensor brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor.
    pub sensor: usize,
    /// Instant of the sample [ns]; of a scan, that of its first column.
    pub stamp_ns: u64,
    /// Instant at which its user has it [ns].
    pub due_ns: u64,
    /// The content.
    pub data: Arc<FrameData>,
}

/// Content of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameData {
    /// Ranges in a plane.
    Scan(Scan),
    /// Points.
    Cloud(Vec<Point>),
    /// What a camera sees.
    Picture(Picture),
    /// Echoes of a sonar.
    Ping(Ping),
    /// What was heard of beacons.
    Sounds(Sounds),
    /// Boxes about obstacles.
    Boxes(Vec<Found>),
    /// Echoes that are boxed with those of samples before.
    Echoes(Heard),
    /// Spokes of a radar.
    Sweep(Sweep),
    /// Sentences of the Automatic Identification System.
    Sentences(Vec<Sentence>),
}

/// A sentence that was received.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// When it was sent [ns].
    pub stamp_ns: u64,
    /// Its text, without the end of the line.
    pub text: String,
}

/// Ranges of the columns of a laser in a plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Range [m]; +inf without an echo, -inf where it is too near (REP-117).
    pub ranges: Vec<f32>,
    /// Strength of the echo: reflectivity of an upright surface in clear air that would give the same, 0 without one.
    pub intensities: Vec<f32>,
}

/// What a camera sees: what of it was wanted. Rows from the top, pixels from the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Bits of [`crate::scene::sensor::camera::Part`] that were wanted.
    pub parts: u8,
    /// Red, green and blue of each pixel, 0..255.
    pub rgb: Option<Bytes>,
    /// Depth of each pixel along the optical axis [m]; +inf where there is nothing.
    pub depth: Option<Vec<f32>>,
    /// Number of what each pixel shows: 0 the sky; 1 the bottom; then structures, then robots and props, each in the world's order; 65534 open water, 65535 its surface.
    pub labels: Option<Vec<u16>>,
}

/// An echo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Place in S as it lay when the beam was fired [m].
    pub p: [f32; 3],
    /// As [`Scan::intensities`].
    pub intensity: f32,
    /// After the stamp [s].
    pub time: f32,
    /// Number of the ring, from the lowest.
    pub ring: u16,
}
