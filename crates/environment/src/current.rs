//! Mean current as a function of depth, and its random variation over time.
//!
//! Tides and flows that depend on position are in `flow.rs`.
//!
//! # Law
//! Each component of the variation is a stationary first-order Gauss-Markov process with standard
//! deviation σ and correlation time τ,
//!
//! ```text
//!   E[x(t) x(t+s)] = σ² exp(-|s|/τ)                                   (1)  [Gelb 1974, eq. 2.2-21]
//!   x_k = σ sqrt(1-ρ²) Σ_{j=0..J} ρ^j w_{k-j},  ρ = exp(-Δ/τ)         (2)
//! ```
//! evaluated at knots Δ = τ/8 apart and interpolated linearly, so that the acceleration of the
//! water is finite. (2) is the moving-average form of the process, truncated where ρ^j < 1e-9. Any
//! instant can be computed on its own, so the current is a pure function of time.
//!
//! # Symbols
//! w unit normal draws of the streams `current/x`, `current/y`, `current/z`.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Linear interpolation reduces the variance between knots by up to 1 - (1+ρ)/2 = 6 %. A step
//! change of the mean current by a parameter has no acceleration: the drag on the vehicle changes
//! at once, but no impulse acts on it.
//!
//! # Checked by
//! tests below; test/analytic/environment/current.rs

use crate::flow;
use merrow_math::rng::Stream;
use merrow_math::{Real, Vec3};
use merrow_model::scene::Current;

/// Number of knots per correlation time.
const KNOTS_PER_TAU: f64 = 8.0;
/// Number of terms of (2): ρ^J = exp(-J/8) < 1e-9.
const TERMS: u64 = 166;

/// Spatially uniform, time-dependent part of the current at one instant, in W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Velocity of the water in W [m/s].
    pub velocity: Vec3,
    /// Acceleration of the water in W [m/s²].
    pub acceleration: Vec3,
}

