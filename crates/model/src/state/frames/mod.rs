//! Output of exteroceptive sensors. It is separate from the readings because it is large and
//! computed asynchronously.

pub mod acoustic;
pub mod detection;
pub mod ping;
pub mod sweep;
pub mod view;

use crate::state::frames::acoustic::AcousticObservations;
use crate::state::frames::detection::{Detection, EchoSet};
use crate::state::frames::ping::Ping;
use crate::state::frames::sweep::Sweep;
use bytes::Bytes;
use std::sync::Arc;

/// Output of one sample of an exteroceptive sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Index of the robot.
    pub robot: usize,
    /// Index of the sensor.
    pub sensor: usize,
    /// Time of the sample [ns]; for a scan, the time of its first column.
    pub stamp_ns: u64,
    /// Time of delivery [ns].
    pub due_ns: u64,
    /// Content of the sample.
    pub data: Arc<FrameData>,
}

/// Content of a frame, by type of sensor.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameData {
    /// Ranges in a plane (laser).
    Scan(Scan),
    /// Point cloud of a laser.
    Cloud(Vec<Point>),
    /// Images of a camera.
    CameraImages(CameraImages),
    /// Echoes of a sonar.
    Ping(Ping),
    /// Observations of beacons by an acoustic instrument.
    Acoustic(AcousticObservations),
    /// Bounding boxes of obstacles.
    Detections(Vec<Detection>),
    /// Echoes that the detector accumulates with the echoes of earlier samples.
    Echoes(EchoSet),
    /// Spokes of a radar.
    Sweep(Sweep),
    /// AIS sentences of a receiver.
    Sentences(Vec<Sentence>),
}

/// AIS sentence as received by radio.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// Time of transmission [ns].
    pub stamp_ns: u64,
    /// Text without the line terminator.
    pub text: String,
}

/// Ranges of the columns of a planar laser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Ranges [m]; +inf without an echo, -inf below the minimum range (REP-117).
    pub ranges: Vec<f32>,
    /// Echo intensities: equivalent reflectivity of a surface at normal incidence in clear air; 0
    /// without an echo.
    pub intensities: Vec<f32>,
}

/// Requested outputs of a camera. Rows from the top, pixels from the left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraImages {
    /// Requested outputs, as bits of [`crate::scene::sensor::camera::CameraOutput`].
    pub parts: u8,
    /// Red, green and blue of each pixel, 0..255.
    pub rgb: Option<Bytes>,
    /// Depth of each pixel along the optical axis [m]; +inf without a surface.
    pub depth: Option<Vec<f32>>,
    /// Label of the object in each pixel: 0 the sky; 1 the seabed; then structures, then robots and
    /// props, each in the order of the world file; 65534 open water, 65535 the water surface.
    pub labels: Option<Vec<u16>>,
}

/// Point of a laser point cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position in the frame S at the time of firing [m].
    pub p: [f32; 3],
    /// Intensity as in [`Scan::intensities`].
    pub intensity: f32,
    /// Time after the stamp [s].
    pub time: f32,
    /// Index of the ring, from the lowest.
    pub ring: u16,
}
