//! The terrain of a river valley: bed, bars, banks and flood plain.
//!
//! # Law
//! ```text
//!   h = H (1 - (n/b)²) (1 - κ n)^A                                         (1)  [Engelund 1974]
//!   z = -h + z_p + z_m                                           |n| <= b  (2)
//!   z = z(b) + (z_f - z(b)) S((|n| - b)/d)                       |n| > b   (3)
//! ```
//! (1) is a parabola whose depth in bends scales with the power A of the radius, which follows from
//! the equilibrium of grains on the slope of the bed: pools at outer banks, shallows at inner
//! banks. Point bars z_p lie at inner banks, with heights that increase with the curvature. One bar
//! z_m is at the centre of a crossing, where the channel is wider. Banks (3) are steep outside and
//! flat inside of bends. The flood plain z_f has a levee along the river and seeded relief, and
//! rises to the sides of the valley.
//!
//! # Symbols
//! h depth · H depth in mid-channel of a straight reach · b half width · n distance to the left of
//! the course, κ its curvature · S from 0 to 1, with zero slope at both ends · d width of the bank.
//!
//! # Frames
//! World (ENU), z = 0 at the water surface.
//!
//! # Limits
//! The water surface is level: the fall that drives the flow, 0.2 m over the reach, is neglected.
//! Positions and slopes of bars and banks are realistic; their sizes are chosen. The pools of real
//! bends are slightly downstream of the apex; here they are at the apex.
//!
//! # Checked by
//! tests below; test/analytic/vehicles/riverwatch.rs

use crate::river::HALF_EXTENT;
use crate::river::course::{Course, CourseCoordinates, HALF_WIDTH};
use crate::smoothstep;
use merrow_math::real::sin_cos;
use merrow_math::rng;
use std::f64::consts::TAU;

/// Depth H [m]; W/H of about 12, as in gravel rivers.
const DEPTH: f64 = 2.6;
/// Exponent A, from Engelund's equilibrium with his angle of friction.
const POWER: f64 = 4.0;
/// Curvature of a sharp bend [1/m]: ω π/m of the mean course.
const SHARP_CURVATURE: f64 = 0.0131;
/// Height of a point bar in a sharp bend [m]; chosen.
const POINT_BAR: f64 = 1.3;
/// Height of the mid-channel bar above the water, its half length and half width [m]; chosen.
const MIDDLE_BAR: [f64; 3] = [0.4, 45.0, 7.5];
/// Widening of the channel at the mid-channel bar, and its half length [m].
const WIDENED: [f64; 2] = [5.0, 120.0];
/// Height of the flood plain above the water [m]; chosen.
const FLOOD_PLAIN: f64 = 1.9;
/// Width of a bank at the outside of bends, and additional width at the inside [m].
const BANK: [f64; 2] = [5.0, 10.0];
/// Number of waves of the relief.
const WAVES: u64 = 12;

/// Terrain of the valley.
#[derive(Clone, Debug)]
pub struct Valley {
    /// Course of the river.
    pub course: Course,
    /// Position of the mid-channel bar: distance along the course [m] and to its left [m].
    pub middle_bar: [f64; 2],
    /// Wave vector east and north [1/m], phase [rad], amplitude [m] of each wave of the relief.
    relief: Vec<[f64; 4]>,
}

impl Valley {
    /// Generates the valley of `seed` around a course.
    pub fn new(course: Course, seed: u64) -> Self {
        let mut draw = rng::Stream::new(seed, "river/bar").draw(0);
        // use the crossing nearest to a position in the upper half, so that the lower half is free
        let target = -60.0 - 120.0 * draw.uniform();
        let off = |s: &f64| (course.to_position(*s, 0.0)[0] - target).abs();
        let at = course
            .crossings
            .iter()
            .copied()
            .min_by(|a, b| off(a).total_cmp(&off(b)))
            .unwrap_or(0.0);
        let middle_bar = [at, 2.0 * draw.uniform() - 1.0];
        let relief = rng::Stream::new(seed, "river/relief");
        let wave = |k: u64| {
            let mut draw = relief.draw(k);
            let length = 50.0 + 130.0 * draw.uniform();
            let (s, c) = sin_cos(TAU * draw.uniform());
            let k = TAU / length;
            [k * c, k * s, TAU * draw.uniform(), 0.0011 * length]
        };
        Self {
            course,
            middle_bar,
            relief: (0..WAVES).map(wave).collect(),
        }
    }

    /// Returns half the width of the channel at `s` [m].
    pub fn half_width(&self, s: f64) -> f64 {
        let far = (s - self.middle_bar[0]) / WIDENED[1];
        HALF_WIDTH + WIDENED[0] * bell(far * far)
    }

