//! Travel time and absorption of sound on straight paths through the water column.
//!
//! # Law
//! ```text
//!   1/c̄ = ∫ dz/c / Δz,   ᾱ = ∫ α dz / Δz                    (1)
//! ```
//! Both are integrals over depth only, so all rays of a ping use one table.
//!
//! # Symbols
//! c speed of sound [m/s] · α absorption [dB/m] · z height [m].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The table contains the water column at the sonar, or for modems at the origin of the world.
//! - Straight rays are sufficient at the ranges of sonars, unless the column is strongly stratified
//!   and the beam is far from vertical. `arc.rs` contains refracted rays.
//! - The absorption of sonars follows Francois and Garrison with a pH of 8.
//!
//! # Checked by
//! test/sensors/sonar.rs

use merrow_environment::EnvironmentState;
use merrow_environment::absorption::absorption_at;
use merrow_math::Vec3;
use merrow_model::scene::sea::water::AbsorptionLaw;

/// Number of intervals of the table of a sonar.
const INTERVALS: usize = 32;
/// Number of intervals of the table of a whole water column.
const COLUMN_INTERVALS: usize = 4096;

/// Acoustic properties of the water around a sonar, or of a whole water column.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Lowest height of the table and its step [m].
    low: f64,
    step: f64,
    /// Integrals of slowness [s] and of absorption [dB] from the lowest height.
    sums: Vec<[f64; 2]>,
    /// Slowness [s/m] and absorption [dB/m] at the sonar, or at the surface for a water column.
    pub at_sonar: [f64; 2],
}

impl Medium {
    /// Computes the properties of the water within `reach` [m] of `p` [m], W, for sound of
    /// `frequency` [Hz].
    pub(crate) fn from_water_near(
        environment: &EnvironmentState<'_>,
        p: Vec3,
        reach: f64,
        frequency: f64,
    ) -> Self {
        let (low, high) = (p.z - reach, (p.z + reach).min(0.0).max(p.z));
        let law = AbsorptionLaw::FrancoisGarrison;
        let at_sonar = properties(environment, p, frequency, law);
        if environment.sea.column.is_none() {
            return Self {
                low,
                step: high - low,
                sums: vec![at_sonar],
                at_sonar,
            };
        }
        let values = |z: f64| properties(environment, Vec3::new(p.x, p.y, z), frequency, law);
        let (step, sums) = integrate([low, high], INTERVALS, values);
        Self {
            low,
            step,
            sums,
            at_sonar,
        }
    }

    /// Computes the table of the water from the surface down to the depth `deepest` [m] at the
    /// origin of W, with the absorption of `law`, for sound of `frequency` [Hz].
    pub fn of_column(
        environment: &EnvironmentState<'_>,
        deepest: f64,
        frequency: f64,
        law: AbsorptionLaw,
    ) -> Self {
        let values = |z: f64| properties(environment, Vec3::new(0.0, 0.0, z), frequency, law);
        let (step, sums) = integrate([-deepest, 0.0], COLUMN_INTERVALS, values);
        Self {
            low: -deepest,
            step,
            sums,
            at_sonar: values(0.0),
        }
    }

    /// Computes the mean slowness [s/m] and absorption [dB/m] between two heights [m]. (1)
    pub(crate) fn mean_between_heights(&self, a: f64, b: f64) -> [f64; 2] {
        if self.sums.len() == 1 {
            return self.at_sonar;
        }
        // Avoids the division by zero of horizontal paths.
        let b = if (b - a).abs() < 1e-3 * self.step {
            a + 1e-3 * self.step
        } else {
            b
        };
        let (from, to) = (self.sum(a), self.sum(b));
        [0, 1].map(|i| (to[i] - from[i]) / (b - a))
    }

    fn sum(&self, z: f64) -> [f64; 2] {
        let x = (z - self.low) / self.step;
        let k = (x.max(0.0) as usize).min(self.sums.len() - 2);
        let (a, b) = (self.sums[k], self.sums[k + 1]);
        [0, 1].map(|i| a[i] + (b[i] - a[i]) * (x - k as f64))
    }
}

/// Computes the slowness [s/m] and the absorption [dB/m] at `p` [m], W.
fn properties(
    environment: &EnvironmentState<'_>,
    p: Vec3,
    frequency: f64,
    law: AbsorptionLaw,
) -> [f64; 2] {
    let slowness = 1.0 / environment.sound_speed(p);
    [slowness, absorption_at(law, environment, p, frequency)]
}

/// Computes the step [m] and the sums of a table of the integrals of `values` over the height, by
/// the trapezoidal rule.
fn integrate(
    [low, high]: [f64; 2],
    intervals: usize,
    values: impl Fn(f64) -> [f64; 2],
) -> (f64, Vec<[f64; 2]>) {
    let step = (high - low) / intervals as f64;
    let (mut sums, mut last) = (vec![[0.0; 2]], values(low));
    for k in 1..=intervals {
        let next = values(low + k as f64 * step);
        let sum = sums[k - 1];
        sums.push([0, 1].map(|i| sum[i] + 0.5 * step * (last[i] + next[i])));
        last = next;
    }
    (step, sums)
}
