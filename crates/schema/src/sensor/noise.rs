//! Keys of the error model of a measurement.

use merrow_yaml::spec::spec;

spec! {
    /// Error model of a measurement, in the unit of the measurement.
    pub struct NoiseConfig {
        /// White noise density [unit/sqrt(Hz)].
        density: f64 [non_negative] = 0.0,
        /// Bias instability B [unit]; the minimum of the Allan deviation is 0.664 B.
        bias_instability: f64 [non_negative] = 0.0,
        /// Correlation time of the bias instability.
        bias_correlation_time_s: f64 [positive] = 100.0,
        /// Random walk K [unit/sqrt(s)].
        random_walk: f64 [non_negative] = 0.0,
        /// Standard deviation of the turn-on bias [unit].
        turn_on_bias_std: f64 [non_negative] = 0.0,
        /// Standard deviation of the scale error.
        scale_std_percent: f64 [non_negative] = 0.0,
        /// Standard deviation of the misalignment of each axis.
        misalignment_std_deg: f64 [non_negative] = 0.0,
        /// Resolution of the output [unit]; 0 for none.
        resolution: f64 [non_negative] = 0.0,
        /// Full scale [unit]: readings are limited to plus and minus this value. Default:
        /// unlimited.
        full_scale: Option<f64> [positive],
    }
}
