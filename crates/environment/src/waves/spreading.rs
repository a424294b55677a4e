//! Directional spreading: distribution of the energy of a sea over direction.
//!
//! # Law
//! ```text
//!   D(θ) = C cos^2s((θ-θ₀)/2),  |θ-θ₀| ≤ π    (1)  [Longuet-Higgins 1963]
//!   D(θ) = C cosⁿ(θ-θ₀),        |θ-θ₀| ≤ π/2  (2)  [DNV-RP-C205 2010, eq. 3.5.8.4]
//! ```
//! C normalises the integral to one. Directions are taken from the quantiles of D.
//!
//! # Symbols
//! θ direction · θ₀ mean direction [rad] · s, n narrowness of the spreading.
//!
//! # Frames
//! Angles counter-clockwise from the mean direction.
//!
//! # Limits
//! The spreading is the same for every frequency.
//!
//! # Checked by
//! tests below

use merrow_math::real::sin_cos;
use merrow_model::scene::sea::waves::Spreading;
use std::f64::consts::PI;

/// Number of steps of the quantile table.
const STEPS: usize = 4096;

/// Quantile function of the spreading: angle from the mean direction below which a given fraction
/// of the energy lies.
#[derive(Clone, Debug)]
pub(crate) struct Quantiles {
    half_width: f64,
    /// Cumulative energy at each step, 0 to 1; empty if all waves have the same direction.
    cumulative: Vec<f64>,
}

impl Quantiles {
    /// Creates the quantile table of a spreading.
    pub(crate) fn new(spreading: Spreading) -> Self {
        // powers by logarithms, because exponents can be several hundred
        let power = |base: f64, exponent: f64| libm::exp(exponent * libm::log(base.max(1e-300)));
        let (half_width, density): (f64, Box<dyn Fn(f64) -> f64>) = match spreading {
            Spreading::None => {
                return Self {
                    half_width: 0.0,
                    cumulative: Vec::new(),
                };
            }
            Spreading::HalfAngle { s } => {
                (PI, Box::new(move |a| power(sin_cos(0.5 * a).1, 2.0 * s)))
            }
            Spreading::Angle { n } => (0.5 * PI, Box::new(move |a| power(sin_cos(a).1, n))),
        };
        let angle_at = |i: usize| half_width * (2.0 * i as f64 / STEPS as f64 - 1.0);
        let mut cumulative = vec![0.0];
        let mut sum = 0.0;
        for i in 0..STEPS {
            sum += 0.5 * (density(angle_at(i)) + density(angle_at(i + 1)));
            cumulative.push(sum);
        }
        cumulative.iter_mut().for_each(|c| *c /= sum);
        Self {
            half_width,
            cumulative,
        }
    }

    /// Returns the angle [rad] from the mean direction (counter-clockwise positive) below which the
    /// fraction `u` of the energy lies.
    pub(crate) fn angle(&self, u: f64) -> f64 {
        let c = &self.cumulative;
        if c.is_empty() {
            return 0.0;
        }
        let i = c.partition_point(|c| *c <= u).clamp(1, STEPS);
        let fraction = (u - c[i - 1]) / (c[i] - c[i - 1]).max(f64::MIN_POSITIVE);
        self.half_width * (2.0 * (i as f64 - 1.0 + fraction) / STEPS as f64 - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(spreading: Spreading) -> (f64, f64) {
        let q = Quantiles::new(spreading);
        let n = 20_000;
        let angles = (0..n).map(|i| q.angle((f64::from(i) + 0.5) / f64::from(n)));
        let sum = angles.fold((0.0, 0.0), |(s, c), a| (s + libm::sin(a), c + libm::cos(a)));
        (sum.0 / f64::from(n), sum.1 / f64::from(n))
    }

    // E[cos] is s/(s+1) for (1); for (2) with n = 2 it is 8/(3 pi). The step of the table causes an
    // error of 1e-6.
    #[test]
    fn first_moments_match_spreading_law() {
        for s in [1.0, 5.0, 20.0, 300.0] {
            let (sin, cos) = moments(Spreading::HalfAngle { s });
            assert!(
                sin.abs() < 1e-9 && (cos - s / (s + 1.0)).abs() < 2e-6,
                "s {s}: {sin} {cos}"
            );
        }
        let (sin, cos) = moments(Spreading::Angle { n: 2.0 });
        assert!(
            sin.abs() < 1e-9 && (cos - 8.0 / (3.0 * PI)).abs() < 2e-6,
            "{sin} {cos}"
        );
        assert_eq!(moments(Spreading::None), (0.0, 1.0));
    }
}
