//! Error of the clock of a modem or of a computer.

use merrow_yaml::read::Places;
use merrow_yaml::spec::spec;

spec! {
    /// Constant error of a clock.
    pub struct ClockError {
        /// Reading of the clock at the start of the run.
        offset_s: f64 [in -1e6..=1e6] = 0.0,
        /// Relative error of the rate of the clock; positive if it is fast.
        skew_ppm: f64 [in -1e4..=1e4] = 0.0,
    }
}

impl ClockError {
    /// Creates the error of a clock with the reading `offset_s` [s] at the time zero and the rate
    /// error `skew_ppm` [ppm].
    pub fn new(offset_s: f64, skew_ppm: f64) -> Self {
        Self {
            offset_s,
            skew_ppm,
            at: Places::default(),
        }
    }

    /// Returns the reading of the clock at the simulated time zero [ns]. At the simulated time t
    /// the reading is `t + offset + skew t`.
    pub fn offset_ns(&self) -> i64 {
        (self.offset_s * 1e9).round() as i64
    }

    /// Returns the relative error of the rate of the clock [-].
    pub fn skew(&self) -> f64 {
        1e-6 * self.skew_ppm
    }
}
