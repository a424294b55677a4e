//! The course (centre line) of a meandering river.
//!
//! # Law
//! ```text
//!   θ = (θ_j + θ_j+1)/2 + (θ_j - θ_j+1)/2 cos(π (s - s_j)/m_j),  θ_j = (-1)^j ω_j  (1)
//!   κ = dθ/ds                                                                      (2)
//!   λ = 10.9 W^1.01 (feet),  m = k λ/2,  k = 1/J₀(ω)                               (3)
//!   (1) [Langbein 1966]
//!   (3) [Leopold 1960; Langbein 1966]
//! ```
//! (1) is the sine-generated curve from one crossing to the next. With equal ω_j and m_j it is θ =
//! ω sin(2π s/M), the path of least variance. Here each crossing and each bend has its own values,
//! so that all bends differ; direction and curvature are continuous.
//!
//! # Symbols
//! s distance along the course · θ its direction from the valley's axis · ω largest θ, at the
//! crossings · m length of a bend from crossing to crossing · κ curvature, positive to the left · λ
//! wavelength, W width, k sinuosity.
//!
//! # Frames
//! World (ENU), the valley's axis towards east, downstream; n to the left of the course.
//!
//! # Limits
//! One channel of a given width; no cut-offs.
//!
//! # Checked by
//! tests below

use merrow_math::real::sin_cos;
use merrow_math::rng;
use std::f64::consts::PI;

/// Half the width of the river at the water surface [m].
pub const HALF_WIDTH: f64 = 16.0;
/// Mean of ω [rad], for a sinuosity of 1/J₀(1) = 1.31.
const OMEGA: f64 = 1.0;
/// Mean length of a bend [m], k λ/2 with λ = 365 m by (3) for a width of 32 m.
const BEND: f64 = 239.0;
/// Relative variation of ω and of the lengths of bends; chosen.
const VARIATION: f64 = 0.12;
/// Number of generated bends: more than the valley's length needs, even if the seed makes all of
/// them short.
const BENDS: usize = 8;
/// Distance between nodes [m].
const STEP: f64 = 1.0;

/// A point on the course.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Distance along the course [m].
    pub s: f64,
    /// Position (east, north) [m].
    pub p: [f64; 2],
    /// Unit vector in the downstream direction.
    pub along: [f64; 2],
    /// Curvature [1/m], positive to the left.
    pub curvature: f64,
}

/// A point in coordinates along the course and to its left.
#[derive(Clone, Copy, Debug)]
pub struct CourseCoordinates {
    /// Distance along the course [m].
    pub s: f64,
    /// Distance to the left of it [m].
    pub n: f64,
    /// Curvature of the course there [1/m].
    pub curvature: f64,
    /// Unit vector in the downstream direction.
    pub along: [f64; 2],
}

/// Centre line of the river.
#[derive(Clone, Debug)]
pub struct Course {
    /// Points along the course, one metre apart.
    pub nodes: Vec<Node>,
    /// Distances along the course of the crossings between bends [m].
    pub crossings: Vec<f64>,
}

impl Course {
    /// Generates the course of `seed`. Its centre is the origin, and its ends are on the axis of
    /// the valley.
    pub fn new(seed: u64) -> Self {
        let stream = rng::Stream::new(seed, "river/course");
        let mut draw = stream.draw(0);
        let mut vary = || 1.0 + VARIATION * (2.0 * draw.uniform() - 1.0);
        let first = if vary() > 1.0 { 1.0 } else { -1.0 };
        let mut angles = Vec::new();
        let mut crossings = vec![0.0];
        for j in 0..=BENDS {
            let side = if j % 2 == 0 { first } else { -first };
            angles.push(side * OMEGA * vary());
            if j < BENDS {
                crossings.push(crossings[j] + BEND * vary());
            }
        }
        Self::from_angles(&angles, crossings)
    }

    /// Creates the course with the direction `angles[j]` [rad] at the distance `crossings[j]` [m].
    fn from_angles(angles: &[f64], crossings: Vec<f64>) -> Self {
        let direction = |s: f64| {
            let j = crossings
                .partition_point(|c| *c <= s)
                .clamp(1, angles.len() - 1)
                - 1;
            let m = crossings[j + 1] - crossings[j];
            let half = 0.5 * (angles[j] - angles[j + 1]);
            let (sin, cos) = sin_cos(PI * (s - crossings[j]) / m);
            (
                0.5 * (angles[j] + angles[j + 1]) + half * cos,
                -half * PI / m * sin,
            ) // (1), (2)
        };
        let length = crossings[crossings.len() - 1];
        let n = (length / STEP) as usize;
        let mut p = [0.0; 2];
        let mut nodes = Vec::with_capacity(n + 1);
        for k in 0..=n {
            let s = k as f64 * STEP;
            let (theta, curvature) = direction(s);
            let (sin, cos) = sin_cos(theta);
            nodes.push(Node {
                s,
                p,
                along: [cos, sin],
                curvature,
            });
            // midpoint rule: second-order accurate
            let (sin, cos) = sin_cos(direction(s + 0.5 * STEP).0);
            p = [p[0] + STEP * cos, p[1] + STEP * sin];
        }
        // rotate so that the chord becomes the valley's axis
        let chord = nodes[n].p;
        let d = (chord[0] * chord[0] + chord[1] * chord[1]).sqrt();
        let (c, s) = (chord[0] / d, chord[1] / d);
        let turned = |[x, y]: [f64; 2]| [c * x + s * y, c * y - s * x];
        for node in &mut nodes {
            node.along = turned(node.along);
            let [x, y] = turned(node.p);
            node.p = [x - 0.5 * d, y];
        }
        Self { nodes, crossings }
    }

