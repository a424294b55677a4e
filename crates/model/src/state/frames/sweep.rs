//! What a radar brings back of the sector that its antenna has turned through.

/// Some spokes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The first of its spokes, counted since the start.
    pub first: u64,
    /// Strengths of each spoke from the nearest range to the farthest, 0..1.
    pub spokes: Vec<Vec<f32>>,
}
