//! Generates a river valley from a seed: course, bed, banks, bars, flood plain, current, trees and
//! buoys.
//!
//! `merrow terrain riverwatch` reproduces the files in `grids/riverwatch` byte for byte, and
//! generates other valleys from other seeds. All functions depend only on the seed; no running
//! simulation uses this module.
//!
//! This module does not read or write files.

pub mod course;
pub mod files;
pub mod map;
pub mod scatter;
pub mod stream;
pub mod valley;

use crate::river::course::Course;
use crate::river::scatter::{Buoy, Tree};
use crate::river::stream::RiverFlow;
use crate::river::valley::Valley;

/// Half the extent of the valley along and across its axis [m].
pub const HALF_EXTENT: [f64; 2] = [400.0, 180.0];

/// A river in its valley.
#[derive(Clone, Debug)]
pub struct River {
    /// Seed of the generator.
    pub seed: u64,
    /// Terrain of the valley.
    pub valley: Valley,
    /// Flow of the water.
    pub stream: RiverFlow,
    /// Trees on the banks.
    pub trees: Vec<Tree>,
    /// Buoys moored in the river.
    pub buoys: Vec<Buoy>,
}

impl River {
    /// Generates the river of `seed`.
    pub fn new(seed: u64) -> Self {
        let valley = Valley::new(Course::new(seed), seed);
        let stream = RiverFlow::new(&valley);
        let trees = crate::river::scatter::generate_trees(&valley, seed);
        let buoys = crate::river::scatter::generate_buoys(&valley, &stream, seed);
        Self {
            seed,
            valley,
            stream,
            trees,
            buoys,
        }
    }
}
