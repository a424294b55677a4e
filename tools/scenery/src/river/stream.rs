//! The flow of the water in a river.
//!
//! # Law
//! ```text
//!   k = h^(5/3) (1 - κ n)^(-1/2) √S / n_M                                   (1)  [Chow 1959, §6-2]
//!   ψ = Q ∫ k dn / ∫ k dn,  from the right bank to n, and to the left bank  (2)
//!   q = (∂ψ/∂y, -∂ψ/∂x),  u = q/h                                           (3)
//! ```
//! (1) is Manning's formula for each strip of the section, with the same fall over a shorter path
//! at the inside of a bend. (2) assigns each strip its fraction of the river's discharge Q, so that
//! every section of any shape passes Q. (3) follows from a stream function, so the flow
//! conserves mass everywhere, also around bars and in pools.
//!
//! # Symbols
//! h depth · κ curvature, n distance to the left · S slope of the river · n_M Manning's coefficient
//! · ψ discharge to the right of a point · q discharge per width · u depth-averaged velocity.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Steady flow, uniform over the depth: no velocity profile above the bed, no secondary flow in
//! bends, no eddies behind bars. Water shallower than 0.05 m does not move.
//!
//! # Checked by
//! tests below; test/analytic/vehicles/riverwatch.rs

use crate::river::valley::Valley;

/// Slope S of the river.
const FALL: f64 = 2.0e-4;
/// Manning's coefficient n_M of a clean winding channel with some pools and shoals [s/m^(1/3)].
/// [Chow 1959, table 5-6]
const MANNING: f64 = 0.040;
/// Number of strips in a section.
const STRIPS: usize = 64;
/// Depth below which the water does not move [m].
const MIN_DEPTH: f64 = 0.05;
/// Half the step of the finite differences in (3) [m].
const HALF_STEP: f64 = 0.25;

/// Flow of the river.
#[derive(Clone, Copy, Debug)]
pub struct RiverFlow {
    /// Discharge Q through a cross section [m³/s].
    pub discharge: f64,
}

impl RiverFlow {
    /// Computes the flow in a valley. The discharge is the discharge of the last crossing at full
    /// bank; sections with bars pass the same discharge.
    pub fn new(valley: &Valley) -> Self {
        let s = valley.course.crossings[valley.course.crossings.len() - 2];
        let b = valley.half_width(s);
        Self {
            discharge: conveyance(valley, s, 0.0, [-b, b]),
        }
    }

    /// Returns ψ at (x, y) [m³/s] by (2).
    fn stream_function(&self, valley: &Valley, p: [f64; 2]) -> f64 {
        let foot = valley.course.to_course_coordinates(p);
        let b = valley.half_width(foot.s);
        if foot.n.abs() >= b {
            return if foot.n > 0.0 { self.discharge } else { 0.0 };
        }
        let all = conveyance(valley, foot.s, foot.curvature, [-b, b]);
        self.discharge * conveyance(valley, foot.s, foot.curvature, [-b, foot.n]) / all
    }

    /// Returns the velocity at (x, y) towards east and north [m/s] by (3).
    pub fn velocity(&self, valley: &Valley, [x, y]: [f64; 2]) -> [f64; 2] {
        let foot = valley.course.to_course_coordinates([x, y]);
        let depth = -valley.height_at([x, y], &foot);
        if foot.n.abs() >= valley.half_width(foot.s) || depth < MIN_DEPTH {
            return [0.0; 2];
        }
        let psi = |dx: f64, dy: f64| self.stream_function(valley, [x + dx, y + dy]);
        let per = 1.0 / (2.0 * HALF_STEP * depth);
        [
            per * (psi(0.0, HALF_STEP) - psi(0.0, -HALF_STEP)),
            -per * (psi(HALF_STEP, 0.0) - psi(-HALF_STEP, 0.0)),
        ]
    }
}

/// Computes ∫ k dn over part of the section at `s` by (1).
fn conveyance(valley: &Valley, s: f64, curvature: f64, [from, to]: [f64; 2]) -> f64 {
    let width = (to - from) / STRIPS as f64;
    let strip = |k: usize| {
        let n = from + width * (k as f64 + 0.5);
        let depth = (-valley.bed_height(s, n, curvature)).max(0.0);
        libm::pow(depth, 5.0 / 3.0) / (1.0 - curvature * n).max(0.1).sqrt()
    };
    (0..STRIPS).map(strip).sum::<f64>() * width * FALL.sqrt() / MANNING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::river::course::Course;

    // Every section passes the same discharge, also at bends and bars. Method: u h across the
    // course every 40 m, summed over strips of 0.1 m. Tolerance: 2 %, the differences over 0.5 m at
    // the edges of bars and banks.
    #[test]
    fn every_section_passes_the_discharge() {
        let valley = Valley::new(Course::new(1), 1);
        let stream = RiverFlow::new(&valley);
        let mut s = 200.0;
        while s < 1600.0 {
            let b = valley.half_width(s);
            let n_strips = (2.0 * b / 0.1) as usize;
            let mut sum = 0.0;
            for k in 0..n_strips {
                let n = -b + 0.1 * (k as f64 + 0.5);
                let p = valley.course.to_position(s, n);
                let foot = valley.course.to_course_coordinates(p);
                let [u, v] = stream.velocity(&valley, p);
                sum += 0.1 * (u * foot.along[0] + v * foot.along[1]) * (-valley.height(p)).max(0.0);
            }
            assert!(
                (sum / stream.discharge - 1.0).abs() < 0.02,
                "at {s} m: {sum} of {}",
                stream.discharge
            );
            s += 40.0;
        }
    }

    // The speeds follow Manning's formula. Method: the centre of a straight section, h^(2/3) √S/n.
    // Tolerance: 1 %, the finite differences.
    #[test]
    fn a_crossing_has_mannings_speed() {
        let valley = Valley::new(Course::new(1), 1);
        let stream = RiverFlow::new(&valley);
        let s = valley.course.crossings[valley.course.crossings.len() - 2];
        let p = valley.course.to_position(s, 0.0);
        let [u, v] = stream.velocity(&valley, p);
        let expected = libm::pow(-valley.height(p), 2.0 / 3.0) * FALL.sqrt() / MANNING;
        assert!(
            ((u * u + v * v).sqrt() / expected - 1.0).abs() < 0.01,
            "{u} {v} {expected}"
        );
    }
}
