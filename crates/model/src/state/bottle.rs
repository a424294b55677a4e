//! Water that a sampler has taken.

use merrow_math::Vec3;

/// Most quantities of a sampler.
pub const FIELDS: usize = 8;

/// What a bottle is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// Nothing has been taken.
    Empty,
    /// Water is being taken.
    Pumping,
    /// It is full.
    Full,
    /// It was closed before it was full.
    Stopped,
}

impl Filling {
    /// As published.
    pub fn word(self) -> &'static str {
        match self {
            Filling::Empty => "empty",
            Filling::Pumping => "pumping",
            Filling::Full => "full",
            Filling::Stopped => "stopped",
        }
    }
}

/// A bottle, and what is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bottle {
    /// Its number, from 1.
    pub number: u32,
    /// What it is at.
    pub filling: Filling,
    /// Water in it [m³].
    pub volume: f64,
    /// When it was opened, and when the last water came in [ns].
    pub time_ns: [u64; 2],
    /// Mean place of its water in W [m].
    pub p_W: Vec3,
    /// Means of the sampler's quantities over its water, as many as that has.
    pub means: [f64; FIELDS],
}

/// Memory of a sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerState {
    /// Its bottles.
    pub bottles: Vec<Bottle>,
    /// The bottle that was opened last, by its index.
    pub current: Option<usize>,
    /// Instant up to which it has pumped [ns].
    pub until_ns: u64,
}

impl SamplerState {
    /// With `n` empty bottles.
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
