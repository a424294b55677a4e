//! Output of an acoustic positioning instrument for one sample.

use merrow_math::{Mat3, Vec3};

/// All observations of one sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AcousticObservations {
    /// Position fixes of the sample.
    pub fixes: Vec<AcousticFix>,
    /// Ranges measured in the sample.
    pub ranges: Vec<AcousticRange>,
}

/// Position fix of one target or of the instrument itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcousticFix {
    /// Index of the target; 0 for its own position.
    pub target: usize,
    /// Time of validity [ns].
    pub stamp_ns: u64,
    /// Position in S [m].
    pub p_S: Vec3,
    /// Covariance of the position in S [m²].
    pub covariance: Mat3,
    /// Signal-to-noise ratio of the signal [dB].
    pub snr: f64,
    /// Position in W [m] with its covariance [m²], if the pose of the instrument is known.
    pub world: Option<(Vec3, Mat3)>,
}

/// Range measurement of one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcousticRange {
    /// Index of the target.
    pub target: usize,
    /// Index of the receiver.
    pub receiver: usize,
    /// Time of arrival of the signal [ns].
    pub stamp_ns: u64,
    /// Measured range to the target [m].
    pub range: f64,
    /// Variance of the range [m²].
    pub variance: f64,
}