impl Variation {
    /// A current without variation (zero velocity and acceleration).
    pub const NONE: Self = Self {
        velocity: Vec3::new(0.0, 0.0, 0.0),
        acceleration: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Returns the mean current [m/s], W, at height `z` [m] (negative under water), linear between the
/// depths of the profile.
#[inline(always)]
pub(crate) fn mean_at_height<T: Real>(current: &Current, z: T) -> Vec3<T> {
    Vec3::from_lanes(|i| mean_at_depth(&current.profile, -z.lane(i)))
}

/// Returns the mean current [m/s], W, at `depth` [m]. `profile` holds (depth [m], velocity [m/s])
/// in order of depth.
pub(crate) fn mean_at_depth(profile: &[(f64, Vec3)], depth: f64) -> Vec3 {
    let k = profile.partition_point(|p| p.0 <= depth);
    if k == 0 {
        return profile[0].1;
    }
    if k == profile.len() {
        return profile[k - 1].1;
    }
    let ((d0, v0), (d1, v1)) = (profile[k - 1], profile[k]);
    v0 + (v1 - v0).scale((depth - d0) / (d1 - d0))
}

/// Returns the derivative of the mean current with respect to height at `depth` [m], in W [1/s].
///
/// At a depth of the profile the function returns the value of the layer above.
pub(crate) fn shear_at_depth(profile: &[(f64, Vec3)], depth: f64) -> Vec3 {
    let k = profile.partition_point(|p| p.0 < depth);
    if k == 0 || k == profile.len() {
        return Vec3::zero();
    }
    let ((d0, v0), (d1, v1)) = (profile[k - 1], profile[k]);
    (v0 - v1).scale(1.0 / (d1 - d0))
}

/// Evaluates the variation. Caches the last interval of knots, which changes a few times per
/// correlation time.
#[derive(Clone, Debug, Default)]
pub struct VariationCache {
    interval: Option<(u64, f64, [Vec3; 2])>,
}

impl VariationCache {
    /// Returns the variation at `t` [s] for the random `seed` of the world, including tides. The
    /// cache affects the cost only, never the result.
    pub fn evaluate(&mut self, current: &Current, seed: u64, t: f64) -> Variation {
        let random = self.random_variation(current, seed, t);
        if current.flows.is_empty() {
            return random;
        }
        let (v, a) = flow::tidal_motion(&current.flows, t);
        Variation {
            velocity: random.velocity + v,
            acceleration: random.acceleration + a,
        }
    }

    fn random_variation(&mut self, current: &Current, seed: u64, t: f64) -> Variation {
        let Some(gm) = current.variation else {
            return Variation::NONE;
        };
        let spacing = gm.correlation_time_s / KNOTS_PER_TAU;
        let k = (t / spacing).floor().max(0.0) as u64;
        let knots = match self.interval {
            Some((at, tau, knots)) if at == k && tau == gm.correlation_time_s => knots,
            _ => {
                let knots = [knot_value(seed, k), knot_value(seed, k + 1)];
                self.interval = Some((k, gm.correlation_time_s, knots));
                knots
            }
        };
        let scale = |v: Vec3| {
            let [x, y, z] = gm.std_m_s;
            Vec3::new(v.x * x, v.y * y, v.z * z)
        };
        let (a, b) = (scale(knots[0]), scale(knots[1]));
        let s = t / spacing - k as f64;
        Variation {
            velocity: a + (b - a).scale(s),
            acceleration: (b - a).scale(1.0 / spacing),
        }
    }
}

/// Returns the unit-variance process at knot `k` by (2). The stream is shifted so that knots before
/// t = 0 exist.
fn knot_value(seed: u64, k: u64) -> Vec3 {
    let rho = libm::exp(-1.0 / KNOTS_PER_TAU);
    let gain = (1.0 - rho * rho).sqrt();
    let component = |name: &str| {
        let stream = Stream::new(seed, name);
        let mut sum = 0.0;
        // oldest draw first (Horner scheme), so that the newest draw has weight one
        for j in (0..TERMS).rev() {
            sum = sum * rho + stream.draw(k + TERMS - j).normal();
        }
        gain * sum
    };
    Vec3::new(
        component("current/x"),
        component("current/y"),
        component("current/z"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::scene::sea::GaussMarkov;

    #[test]
    fn variation_has_specified_std_and_correlation_time() {
        let current = Current {
            profile: vec![(0.0, Vec3::zero())],
            variation: Some(GaussMarkov {
                std_m_s: [0.2, 0.1, 0.0],
                correlation_time_s: 8.0,
            }),
            flows: Vec::new(),
        };
        // one value per knot (1 s) over 4000 correlation times; the lag of one correlation time is
        // 8 knots
        let mut cache = VariationCache::default();
        let x: Vec<f64> = (0..32_000)
            .map(|k| cache.evaluate(&current, 3, f64::from(k)).velocity.x)
            .collect();
        let n = x.len() as f64;
        let var = x.iter().map(|v| v * v).sum::<f64>() / n;
        let lag: f64 = x.iter().zip(&x[8..]).map(|(a, b)| a * b).sum::<f64>() / n / var;
        // about 2000 independent samples: 3 standard errors are 10 % of the variance and 0.06 of
        // the correlation
        assert!((var.sqrt() - 0.2).abs() < 0.2 * 0.06, "std {}", var.sqrt());
        assert!((lag - libm::exp(-1.0)).abs() < 0.06, "correlation {lag}");
        assert!(cache.evaluate(&current, 3, 5.5).velocity.z == 0.0);
    }

    #[test]
    fn variation_is_independent_of_evaluation_order() {
        let current = Current {
            profile: vec![(0.0, Vec3::zero())],
            variation: Some(GaussMarkov {
                std_m_s: [1.0; 3],
                correlation_time_s: 10.0,
            }),
            flows: Vec::new(),
        };
        let mut stepped = VariationCache::default();
        for k in 0..500 {
            stepped.evaluate(&current, 1, f64::from(k) * 0.7);
        }
        let direct = VariationCache::default().evaluate(&current, 1, 123.4);
        assert_eq!(stepped.evaluate(&current, 1, 123.4), direct);
    }

    #[test]
    fn current_profile_interpolates_and_clamps() {
        let p = [
            (5.0, Vec3::new(1.0, 0.0, 0.0)),
            (15.0, Vec3::new(0.0, 2.0, 0.0)),
        ];
        assert_eq!(mean_at_depth(&p, 0.0).x, 1.0);
        assert_eq!(mean_at_depth(&p, 10.0), Vec3::new(0.5, 1.0, 0.0));
        assert_eq!(mean_at_depth(&p, 99.0).y, 2.0);
        assert_eq!(shear_at_depth(&p, 10.0), Vec3::new(0.1, -0.2, 0.0));
        assert_eq!(shear_at_depth(&p, 20.0), Vec3::zero());
    }
}
