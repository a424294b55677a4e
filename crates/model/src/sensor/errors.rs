//! Error model of an instrument in data-sheet terms.

use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Error model of a measurement, in the unit of the measurement.
    pub struct Noise {
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

/// Declares the parameters of a sensor: its keys, and the error model of each channel, which has
/// the name of the key that describes it. The text names the random number stream of the channel.
macro_rules! instrument {
    ($(#[doc = $doc:literal])* $spec:ident($keys:ty) { $($channel:ident = $stream:literal),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $spec {
            /// Keys of the sensor.
            pub keys: $keys,
            $(
                #[doc = concat!("Error model of the channel `", stringify!($channel), "`.")]
                pub $channel: $crate::sensor::Errors,
            )*
        }

        impl $spec {
            /// Creates the parameters. `errors` returns the error model of a channel from its data
            /// sheet and the name of its random number stream.
            pub fn new(
                keys: &$keys,
                mut errors: impl FnMut(&$crate::sensor::Noise, &str) -> $crate::sensor::Errors,
            ) -> Self {
                Self {
                    $($channel: errors(&keys.$channel, $stream),)*
                    keys: keys.clone(),
                }
            }
        }
    };
}
pub(crate) use instrument;

impl Noise {
    /// Returns the standard deviation of the Gauss-Markov process that models the bias instability
    /// [unit].
    pub(crate) fn markov_std(&self) -> f64 {
        self.bias_instability * Errors::ALLAN_FLOOR / Errors::ALLAN_PEAK
    }
}

/// Error model of one instrument at its sample rate: per-sample values from the data sheet, and its
/// fixed errors drawn at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Standard deviation of the white noise of a sample [unit].
    pub white: f64,
    /// Bias instability: factor on the bias per sample, 0..1.
    pub bias_decay: f64,
    /// Bias instability: standard deviation of the increment per sample [unit].
    pub bias_step: f64,
    /// Random walk: standard deviation of the increment per sample [unit].
    pub walk_step: f64,
    /// Scale and misalignment: measured = matrix * truth.
    pub matrix: Mat3,
    /// Turn-on bias per axis [unit].
    pub bias: Vec3,
    /// Standard deviations from which the fixed errors were drawn.
    pub fixed: FixedErrors,
    /// Resolution of the reading [unit]; 0: continuous.
    pub resolution: f64,
    /// Full scale of the reading [unit].
    pub range: f64,
}

/// Standard deviations of the fixed errors of an instrument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedErrors {
    /// Turn-on bias [unit].
    pub bias: f64,
    /// Scale error [-].
    pub scale: f64,
    /// Misalignment of each axis [rad].
    pub misalignment: f64,
}

impl Errors {
    /// Peak of the Allan deviation of a Gauss-Markov process relative to its standard deviation
    /// [IEEE 952-1997, C.1.1.4].
    const ALLAN_PEAK: f64 = 0.617;
    /// Floor of the Allan deviation relative to the bias instability B [IEEE 952-1997, eq. C.19].
    const ALLAN_FLOOR: f64 = 0.664;

    /// Creates the model from a data sheet for a sample `rate` [Hz]. The fixed errors are drawn
    /// from `stream`.
    pub fn new(noise: &Noise, rate: f64, stream: merrow_math::rng::Stream) -> Self {
        let dt = 1.0 / rate;
        let decay = libm::exp(-dt / noise.bias_correlation_time_s);
        let bias_std = noise.markov_std();
        let mut draw = stream.draw(0);
        let mut triple = |std: f64| {
            Vec3::new(
                std * draw.normal(),
                std * draw.normal(),
                std * draw.normal(),
            )
        };
        let fixed = FixedErrors {
            bias: noise.turn_on_bias_std,
            scale: noise.scale_std_percent / 100.0,
            misalignment: noise.misalignment_std_deg.to_radians(),
        };
        let (scale, misalignment, bias) = (
            triple(fixed.scale),
            triple(fixed.misalignment),
            triple(fixed.bias),
        );
        let mut matrix = Mat3::identity() + Mat3::cross(misalignment);
        for i in 0..3 {
            matrix.r[i][i] = 1.0 + scale[i];
        }
        Self {
            white: noise.density * rate.sqrt(),
            bias_decay: decay,
            bias_step: bias_std * (1.0 - decay * decay).sqrt(),
            walk_step: noise.random_walk * dt.sqrt(),
            matrix,
            bias,
            fixed,
            resolution: noise.resolution,
            range: noise.full_scale.unwrap_or(f64::INFINITY),
        }
    }

    /// Returns the variance of the white noise and the rounding of one sample [unit²].
    #[inline]
    pub fn white_variance(&self) -> f64 {
        self.white * self.white + self.resolution * self.resolution / 12.0
    }

    /// Returns the variance of bias instability and random walk at sample number `sample`, counted
    /// from 0 [unit²]. Both start at zero.
    pub fn drift_variance(&self, sample: u64) -> f64 {
        let n = sample as f64 + 1.0;
        let walk = self.walk_step * self.walk_step * n;
        if self.bias_step == 0.0 {
            return walk;
        }
        let decay = self.bias_decay * self.bias_decay;
        walk + self.bias_step * self.bias_step * (1.0 - libm::pow(decay, n)) / (1.0 - decay)
    }

    /// Returns the variance of the error of the reading `x` [unit], sample number `sample`
    /// [unit²].
    pub fn variance(&self, x: f64, sample: u64) -> f64 {
        self.variances(Vec3::new(x, 0.0, 0.0), sample).x
    }

    /// Returns the variances of the errors of the reading `x` [unit], sample number `sample`, per
    /// axis [unit²].
    pub fn variances(&self, x: Vec3, sample: u64) -> Vec3 {
        let FixedErrors {
            bias,
            scale,
            misalignment,
        } = self.fixed;
        let same = self.white_variance() + self.drift_variance(sample) + bias * bias;
        if scale == 0.0 && misalignment == 0.0 {
            return Vec3::new(same, same, same);
        }
        let (along, across) = (scale * scale, misalignment * misalignment);
        let squares = x.to_array().map(|x| x * x);
        let sum = squares[0] + squares[1] + squares[2];
        Vec3::from(squares.map(|square| same + along * square + across * (sum - square)))
    }
}
