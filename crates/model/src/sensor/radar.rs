//! Navigation radars: rotating antenna, beam, pulse and signal processing.

use crate::persist::Persist;
use crate::sensor::ExteroceptiveSensor;
use crate::sensor::sonar::Aperture;

/// Radar whose antenna rotates about z of S, clockwise seen from above.
#[derive(Clone, Debug, PartialEq)]
pub struct RadarSpec {
    /// Transmit frequency of the radar [Hz].
    pub frequency: f64,
    /// Peak transmit power [W].
    pub power: f64,
    /// Antenna gain, as a power ratio.
    pub gain: f64,
    /// Horizontal aperture of the antenna.
    pub across: Aperture,
    /// Vertical aperture of the antenna.
    pub along: Aperture,
    /// Two-way solid angle of the beam: integral of the squared pattern [sr].
    pub solid_angle: f64,
    /// Two-way equivalent rectangular width of the horizontal beam [rad].
    pub width: f64,
    /// Length of the pulse [s].
    pub pulse: f64,
    /// Losses, as a power ratio greater than one by which the received power is divided.
    pub losses: f64,
    /// Noise power referred to the antenna [W].
    pub noise: f64,
    /// Duration of a sector [ns].
    pub sample_duration_ns: u64,
    /// Antenna rotation rate [1/s].
    pub turns: f64,
    /// Number of spokes per rotation.
    pub spokes: usize,
    /// Number of ray columns in a spoke.
    pub columns: usize,
    /// For each row of rays: elevation above the horizon [rad] and the angle that it represents
    /// [rad].
    pub rows: Vec<[f64; 2]>,
    /// Minimum and maximum range [m].
    pub limits: [f64; 2],
    /// Number of range bins.
    pub bins: usize,
    /// Number of pulses averaged in a spoke.
    pub pulses: f64,
    /// Backscatter coefficient of land per square metre, defined as `reflectivity` of shapes.
    pub land: f64,
    /// True for vertical polarisation, false for horizontal.
    pub vertical: bool,
    /// Whether the echo strengths fluctuate.
    pub fading: bool,
    /// Sensitivity time control: attenuation of near echoes per decade of range [dB].
    pub gain_per_decade: f64,
    /// Echo levels that map to strength 0 and 1, after sensitivity time control, referred to
    /// maximum range [dBm].
    pub levels: [f64; 2],
}

impl RadarSpec {
    /// Returns the length of a range bin [m].
    pub fn bin(&self) -> f64 {
        (self.limits[1] - self.limits[0]) / self.bins as f64
    }

    /// Returns the centre of range bin `k` [m].
    pub fn range(&self, k: usize) -> f64 {
        self.limits[0] + (k as f64 + 0.5) * self.bin()
    }

    /// Returns the angle between spokes [rad].
    pub fn step(&self) -> f64 {
        std::f64::consts::TAU / self.spokes as f64
    }

    /// Returns the first and the end index of the spokes of `sample`, counted since the start.
    /// `rate` is the sample rate [Hz].
    pub fn spoke_range(&self, sample: u64, rate: f64) -> [u64; 2] {
        let first = |k: u64| (k as f64 * self.turns * self.spokes as f64 / rate) as u64;
        [first(sample), first(sample + 1)]
    }
}

impl ExteroceptiveSensor for RadarSpec {
    fn name(&self) -> &'static str {
        "radar"
    }

    fn sample_duration_ns(&self) -> u64 {
        self.sample_duration_ns
    }
}

/// Successive spokes of a radar.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Sweep {
    /// Number of the first spoke, counted since the start.
    pub first: u64,
    /// Echo strengths of each spoke from the nearest to the farthest range bin, 0..1.
    pub spokes: Vec<Vec<f32>>,
}
