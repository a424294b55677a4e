//! Navigation radars as built: an antenna that turns, its beam, its pulse, what it makes of echoes.

use crate::scene::sensor::sonar::Aperture;

/// A radar whose antenna turns about z of S, clockwise from above.
#[derive(Clone, Debug, PartialEq)]
pub struct RadarSpec {
    /// Frequency [Hz].
    pub frequency: f64,
    /// Peak power [W].
    pub power: f64,
    /// Gain of the antenna, as a power.
    pub gain: f64,
    /// Aperture of its beam in the plane of the turn.
    pub across: Aperture,
    /// Aperture of its beam from top to bottom.
    pub along: Aperture,
    /// What it sees there and back: the integral of the square of its pattern [sr].
    pub solid_angle: f64,
    /// Width of its beam, as that of a rectangle, there and back [rad].
    pub width: f64,
    /// Length of the pulse [s].
    pub pulse: f64,
    /// Losses, as a power that divides.
    pub losses: f64,
    /// Noise, as a power at the antenna [W].
    pub noise: f64,
    /// How long a sector takes [ns].
    pub takes_ns: u64,
    /// Turns a second.
    pub turns: f64,
    /// Spokes of a turn.
    pub spokes: usize,
    /// Columns of rays in a spoke.
    pub columns: usize,
    /// Elevations of the rays over the horizon [rad], and what each stands for [rad].
    pub rows: Vec<[f64; 2]>,
    /// Least and greatest range [m].
    pub limits: [f64; 2],
    /// Ranges that it tells apart.
    pub bins: usize,
    /// Pulses that are averaged in a spoke.
    pub pulses: f64,
    /// Part that a square metre of land gives back, as `reflectivity` is that of shapes.
    pub land: f64,
    /// Whether its waves swing upright; else level.
    pub vertical: bool,
    /// Whether echoes fade.
    pub fading: bool,
    /// Sensitivity by range: decibels a decade that near echoes are turned down by.
    pub gain_per_decade: f64,
    /// Levels after that, of the greatest range's, that become 0 and 1 [dBm].
    pub levels: [f64; 2],
}

impl RadarSpec {
    /// From one range to the next [m].
    pub fn bin(&self) -> f64 {
        (self.limits[1] - self.limits[0]) / self.bins as f64
    }

    /// Middle of a range [m].
    pub fn range(&self, k: usize) -> f64 {
        self.limits[0] + (k as f64 + 0.5) * self.bin()
    }

    /// Angle from spoke to spoke [rad].
    pub fn step(&self) -> f64 {
        std::f64::consts::TAU / self.spokes as f64
    }

    /// The spokes of a sample, counted since the start.
    pub fn sector(&self, sample: u64, rate: f64) -> [u64; 2] {
        let first = |k: u64| (k as f64 * self.turns * self.spokes as f64 / rate) as u64;
        [first(sample), first(sample + 1)]
    }
}
