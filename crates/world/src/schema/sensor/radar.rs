//! What a file of a navigation radar may say.

use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A radar whose antenna turns.
    pub struct RadarFile {
        /// Frequency.
        frequency_ghz: f64 [in 1.0..=40.0] = 9.41,
        /// Peak power of a pulse, or the power that one without compression would have.
        transmit_w: f64 [positive],
        /// Gain of the antenna.
        antenna_gain_db: f64 [in 0.0..=60.0],
        /// Width of the beam in the plane of the turn.
        beam_width_deg: f64 [in 0.1..=30.0],
        /// Width of the beam from top to bottom.
        vertical_width_deg: f64 [in 1.0..=90.0] = 25.0,
        /// Length of the pulse; of a coded one, after compression.
        pulse_us: f64 [in 0.001..=100.0],
        /// Bandwidth of the receiver; 1/`pulse_us` if not given.
        bandwidth_mhz: Option<f64> [positive],
        /// Noise figure of the receiver.
        noise_figure_db: f64 [in 0.0..=40.0] = 5.0,
        /// Losses there and back.
        losses_db: f64 [in 0.0..=40.0] = 3.0,
        /// Turns of the antenna a minute.
        speed_rpm: f64 [in 0.1..=600.0] = 24.0,
        /// Spokes of a turn.
        spokes: u32 [in 8.0..=8192.0] = 1024,
        /// Pulses that are averaged in a spoke.
        pulses: u32 [in 1.0..=1000.0] = 8,
        /// Columns of rays of a spoke, and rows from top to bottom; more show finer things.
        rays: [u32; 2] [in 1.0..=1000.0] = [2, 64],
        /// Least range.
        min_range_m: f64 [non_negative] = 10.0,
        /// Greatest range.
        max_range_m: f64 [in 10.0..=200000.0],
        /// Ranges between them that are told apart.
        bins: u32 [in 2.0..=16384.0] = 512,
        /// Strength of a square metre of land, met upright.
        land_db: f64 [in -60.0..=20.0] = -12.0,
        /// How its waves swing.
        polarisation: PolarisationFile = PolarisationFile::Horizontal,
        /// Whether echoes fade.
        fading: bool = true,
        /// By how much near echoes are turned down: decibels a decade of range.
        gain_per_decade_db: f64 [in 0.0..=80.0] = 30.0,
        /// Levels that become 0 and 1, after that turning down, which is none at the greatest range.
        levels_dbm: [f64; 2],
    }
}

fieldless_choice! {
    /// How the waves of a radar swing.
    pub enum PolarisationFile {
        /// Level.
        Horizontal = "horizontal",
        /// Upright.
        Vertical = "vertical",
    }
}
