//! Travel time and absorption of sound on straight paths through the water column.
//!
//! # Law
//! ```text
//!   1/c̄ = ∫ dz/c / Δz,   ᾱ = ∫ α dz / Δz                    (1)
//! ```
//! Both are integrals over depth only, so one table serves all rays of a ping.
//!
//! # Symbols
//! c speed of sound [m/s] · α absorption [dB/m] · z height [m].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The water column is taken at the sonar.
//! - Straight rays are sufficient at the ranges of such sonars, unless the column is strongly
//!   stratified and the beam far from vertical. `arc.rs` contains refracted rays.
//! - The pH is 8. Without a water column the salinity is the value that gives the density of the
//!   water.
//!
//! # Checked by
//! The tests in this file; test/sensors/sonar.rs

use merrow_environment::absorption::{Water, francois_garrison};
use merrow_environment::{EnvironmentState, seawater, water_column};
use merrow_math::Vec3;

/// Number of intervals of the table.
const INTERVALS: usize = 32;

/// Acoustic properties of the water around a sonar.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Lowest height of the table and its step [m].
    low: f64,
    step: f64,
    /// Integrals of slowness [s] and of absorption [dB] from the lowest height.
    sums: Vec<[f64; 2]>,
    /// Slowness [s/m] and absorption [dB/m] at the sonar.
    pub at_sonar: [f64; 2],
}

impl Medium {
    /// Water within `reach` [m] of `p` [m], W, for sound of `frequency` [Hz].
    pub(crate) fn from_water_near(
        environment: &EnvironmentState<'_>,
        p: Vec3,
        reach: f64,
        frequency: f64,
    ) -> Self {
        let values = |z: f64| {
            let q = Vec3::new(p.x, p.y, z);
            let speed = water_column::sound_speed(
                environment.sea,
                environment.gravity,
                q,
                environment.time,
            );
            [1.0 / speed, absorption(environment, q, frequency)]
        };
        let (low, high) = (p.z - reach, (p.z + reach).min(0.0).max(p.z));
        let at_sonar = values(p.z);
        if environment.sea.column.is_none() {
            return Self {
                low,
                step: high - low,
                sums: vec![at_sonar],
                at_sonar,
            };
        }
        let step = (high - low) / INTERVALS as f64;
        let (mut sums, mut last) = (vec![[0.0; 2]], values(low));
        for k in 1..=INTERVALS {
            let next = values(low + k as f64 * step);
            let sum = sums[k - 1];
            sums.push([0, 1].map(|i| sum[i] + 0.5 * step * (last[i] + next[i])));
            last = next;
        }
        Self {
            low,
            step,
            sums,
            at_sonar,
        }
    }

    /// Mean slowness [s/m] and absorption [dB/m] between two heights [m]. (1)
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
        let k = (x.max(0.0) as usize).min(INTERVALS - 1);
        let (a, b) = (self.sums[k], self.sums[k + 1]);
        [0, 1].map(|i| a[i] + (b[i] - a[i]) * (x - k as f64))
    }
}

/// Returns the absorption of sound of `frequency` [Hz] at `p` [m], W [dB/m].
pub fn absorption(environment: &EnvironmentState<'_>, p: Vec3, frequency: f64) -> f64 {
    let sea = environment.sea;
    let temperature = water_column::temperature(sea, environment.gravity, p, environment.time);
    let salinity = match (sea.region(p.x, p.y), &sea.column) {
        (None, Some(column)) => {
            water_column::sample_column(column, environment.gravity, p, environment.time).salinity
        }
        (region, _) => salinity(region.map_or(sea.density, |r| r.density), temperature),
    };
    let water = Water {
        temperature,
        salinity,
        depth: (-p.z).max(0.0),
        ph: 8.0,
    };
    1e-3 * francois_garrison(1e-3 * frequency, &water)
}

/// Returns the salinity of water with this density [kg/m³] and temperature [°C] at the surface.
fn salinity(density: f64, temperature: f64) -> f64 {
    let [mut low, mut high] = [0.0, 42.0];
    for _ in 0..40 {
        let mean = 0.5 * (low + high);
        if seawater::density(mean, seawater::ipts68_from_its90(temperature), 0.0) < density {
            low = mean;
        } else {
            high = mean;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salinity_inverts_density() {
        for s in [0.0, 7.0, 35.0] {
            let density = seawater::density(s, seawater::ipts68_from_its90(12.0), 0.0);
            assert!((salinity(density, 12.0) - s).abs() < 1e-6);
        }
        assert!(salinity(990.0, 12.0) < 1e-9);
    }
}
