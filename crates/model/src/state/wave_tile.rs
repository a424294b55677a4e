//! Scratch: the waves about a hull on a lattice. What is in it and why: `environment::waves::tile`.

use crate::scene::sea::waves::{LANES, Waves};

/// Lattice steps in a hull's radius.
pub const STEPS: usize = 6;
/// Points along a side of the window: the hull's diameter, its ends, and a step on both sides to go before it has to move.
pub const SIDE: usize = 2 * STEPS + 4;
/// Seas that follow one another, and waves in one, at most; more cost an allocation.
const SEAS_MAX: usize = 3;
/// See there.
const WAVES_MAX: usize = 2000 + LANES;

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

impl WaveTile {
    /// For a hull of this radius and height [m]; the only allocation.
    pub fn new(radius: f64, height: f64) -> Self {
        let n = SIDE * SIDE;
        let a = height / 3.0;
        let snapshot = Snapshot {
            index: None,
            fields: vec![[0.0; 4]; n],
        };
        Self {
            radius,
            step: radius / STEPS as f64,
            levels: [0.0, -a, -2.0 * a, -4.0 * a],
            shares: [8.0, -3.0, 4.0, -24.0].map(|share| 1.0 / (share * a * a * a)),
            time_step: 0.0,
            corner: None,
            x: vec![0.0; SIDE],
            y: vec![0.0; SIDE],
            snapshots: std::array::from_fn(|_| snapshot.clone()),
            waves: Waves {
                seas: Vec::with_capacity(SEAS_MAX),
                tide: None,
                regions: None,
            },
            depth: f64::INFINITY,
            phase: Vec::with_capacity(WAVES_MAX),
            now: vec![[0.0; 4]; n],
            now_ns: f64::NAN,
            wide: false,
        }
    }
}
