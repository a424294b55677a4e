//! What an instrument for acoustic positioning brings back of one sample.

use merrow_math::{Mat3, Vec3};

/// All that it heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sounds {
    /// Places.
    pub fixes: Vec<Fix>,
    /// Ranges.
    pub ranges: Vec<Ranged>,
}

/// A place that it has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fix {
    /// Of which of its targets; 0 if it is its own.
    pub target: usize,
    /// For which instant it holds [ns].
    pub stamp_ns: u64,
    /// The place in S [m].
    pub p_S: Vec3,
    /// Its covariance [m²].
    pub covariance: Mat3,
    /// Level over the noise [dB].
    pub snr: f64,
    /// The place in W with its covariance, if it knows its own.
    pub world: Option<(Vec3, Mat3)>,
}

/// A range that it has measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranged {
    /// To which of its targets.
    pub target: usize,
    /// From which of its receivers.
    pub receiver: usize,
    /// When the sound arrived [ns].
    pub stamp_ns: u64,
    /// The range [m].
    pub range: f64,
    /// Its variance [m²].
    pub variance: f64,
}
