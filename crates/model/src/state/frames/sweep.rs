//! Output of a radar for the sector of one sample.

/// Successive spokes of a radar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// Number of the first spoke, counted since the start.
    pub first: u64,
    /// Echo strengths of each spoke from the nearest to the farthest range bin, 0..1.
    pub spokes: Vec<Vec<f32>>,
}
