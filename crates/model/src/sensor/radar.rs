//! Navigation radars: rotating antenna, beam, pulse and signal processing.

use crate::persist::Persist;
use crate::sensor::sonar::Aperture;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor};
use merrow_yaml::spec::spec;

spec! {
    /// A radar with a rotating antenna.
    pub struct Radar {
        /// Frequency of the transmitted pulse.
        frequency_ghz: f64 [in 1.0..=40.0] = 9.41,
        /// Peak power of a pulse; for a radar with pulse compression the equivalent power without
        /// compression.
        transmit_w: f64 [positive],
        /// Gain of the antenna.
        antenna_gain_db: f64 [in 0.0..=60.0],
        /// Horizontal width of the beam.
        beam_width_deg: f64 [in 0.1..=30.0],
        /// Vertical width of the beam.
        vertical_width_deg: f64 [in 1.0..=90.0] = 25.0,
        /// Length of the pulse; after compression for a coded pulse.
        pulse_us: f64 [in 0.001..=100.0],
        /// Bandwidth of the receiver. Default: 1/`pulse_us`.
        bandwidth_mhz: Option<f64> [positive],
        /// Noise figure of the receiver.
        noise_figure_db: f64 [in 0.0..=40.0] = 5.0,
        /// Losses on the two-way path.
        losses_db: f64 [in 0.0..=40.0] = 3.0,
        /// Rotation speed of the antenna.
        speed_rpm: f64 [in 0.1..=600.0] = 24.0,
        /// Number of spokes per turn.
        spokes: u32 [in 8.0..=8192.0] = 1024,
        /// Number of pulses that are averaged in a spoke.
        pulses: u32 [in 1.0..=1000.0] = 8,
        /// Number of ray columns per spoke and of ray rows from top to bottom. More rays resolve
        /// finer details.
        rays: [u32; 2] [in 1.0..=1000.0] = [2, 64],
        /// Minimum range of the radar.
        min_range_m: f64 [non_negative] = 10.0,
        /// Maximum range of the radar.
        max_range_m: f64 [in 10.0..=200000.0],
        /// Number of range bins between them.
        bins: u32 [in 2.0..=16384.0] = 512,
        /// Backscatter of a square metre of land at normal incidence.
        land_db: f64 [in -60.0..=20.0] = -12.0,
        /// Polarisation of antenna and pulse.
        polarisation: Polarisation = Polarisation::Horizontal,
        /// Whether echoes fluctuate (fading).
        fading: bool = true,
        /// Reduction of the gain for near echoes, in decibels per decade of range.
        gain_per_decade_db: f64 [in 0.0..=80.0] = 30.0,
        /// Levels that are mapped to 0 and 1, after the gain reduction, which is zero at the
        /// maximum range.
        levels_dbm: [f64; 2],
    }

    /// Polarisation of a radar.
    pub enum Polarisation words {
        /// Horizontal electric field vector.
        Horizontal = "horizontal",
        /// Vertical electric field vector.
        Vertical = "vertical",
    }
}

/// Radar whose antenna rotates about z of S, clockwise seen from above.
#[derive(Clone, Debug, PartialEq)]
pub struct RadarSpec {
    /// Keys of the radar.
    pub radar: Radar,
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
    /// Losses, as a power ratio greater than one by which the received power is divided.
    pub losses: f64,
    /// Noise power referred to the antenna [W].
    pub noise: f64,
    /// Duration of a sector [ns].
    pub sample_duration_ns: u64,
    /// For each row of rays: elevation above the horizon [rad] and the angle that it represents
    /// [rad].
    pub rows: Vec<[f64; 2]>,
    /// Backscatter coefficient of land per square metre, defined as `reflectivity` of shapes.
    pub land: f64,
}

impl RadarSpec {
    /// Returns the transmit frequency of the radar [Hz].
    pub fn frequency(&self) -> f64 {
        1e9 * self.radar.frequency_ghz
    }

    /// Returns the rotation rate of the antenna [1/s].
    pub fn turns(&self) -> f64 {
        self.radar.speed_rpm / 60.0
    }

    /// Returns the number of spokes per rotation.
    pub fn spokes(&self) -> usize {
        self.radar.spokes as usize
    }

    /// Returns the number of range bins.
    pub fn bins(&self) -> usize {
        self.radar.bins as usize
    }

    /// Returns the number of ray columns in a spoke.
    pub fn columns(&self) -> usize {
        self.radar.rays[0] as usize
    }

    /// Returns the length of a range bin [m].
    pub fn bin(&self) -> f64 {
        (self.radar.max_range_m - self.radar.min_range_m) / self.bins() as f64
    }

    /// Returns the centre of range bin `k` [m].
    pub fn range(&self, k: usize) -> f64 {
        self.radar.min_range_m + (k as f64 + 0.5) * self.bin()
    }

    /// Returns the angle between spokes [rad].
    pub fn step(&self) -> f64 {
        std::f64::consts::TAU / self.radar.spokes as f64
    }

    /// Returns the first and the end index of the spokes of `sample`, counted since the start.
    /// `rate` is the sample rate [Hz].
    pub fn spoke_range(&self, sample: u64, rate: f64) -> [u64; 2] {
        let first = |k: u64| (k as f64 * self.turns() * self.radar.spokes as f64 / rate) as u64;
        [first(sample), first(sample + 1)]
    }
}

impl ExteroceptiveSensor for RadarSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        ExteroceptiveProperties::new("radar", self.sample_duration_ns)
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