    /// Returns the coordinates of the point (x, y) [m] relative to the course.
    pub fn to_course_coordinates(&self, p: [f64; 2]) -> CourseCoordinates {
        const COARSE: usize = 16;
        let squared_distance = |k: usize| {
            let q = self.nodes[k].p;
            (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1])
        };
        let nearest = |candidates: &mut dyn Iterator<Item = usize>| {
            candidates
                .fold((0, f64::INFINITY), |best, k| {
                    if squared_distance(k) < best.1 {
                        (k, squared_distance(k))
                    } else {
                        best
                    }
                })
                .0
        };
        let last = self.nodes.len() - 1;
        let about = nearest(&mut (0..=last).step_by(COARSE));
        let k = nearest(&mut (about.saturating_sub(COARSE)..=(about + COARSE).min(last)));
        let node = &self.nodes[k];
        let d = [p[0] - node.p[0], p[1] - node.p[1]];
        let (ahead, left) = (
            d[0] * node.along[0] + d[1] * node.along[1],
            d[1] * node.along[0] - d[0] * node.along[1],
        );
        let curvature = node.curvature;
        // distance from the osculating circle of the course
        let n = if curvature.abs() < 1e-6 {
            left
        } else {
            let radius = 1.0 / curvature;
            let rest = radius - left;
            radius - radius.signum() * (rest * rest + ahead * ahead).sqrt()
        };
        let offset = (ahead / (1.0 - curvature * n).max(0.1)).clamp(-STEP, STEP);
        let (sin, cos) = sin_cos(curvature * offset);
        let along = [
            cos * node.along[0] - sin * node.along[1],
            sin * node.along[0] + cos * node.along[1],
        ];
        CourseCoordinates {
            s: node.s + offset,
            n,
            curvature: self.curvature(node.s + offset),
            along,
        }
    }

    /// Returns the position (east, north) [m] at `s` along the course and `n` to its left [m].
    pub fn to_position(&self, s: f64, n: f64) -> [f64; 2] {
        let (a, b, part) = self.nodes_around(s);
        let mix = |a: f64, b: f64| a + part * (b - a);
        let [x, y] = [mix(a.p[0], b.p[0]), mix(a.p[1], b.p[1])];
        let [ax, ay] = [mix(a.along[0], b.along[0]), mix(a.along[1], b.along[1])];
        [x - n * ay, y + n * ax]
    }

    /// Returns the curvature at `s` [m] along the course [1/m].
    pub fn curvature(&self, s: f64) -> f64 {
        let (a, b, part) = self.nodes_around(s);
        a.curvature + part * (b.curvature - a.curvature)
    }

    fn nodes_around(&self, s: f64) -> (&Node, &Node, f64) {
        let at = (s / STEP).clamp(0.0, (self.nodes.len() - 1) as f64);
        let k = (at as usize).min(self.nodes.len() - 2);
        (&self.nodes[k], &self.nodes[k + 1], at - k as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // With equal bends it is Langbein and Leopold's curve. Method: the sinuosity of whole waves
    // against 1/J₀(ω). Tolerance: 1e-4, the midpoint rule with steps of one metre.
    #[test]
    fn equal_bends_have_the_sinuosity_of_the_sine_generated_curve() {
        for omega in [0.5, 1.0, 1.5] {
            let crossings: Vec<f64> = (0..=4).map(|j| 200.0 * f64::from(j)).collect();
            let angles = [omega, -omega, omega, -omega, omega];
            let course = Course::from_angles(&angles, crossings);
            let [a, b] = [course.nodes[0].p, course.nodes[800].p];
            let sinuosity = 800.0 / (b[0] - a[0]);
            assert!(
                (sinuosity * libm::j0(omega) - 1.0).abs() < 1e-4,
                "{omega}: {sinuosity}"
            );
            // and θ itself
            for k in [37, 150, 410] {
                let s = f64::from(k);
                let [c, y] = course.nodes[k as usize].along;
                let expected = omega * libm::cos(PI * s / 200.0);
                assert!((libm::atan2(y, c) - expected).abs() < 1e-9);
            }
        }
    }

    // `place` and `foot` are inverse to each other. Method: points in the channel of several
    // seeds. Tolerance: 4 mm, the chords between nodes one metre apart on a radius of 60 m.
    #[test]
    fn course_coordinates_are_inverted() {
        for seed in 1..6 {
            let course = Course::new(seed);
            for k in 0..200 {
                let (s, n) = (20.3 + 7.7 * f64::from(k), -20.0 + 0.2 * f64::from(k));
                let foot = course.to_course_coordinates(course.to_position(s, n));
                assert!(
                    (foot.s - s).abs() < 0.02 && (foot.n - n).abs() < 4e-3,
                    "{s} {n}: {foot:?}"
                );
            }
        }
    }

    // The course extends from end to end of the valley, and the river does not intersect itself.
    // Method: extent and minimum radius for one hundred seeds.
    #[test]
    fn every_seed_gives_a_course_through_the_valley() {
        for seed in 0..100 {
            let course = Course::new(seed);
            let last = course.nodes[course.nodes.len() - 1];
            assert!(
                course.nodes[0].p[0] < -430.0 && last.p[0] > 430.0,
                "{seed}: {last:?}"
            );
            assert!(
                course
                    .nodes
                    .iter()
                    .all(|n| n.curvature.abs() * HALF_WIDTH < 0.4),
                "{seed}"
            );
            assert!(course.nodes.iter().all(|n| n.p[1].abs() < 140.0), "{seed}");
        }
    }
}
