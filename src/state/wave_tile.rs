//! Scratch: the waves about a hull on a lattice. What is in it and why: `environment::waves::tile`.

use crate::scene::waves::Waves;

/// Surface, and pressure heads at three heights [m].
pub type Fields = [f64; 4];

/// The lattice at one of its time steps.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Which time step; none: nothing is known.
    pub index: Option<i64>,
    /// One entry per point.
    pub fields: Vec<Fields>,
}

/// A window of the lattice.
#[derive(Clone, Debug)]
pub struct WaveTile {
    /// Of the hull [m].
    pub radius: f64,
    /// Between points [m].
    pub step: f64,
    /// Stretched heights of the fields; the first is the surface [m].
    pub levels: [f64; 4],
    /// Lagrange's denominators for them, inverted [1/m³].
    pub shares: [f64; 4],
    /// Between snapshots [ns].
    pub time_step: f64,
    /// Point of the lattice at the window's corner; none before the first.
    pub corner: Option<[i64; 2]>,
    /// Places of its columns [m].
    pub x: Vec<f64>,
    /// Of its rows.
    pub y: Vec<f64>,
    /// Four time steps in a row, by their remainders.
    pub snapshots: [Snapshot; 4],
    /// The seas of which the snapshots are.
    pub waves: Waves,
    /// Depth of the water [m].
    pub depth: f64,
    /// Phases of one sea at a snapshot [rad].
    pub phase: Vec<f64>,
    /// The fields now.
    pub now: Vec<Fields>,
    /// When that is [ns].
    pub now_ns: f64,
    /// True if the processor has registers of four numbers.
    pub wide: bool,
}
