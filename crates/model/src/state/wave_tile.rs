//! Workspace of the wave lattice around a hull. The algorithm is in
//! `crates/environment/src/waves/tile.rs`.

use crate::scene::sea::waves::{LANES, Waves};

/// Number of lattice steps per hull radius.
pub const STEPS: usize = 6;
/// Number of points along a side of the window: the hull diameter with its end points, and a margin
/// of one step on both sides before the window must move.
pub const SIDE: usize = 2 * STEPS + 4;
/// Maximum number of overlapping sea states without further allocation.
const SEAS_MAX: usize = 3;
/// Maximum number of wave components of a sea state without further allocation.
const WAVES_MAX: usize = 2000 + LANES;

/// Surface elevation, and pressure heads at three heights [m].
pub type Fields = [f64; 4];

/// Lattice values at one time step.
#[derive(Clone, Debug)]
pub struct LatticeSample {
    /// Index of the time step; `None`: no values.
    pub index: Option<i64>,
    /// Values, one entry per point.
    pub fields: Vec<Fields>,
}

/// Window of the wave lattice around a hull.
#[derive(Clone, Debug)]
pub struct WaveTile {
    /// Radius of the hull [m].
    pub radius: f64,
    /// Spacing of the points [m].
    pub step: f64,
    /// Stretched heights of the fields; the first is the surface [m].
    pub levels: [f64; 4],
    /// Reciprocals of the Lagrange denominators of `levels` [1/m³].
    pub shares: [f64; 4],
    /// Time between samples [ns].
    pub time_step: f64,
    /// Lattice index of the window corner; `None` before the first evaluation.
    pub corner: Option<[i64; 2]>,
    /// East coordinates of its columns [m].
    pub x: Vec<f64>,
    /// North coordinates of its rows [m].
    pub y: Vec<f64>,
    /// Four successive time steps, indexed by the step number modulo 4.
    pub samples: [LatticeSample; 4],
    /// Waves of the samples.
    pub waves: Waves,
    /// Water depth at the hull [m].
    pub depth: f64,
    /// Phases of one sea state at a sample [rad].
    pub phase: Vec<f64>,
    /// Fields interpolated to the current time.
    pub now: Vec<Fields>,
    /// Time of `now` [ns].
    pub now_ns: f64,
    /// True if the processor supports AVX2.
    pub use_avx2: bool,
}

impl WaveTile {
    /// Allocates the tile for a hull of this radius and height [m]; later calls allocate no memory.
    pub fn new(radius: f64, height: f64) -> Self {
        let n = SIDE * SIDE;
        let a = height / 3.0;
        let sample = LatticeSample {
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
            samples: std::array::from_fn(|_| sample.clone()),
            waves: Waves {
                seas: Vec::with_capacity(SEAS_MAX),
                tide: None,
                regions: None,
            },
            depth: f64::INFINITY,
            phase: Vec::with_capacity(WAVES_MAX),
            now: vec![[0.0; 4]; n],
            now_ns: f64::NAN,
            use_avx2: false,
        }
    }
}
