//! Error of the clock of a modem.

/// Constant error of a clock: its reading is `t + offset + skew t` at the simulated time t.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockError {
    /// Reading of the clock at the simulated time zero [s].
    pub offset: f64,
    /// Relative error of the rate of the clock; positive if it runs fast.
    pub skew: f64,
}
