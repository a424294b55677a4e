//! Keys of navigation radars.

use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A radar with a rotating antenna.
    pub struct RadarConfig {
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
        polarisation: PolarisationConfig = PolarisationConfig::Horizontal,
        /// Whether echoes fluctuate (fading).
        fading: bool = true,
        /// Reduction of the gain for near echoes, in decibels per decade of range.
        gain_per_decade_db: f64 [in 0.0..=80.0] = 30.0,
        /// Levels that are mapped to 0 and 1, after the gain reduction, which is zero at the
        /// maximum range.
        levels_dbm: [f64; 2],
    }
}

fieldless_choice! {
    /// Polarisation of a radar.
    pub enum PolarisationConfig {
        /// Horizontal electric field vector.
        Horizontal = "horizontal",
        /// Vertical electric field vector.
        Vertical = "vertical",
    }
}
