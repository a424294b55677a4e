//! Elastic catenary: a line that hangs at rest between two points, possibly with a part on the
//! seabed.
//!
//! # Law
//! Measured from the lower end, x along and z up, with the components H and V of the tension at the
//! upper end:
//!
//! ```text
//!   x = H/w (asinh(V/H) - asinh((V-wL)/H)) + H L/EA               (1)  [Jonkman 2007, ch. 2]
//!   z = H/w (√(1+(V/H)²) - √(1+((V-wL)/H)²)) + (V L - w L²/2)/EA  (2)
//! ```
//! With the length `l_b = L - V/w` on a seabed of friction μ under the lower end, while V < wL,
//!
//! ```text
//!   x = l_b + H/w asinh(V/H) + H L/EA - μ w/(2 EA) (l_b² - max(l_b - H/(μ w), 0)²)  (3)
//!   z = H/w (√(1+(V/H)²) - 1) + V²/(2 EA w)                                         (4)
//!   (3) [Jonkman 2007, ch. 2]
//! ```
//! Newton's method solves for H and V. If the line is longer than needed to hang straight down and
//! lie straight on the seabed, it has no horizontal tension.
//!
//! # Symbols
//! w weight in water per length [N/m] · L unstretched length [m] · EA axial stiffness [N].
//!
//! # Frames
//! The vertical plane through the ends; a line lighter than water is computed upside down.
//!
//! # Limits
//! No inertia, no drag. The seabed is level and supports a line only if its lower end lies on it.
//!
//! # Checked by
//! tests below; test/analytic/tethers/catenary.rs

use libm::asinh;

/// Properties of a line and the position of its upper end relative to its lower one.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Horizontal distance of the ends [m].
    pub x: f64,
    /// Height of the upper end over the lower end [m].
    pub z: f64,
    /// Unstretched length of the line [m].
    pub length: f64,
    /// Weight in water per length, positive [N/m].
    pub weight: f64,
    /// Axial stiffness of the line [N].
    pub stiffness: f64,
    /// Friction coefficient of the seabed under the lower end; `None` if the lower end does not lie
    /// on it.
    pub seabed_friction: Option<f64>,
}

/// Tension at the upper end, and its flexibility.
#[derive(Clone, Copy, Debug)]
pub struct CatenarySolution {
    /// Horizontal component of the tension [N].
    pub H: f64,
    /// Vertical component at the upper end [N].
    pub V: f64,
    /// Flexibility `[[∂x/∂H, ∂x/∂V], [∂z/∂H, ∂z/∂V]]` [m/N].
    pub flexibility: [[f64; 2]; 2],
}

/// Ratio of horizontal tension to weight for a line that lies in a heap: negligible, but not zero.
const EXCESS_LINE_TENSION_RATIO: f64 = 1e-9;
/// Maximum number of Newton iterations; about eight are needed.
const MAX_NEWTON_STEPS: usize = 60;

impl Span {
    /// Solves (1) and (2), or (3) and (4), for the tension.
    pub fn solve(&self) -> CatenarySolution {
        let w = self.weight;
        if self.has_excess_line() {
            // negligible horizontal tension: the end moves freely along x and lifts the line
            // vertically
            let (H, V) = (
                EXCESS_LINE_TENSION_RATIO * w * self.length,
                w * self.z.max(0.0),
            );
            return CatenarySolution {
                H,
                V,
                flexibility: [[1.0 / (EXCESS_LINE_TENSION_RATIO * w), 0.0], [0.0, 1.0 / w]],
            };
        }
        // a vertical line has no horizontal direction; a minimum span avoids this without a
        // relevant change
        let span = Self {
            x: self.x.max(1e-4 * self.length),
            ..*self
        };
        let (x, z, L) = (span.x, span.z, span.length);
        let slack = (L * L - z * z) / (x * x) - 1.0;
        let shape = if slack > 0.0 {
            (3.0 * slack).sqrt()
        } else {
            0.2
        };
        let mut H = (w * x / (2.0 * shape)).abs().max(1e-6 * w * L);
        let mut V = 0.5 * w * (z / libm::tanh(shape) + L);
        let mut flexibility = [[1.0, 0.0], [0.0, 1.0]];
        for _ in 0..MAX_NEWTON_STEPS {
            let (end, J) = span.upper_end(H, V);
            flexibility = J;
            let (ex, ez) = (x - end[0], z - end[1]);
            let det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
            let dH = (J[1][1] * ex - J[0][1] * ez) / det;
            let dV = (J[0][0] * ez - J[1][0] * ex) / det;
            // H remains positive: a step reduces it by at most nine tenths
            let step_factor = if dH < -0.9 * H { -0.9 * H / dH } else { 1.0 };
            H += step_factor * dH;
            V += step_factor * dV;
            if dH.abs() <= 1e-12 * (H + V.abs()) && dV.abs() <= 1e-12 * (H + V.abs()) {
                break;
            }
        }
        CatenarySolution { H, V, flexibility }
    }

