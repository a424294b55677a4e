//! Seeded random relief: sums of waves of random direction, over a plane and over a sphere.
//!
//! # Law
//! ```text
//!   f(p) = Σ a_k sin(k_k·p + φ_k),  Σ a_k²/2 = 1                          (1)
//! ```
//! # Symbols
//! f relief, of standard deviation 1 · a_k amplitude · k_k wave vector, with wavelength between two
//! given wavelengths and uniform random direction · φ_k phase.
//!
//! # Frames
//! The caller's.
//!
//! # Limits
//! Repeats only far beyond the longest wave; no overhangs.
//!
//! # Checked by
//! tests below

use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng;
use std::f64::consts::TAU;

/// Number of waves of a relief.
const WAVES: u64 = 24;

/// Relief with standard deviation 1.
#[derive(Clone, Debug)]
pub struct Relief {
    /// Wave vector [1/m], phase [rad], amplitude.
    waves: Vec<(Vec3, f64, f64)>,
}

impl Relief {
    /// Creates a relief with wavelengths from `lengths[0]` to `lengths[1]` [m] and amplitudes that
    /// increase with wavelength. With `level` the wave vectors are horizontal, for a plane (z has
    /// no effect); otherwise they have all directions.
    pub fn new(stream: &rng::Stream, lengths: [f64; 2], level: bool) -> Self {
        let mut waves: Vec<(Vec3, f64, f64)> = (0..WAVES)
            .map(|k| {
                let mut draw = stream.draw(k);
                let part = (k as f64 + draw.uniform()) / WAVES as f64;
                let length = lengths[0] * libm::pow(lengths[1] / lengths[0], part);
                let up = if level {
                    0.0
                } else {
                    2.0 * draw.uniform() - 1.0
                };
                let (s, c) = sin_cos(TAU * draw.uniform());
                let out = (1.0 - up * up).sqrt();
                (
                    Vec3::new(out * c, out * s, up).scale(TAU / length),
                    TAU * draw.uniform(),
                    length.sqrt(),
                )
            })
            .collect();
        let power: f64 = waves.iter().map(|(_, _, a)| 0.5 * a * a).sum();
        waves.iter_mut().for_each(|wave| wave.2 /= power.sqrt());
        Self { waves }
    }

    /// Evaluates (1) at `p` [m].
    pub fn evaluate(&self, p: Vec3) -> f64 {
        self.waves
            .iter()
            .map(|(k, phase, a)| a * sin_cos(k.dot(p) + phase).0)
            .sum()
    }

    /// Evaluates (1) at (x, y) [m] on the plane z = 0.
    pub fn evaluate_on_plane(&self, [x, y]: [f64; 2]) -> f64 {
        self.evaluate(Vec3::new(x, y, 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // (1) has standard deviation 1. Method: the mean square over a plane 200 times as wide as
    // the longest wave. Tolerance: 10 %, because of incomplete waves at the edges.
    #[test]
    fn relief_has_unit_standard_deviation() {
        let relief = Relief::new(&rng::Stream::new(3, "test"), [1.0, 5.0], true);
        let n = 20_000;
        let square = |k: u64| {
            let mut draw = rng::Stream::new(4, "places").draw(k);
            let z = relief.evaluate_on_plane([1000.0 * draw.uniform(), 1000.0 * draw.uniform()]);
            z * z
        };
        let mean = (0..n).map(square).sum::<f64>() / n as f64;
        assert!((mean - 1.0).abs() < 0.1, "{mean}");
    }
}