    /// Returns the height of the terrain at (x, y) [m].
    pub fn height(&self, p: [f64; 2]) -> f64 {
        self.height_at(p, &self.course.to_course_coordinates(p))
    }

    /// Returns the height of the terrain at a point with known course coordinates [m].
    pub fn height_at(&self, p: [f64; 2], foot: &CourseCoordinates) -> f64 {
        let b = self.half_width(foot.s);
        if foot.n.abs() <= b {
            return self.bed_height(foot.s, foot.n, foot.curvature);
        }
        let side = foot.n.signum();
        let edge = self.bed_height(foot.s, side * b, foot.curvature);
        let width = BANK[0] + BANK[1] * (side * foot.curvature / SHARP_CURVATURE).clamp(0.0, 1.0);
        let beyond = foot.n.abs() - b;
        edge + (self.flood_plain_height(p, beyond) - edge) * smoothstep(beyond / width) // (3)
    }

    /// Returns the height of the bed within the channel [m] by (1) and (2); `s` along the course
    /// and `n` to its left [m], `curvature` [1/m].
    pub fn bed_height(&self, s: f64, n: f64, curvature: f64) -> f64 {
        let b = self.half_width(s);
        let part = n / b;
        let depth =
            DEPTH * (1.0 - part * part).max(0.0) * libm::pow((1.0 - curvature * n).max(0.1), POWER);
        let inner = part * curvature.signum();
        let bar = POINT_BAR
            * (curvature.abs() / SHARP_CURVATURE).min(1.0)
            * smoothstep((inner - 0.45) / 0.4);
        let [at, aside] = self.middle_bar;
        let (ds, dn) = ((s - at) / MIDDLE_BAR[1], (n - aside) / MIDDLE_BAR[2]);
        bar - depth + (DEPTH + MIDDLE_BAR[0]) * bell(ds * ds + dn * dn)
    }

    /// Returns the height of the flood plain [m] at a point `beyond` [m] from the water's edge.
    fn flood_plain_height(&self, [x, y]: [f64; 2], beyond: f64) -> f64 {
        let relief: f64 = self
            .relief
            .iter()
            .map(|[kx, ky, phase, a]| a * sin_cos(kx * x + ky * y + phase).0)
            .sum();
        let levee = 0.3 * libm::exp(-beyond / 20.0);
        let side = ((y.abs() - (HALF_EXTENT[1] - 55.0)) / 50.0).max(0.0);
        FLOOD_PLAIN + relief + levee + 2.5 * side * side
    }
}

/// Returns the bell function of the squared distance: 1 at 0, 0 at 1 and beyond.
fn bell(square: f64) -> f64 {
    let left = (1.0 - square).max(0.0);
    left * left
}

#[cfg(test)]
mod tests {
    use super::*;

    // The terrain is continuous, also across the water's edge. Method: steps of 0.1 m along lines
    // across the valley. Tolerance: a slope of 1.2, steeper than any bank.
    #[test]
    fn the_ground_has_no_steps() {
        for seed in [1, 2, 3] {
            let valley = Valley::new(Course::new(seed), seed);
            for x in [-350.0, -120.0, 40.0, 333.0] {
                let z = |k: i32| valley.height([x, -100.0 + 0.1 * f64::from(k)]);
                for k in 0..2000 {
                    assert!(
                        (z(k + 1) - z(k)).abs() < 0.12,
                        "seed {seed}, x {x}, step {k}"
                    );
                }
            }
        }
    }

    // Bends have a pool at the outside and a dry bar at the inside, and the crossing has its bar.
    // Method: the apex of every bend, and the position of the bar.
    #[test]
    fn bends_have_pools_outside_and_bars_inside() {
        let valley = Valley::new(Course::new(1), 1);
        for w in valley.course.crossings.windows(2) {
            let s = 0.5 * (w[0] + w[1]);
            let curvature = valley.course.curvature(s);
            let inner = curvature.signum();
            let z =
                |part: f64| valley.bed_height(s, part * valley.half_width(s) * inner, curvature);
            assert!(z(0.9) > 0.2, "the height of the point bar is {}", z(0.9));
            assert!(
                z(-0.5) < -2.4 && z(-0.5) < z(0.2),
                "the height of the pool is {}",
                z(-0.5)
            );
        }
        let [s, n] = valley.middle_bar;
        assert!(valley.bed_height(s, n, 0.0) > 0.2 && valley.bed_height(s, n + 10.0, 0.0) < -1.0);
    }
}