    /// Returns true if the line is so long that it hangs vertically from the upper end and lies in
    /// a heap.
    fn has_excess_line(&self) -> bool {
        self.seabed_friction.is_some() && self.length >= self.x + self.z.max(0.0)
    }

    /// Returns the length of line that lies on the seabed [m] for the vertical tension `V` [N] at
    /// the upper end.
    pub fn length_on_seabed(&self, V: f64) -> f64 {
        if self.seabed_friction.is_some() {
            (self.length - V / self.weight).max(0.0)
        } else {
            0.0
        }
    }

    /// Returns the horizontal and vertical tension [N] at the lower end, for `H` and `V` [N] at the
    /// upper end.
    ///
    /// The vertical component is positive if the line rises from the lower end.
    pub(crate) fn lower_tension(&self, H: f64, V: f64) -> [f64; 2] {
        match (self.seabed_friction, self.length_on_seabed(V)) {
            (Some(friction), seabed_length) if seabed_length > 0.0 => {
                [(H - friction * self.weight * seabed_length).max(0.0), 0.0]
            }
            _ => [H, V - self.weight * self.length],
        }
    }

    /// Returns the position of the upper end for the tension (H, V), and its derivatives.
    fn upper_end(&self, H: f64, V: f64) -> ([f64; 2], [[f64; 2]; 2]) {
        let (w, L, EA) = (self.weight, self.length, self.stiffness);
        let a = V / H;
        let root = (1.0 + a * a).sqrt();
        let seabed_length = self.length_on_seabed(V);
        if seabed_length > 0.0 {
            let mu = self.seabed_friction.unwrap_or(0.0);
            let sliding_length = if mu > 0.0 {
                (seabed_length - H / (mu * w)).max(0.0)
            } else {
                0.0
            };
            let friction = 0.5 * mu * w / EA
                * (seabed_length * seabed_length - sliding_length * sliding_length);
            let x = seabed_length + H / w * asinh(a) + H * L / EA - friction; // (3)
            let z = H / w * (root - 1.0) + V * V / (2.0 * EA * w); // (4)
            let xx = (asinh(a) - a / root) / w + (L - sliding_length) / EA;
            let xz = (1.0 / root - 1.0) / w;
            let zz = a / (w * root) + V / (EA * w);
            return (
                [x, z],
                [
                    [xx, xz + mu * (seabed_length - sliding_length) / EA],
                    [xz, zz],
                ],
            );
        }
        let b = (V - w * L) / H;
        let root_b = (1.0 + b * b).sqrt();
        let x = H / w * (asinh(a) - asinh(b)) + H * L / EA; // (1)
        let z = H / w * (root - root_b) + (V * L - 0.5 * w * L * L) / EA; // (2)
        let xx = (asinh(a) - asinh(b) - a / root + b / root_b) / w + L / EA;
        let xz = (1.0 / root - 1.0 / root_b) / w;
        let zz = (a / root - b / root_b) / w + L / EA;
        ([x, z], [[xx, xz], [xz, zz]])
    }

