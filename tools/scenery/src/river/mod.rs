//! A river valley drawn by a seed: course, bed, banks, bars, flood plain, current, trees and buoys.
//!
//! Exists so that a world with a river is made and not only shipped: `merrow terrain riverwatch` writes what stands under
//! `grids/riverwatch`, byte for byte, and other valleys from other seeds. Pure functions of the seed; no running simulation depends on it.
//!
//! Must not read or write files.

pub mod course;
pub mod files;
pub mod map;
pub mod scatter;
pub mod stream;
pub mod valley;

use crate::river::course::Course;
use crate::river::scatter::{Buoy, Tree};
use crate::river::stream::Stream;
use crate::river::valley::Valley;

/// Half the extent of the valley along and across it [m].
pub const HALF_EXTENT: [f64; 2] = [400.0, 180.0];

/// A river in its valley.
#[derive(Clone, Debug)]
pub struct River {
    /// What it was drawn by.
    pub seed: u64,
    /// The ground.
    pub valley: Valley,
    /// The water that flows over it.
    pub stream: Stream,
    /// What grows on it.
    pub trees: Vec<Tree>,
    /// What is moored in it.
    pub buoys: Vec<Buoy>,
}

impl River {
    /// The river of `seed`.
    pub fn new(seed: u64) -> Self {
        let valley = Valley::new(Course::new(seed), seed);
        let stream = Stream::new(&valley);
        let trees = crate::river::scatter::trees(&valley, seed);
        let buoys = crate::river::scatter::buoys(&valley, &stream, seed);
        Self {
            seed,
            valley,
            stream,
            trees,
            buoys,
        }
    }
}

/// From 0 at 0 to 1 at 1, level at both ends.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
