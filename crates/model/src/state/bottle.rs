//! State of a water sampler and its bottles.

use crate::persist::Persist;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

/// Maximum number of quantities of a sampler.
pub const FIELDS: usize = 8;

spec! {
    /// Filling state of a bottle.
    #[derive(Persist)]
    pub enum Filling words {
        /// No water has been taken.
        Empty = "empty",
        /// The pump is filling the bottle.
        Pumping = "pumping",
        /// The bottle is full.
        Full = "full",
        /// The bottle was closed before it was full.
        Stopped = "stopped",
    }
}

/// Bottle of a water sampler: its filling and the means over the water that it contains.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Bottle {
    /// Bottle number, from 1.
    pub number: u32,
    /// Whether the bottle is empty, being filled, full, or closed before it was full.
    pub filling: Filling,
    /// Volume of water in the bottle [m³].
    pub volume: f64,
    /// Time of opening and time of the last inflow [ns].
    pub time_ns: [u64; 2],
    /// Mean sampling position of its water in W [m].
    pub p_W: Vec3,
    /// Mean values of the quantities of the sampler over its water; unused entries are zero.
    pub means: [f64; FIELDS],
}

/// State of a water sampler.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct SamplerState {
    /// Bottles in the order of their numbers, from 1.
    pub bottles: Vec<Bottle>,
    /// Index of the bottle that was opened last.
    pub current: Option<usize>,
    /// Time up to which pumping has been computed [ns].
    pub until_ns: u64,
}

impl SamplerState {
    /// Creates a sampler with `n` empty bottles.
    pub fn new(n: u32) -> Self {
        let empty = |number| Bottle {
            number,
            filling: Filling::Empty,
            volume: 0.0,
            time_ns: [0; 2],
            p_W: Vec3::zero(),
            means: [0.0; FIELDS],
        };
        Self {
            bottles: (1..=n).map(empty).collect(),
            current: None,
            until_ns: 0,
        }
    }
}