    /// Returns the position (along, up) [m] of the point at the unstretched length `s` [m] from the
    /// lower end.
    pub fn point(&self, solution: &CatenarySolution, s: f64) -> [f64; 2] {
        let (w, EA, H) = (self.weight, self.stiffness, solution.H);
        let seabed_length = self.length_on_seabed(solution.V);
        if seabed_length > 0.0 {
            let up = (s - seabed_length).max(0.0);
            let a = w * up / H;
            let x = s.min(seabed_length) + H / w * asinh(a) + H * s / EA;
            return [
                x,
                H / w * ((1.0 + a * a).sqrt() - 1.0) + 0.5 * w * up * up / EA,
            ];
        }
        let V_0 = solution.V - w * self.length;
        let (a, b) = ((V_0 + w * s) / H, V_0 / H);
        let x = H / w * (asinh(a) - asinh(b)) + H * s / EA;
        let z = H / w * ((1.0 + a * a).sqrt() - (1.0 + b * b).sqrt());
        [x, z + (V_0 * s + 0.5 * w * s * s) / EA]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans() -> impl Iterator<Item = Span> {
        let offsets = [
            (80.0, 30.0),
            (10.0, 95.0),
            (99.0, 5.0),
            (101.0, 10.0),
            (3.0, 0.0),
            (40.0, 40.0),
        ];
        offsets.into_iter().flat_map(|(x, z)| {
            [None, Some(0.0), Some(0.7)].map(|friction| Span {
                x,
                z,
                length: 100.0,
                weight: 12.0,
                stiffness: 3e6,
                seabed_friction: friction,
            })
        })
    }

    /// The solution reproduces the position of the upper end for taut, slack, lying and nearly
    /// vertical lines; Newton converges to rounding: 1e-8 m.
    #[test]
    fn solution_reproduces_end_positions() {
        for span in spans().filter(|s| !s.has_excess_line()) {
            let solution = span.solve();
            let ([x, z], _) = span.upper_end(solution.H, solution.V);
            assert!(
                (x - span.x).abs() < 1e-8 && (z - span.z).abs() < 1e-8,
                "{span:?}: {x} {z}"
            );
        }
    }

    /// For excess line the upper end carries the line that hangs vertically below it, without
    /// horizontal tension.
    #[test]
    fn excess_line_has_only_vertical_tension() {
        let all: Vec<Span> = spans().filter(Span::has_excess_line).collect();
        assert_eq!(all.len(), 4);
        for span in all {
            let CatenarySolution { H, V, .. } = span.solve();
            assert!(
                H < 1e-5 && (V - span.weight * span.z).abs() < 1e-9,
                "{span:?}: {H} {V}"
            );
            let [x, z] = span.point(
                &CatenarySolution {
                    H,
                    V,
                    flexibility: [[0.0; 2]; 2],
                },
                span.length,
            );
            assert!(
                x.is_finite() && (z - span.z).abs() < 1e-2,
                "{span:?}: {x} {z}"
            );
        }
    }

    /// The flexibility is the derivative of the position: central differences with 1e-5 of the
    /// tension are exact to 1e-6.
    #[test]
    fn flexibility_matches_finite_differences() {
        for span in spans().filter(|s| !s.has_excess_line()) {
            let CatenarySolution { H, V, .. } = span.solve();
            let (_, J) = span.upper_end(H, V);
            let (dH, dV) = (1e-5 * H, 1e-5 * V.abs().max(1.0));
            for i in 0..2 {
                let by_H =
                    (span.upper_end(H + dH, V).0[i] - span.upper_end(H - dH, V).0[i]) / (2.0 * dH);
                let by_V =
                    (span.upper_end(H, V + dV).0[i] - span.upper_end(H, V - dV).0[i]) / (2.0 * dV);
                let scale = J.iter().flatten().fold(0.0_f64, |a, x| a.max(x.abs()));
                assert!(
                    (J[i][0] - by_H).abs() < 1e-5 * scale,
                    "{span:?}: {} {by_H}",
                    J[i][0]
                );
                assert!(
                    (J[i][1] - by_V).abs() < 1e-5 * scale,
                    "{span:?}: {} {by_V}",
                    J[i][1]
                );
            }
        }
    }
}
