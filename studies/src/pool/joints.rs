//! Fits a smooth joint motion to encoder readings.
//!
//! # Law
//! At knots `Δ` apart a parabola is fitted to the readings by weighted least squares, and its value
//! becomes the value of the knot:
//! ```text
//!   min Σ_i w_i (q_i - a - b s_i - c s_i²)²,   s_i = t_i - t_k,   w_i = exp(-½ (s_i/σ)²)  (1)
//! ```
//! The motion is the clamped cubic spline through the knots. Position, velocity and acceleration
//! are therefore exactly consistent, and the acceleration is continuous.
//!
//! # Symbols
//! q joint position [rad] · t recorder's clock [s] · σ width of the window [s].
//!
//! # Frames
//! None.
//!
//! # Limits
//! Frequencies above about 1/(2πσ) are smoothed out. Before the first and after the last reading
//! the joint is at rest.
//!
//! # Checked by
//! The unit tests below, test/witness/vehicles/uvms.rs

use crate::pool::recording::{JOINTS, JointSample, Quintic};
use merrow_math::tridiagonal::BlockRow;
use merrow_math::{Mat3, tridiagonal};

/// Distance of the knots [s].
const KNOT: f64 = 0.02;

/// Width of the window [s]. The driver reads each encoder about every 40 ms and stamps it on
/// arrival, up to 20 ms late.
const SIGMA: f64 = 0.1;

/// Time before the first and after the last reading during which the arm is assumed to be at rest
/// [s].
const PADDING: f64 = 0.8;

/// Time without a new value after which a repeated value counts as a reading [s].
const REPEAT: f64 = 0.1;

/// Position, velocity and acceleration of all joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Position of the joint [rad].
    pub q: [f64; JOINTS],
    /// Velocity of the joint [rad/s].
    pub qd: [f64; JOINTS],
    /// Acceleration of the joint [rad/s²].
    pub qdd: [f64; JOINTS],
}

/// Spline of the motion of all joints.
#[derive(Clone, Debug)]
pub struct JointMotion {
    start: f64,
    knots: Vec<[f64; JOINTS]>,
    curvature: Vec<[f64; JOINTS]>,
}

impl JointMotion {
    /// Fits the motion through `readings`, which must not be empty.
    pub fn fit(readings: &[JointSample]) -> Self {
        let fresh = padded(&without_repeats(readings));
        let (first, last) = (fresh[0].t, fresh[fresh.len() - 1].t);
        let n = libm::ceil((last - first) / KNOT) as usize + 1;
        let mut from = 0;
        let knots: Vec<[f64; JOINTS]> = (0..n)
            .map(|k| {
                let t = first + k as f64 * KNOT;
                while from + 1 < fresh.len() && fresh[from].t < t - 4.0 * SIGMA {
                    from += 1;
                }
                local_fit(&fresh[from..], t)
            })
            .collect();
        let curvature = clamped_spline(&knots);
        Self {
            start: first,
            knots,
            curvature,
        }
    }

    /// Returns the state of the joints at `t` [s]; at rest outside the recording.
    pub fn state_at(&self, t: f64) -> JointState {
        let last = self.knots.len() - 1;
        let x = (t - self.start) / KNOT;
        if x <= 0.0 || x >= last as f64 {
            let q = self.knots[if x <= 0.0 { 0 } else { last }];
            return JointState {
                q,
                ..JointState::default()
            };
        }
        let k = (x as usize).min(last - 1);
        let (b, a) = (x - k as f64, 1.0 - (x - k as f64));
        let mut out = JointState::default();
        for j in 0..JOINTS {
            let (y0, y1) = (self.knots[k][j], self.knots[k + 1][j]);
            let (m0, m1) = (self.curvature[k][j], self.curvature[k + 1][j]);
            let h2 = KNOT * KNOT / 6.0;
            out.q[j] = a * y0 + b * y1 + h2 * ((a * a * a - a) * m0 + (b * b * b - b) * m1);
            out.qd[j] = (y1 - y0) / KNOT
                + KNOT / 6.0 * ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0);
            out.qdd[j] = a * m0 + b * m1;
        }
        out
    }
}

/// Removes repeated readings, because the recorder writes each reading several times.
fn without_repeats(readings: &[JointSample]) -> Vec<JointSample> {
    let mut kept: Vec<JointSample> = Vec::with_capacity(readings.len());
    for r in readings {
        let new = kept
            .last()
            .is_none_or(|last| last.q != r.q || r.t - last.t >= REPEAT);
        if new {
            kept.push(*r);
        }
    }
    kept
}

/// Adds constant readings before and after, so that a recording that starts in motion does not
/// start with a jump.
fn padded(readings: &[JointSample]) -> Vec<JointSample> {
    const STEP: f64 = 0.04;
    let n = (PADDING / STEP) as usize;
    let (first, last) = (readings[0], readings[readings.len() - 1]);
    let before = (1..=n).rev().map(|k| JointSample {
        t: first.t - k as f64 * STEP,
        q: first.q,
    });
    let after = (1..=n).map(|k| JointSample {
        t: last.t + k as f64 * STEP,
        q: last.q,
    });
    before
        .chain(readings.iter().copied())
        .chain(after)
        .collect()
}

/// Evaluates (1): returns the fitted value at `t` [s]; a line or a mean where the readings
/// determine no more.
fn local_fit(readings: &[JointSample], t: f64) -> [f64; JOINTS] {
    let mut s = [0.0; 5];
    let mut y = [[0.0; JOINTS]; 3];
    for r in readings.iter().take_while(|r| r.t <= t + 4.0 * SIGMA) {
        let x = (r.t - t) / SIGMA;
        let mut w = libm::exp(-0.5 * x * x);
        for p in 0..5 {
            s[p] += w;
            if p < 3 {
                for j in 0..JOINTS {
                    y[p][j] += w * r.q[j];
                }
            }
            w *= x;
        }
    }
    // a gap wider than the window: use the nearest earlier reading
    if s[0] < 1e-3 {
        let before = readings.iter().take_while(|r| r.t <= t).last();
        return before.unwrap_or(&readings[0]).q;
    }
    let m = nalgebra::Matrix3::new(s[0], s[1], s[2], s[1], s[2], s[3], s[2], s[3], s[4])
        + nalgebra::Matrix3::from_diagonal(&nalgebra::Vector3::new(0.0, 1e-9, 1e-9)) * s[0];
    let inverse = m.try_inverse();
    std::array::from_fn(|j| match &inverse {
        Some(i) => i[(0, 0)] * y[0][j] + i[(0, 1)] * y[1][j] + i[(0, 2)] * y[2][j],
        None => y[0][j] / s[0],
    })
}

/// Returns the second derivatives at the knots of the cubic spline that is at rest at both ends.
fn clamped_spline(y: &[[f64; JOINTS]]) -> Vec<[f64; JOINTS]> {
    let n = y.len();
    if n < 2 {
        return vec![[0.0; JOINTS]; n];
    }
    let mut curvature = vec![[0.0; JOINTS]; n];
    // the solver has three right-hand sides
    for first in (0..JOINTS).step_by(3) {
        let joints = first..JOINTS.min(first + 3);
        // 1 4 1 inside, 2 1 at the ends
        let mut rows = vec![BlockRow::default(); n];
        for i in 0..n {
            (rows[i].L, rows[i].U) = (Mat3::identity(), Mat3::identity());
            let neighbours = [i.checked_sub(1), Some(i + 1).filter(|k| *k < n)];
            for k in neighbours.into_iter().flatten() {
                rows[i].D = rows[i].D + Mat3::identity() + Mat3::identity();
                for j in joints.clone() {
                    rows[i].b[j - first] += 6.0 / (KNOT * KNOT) * (y[k][j] - y[i][j]);
                }
            }
        }
        tridiagonal::solve(&mut rows);
        for (row, curvature) in rows.iter().zip(&mut curvature) {
            joints.clone().for_each(|j| curvature[j] = row.b[j - first]);
        }
    }
    curvature
}

impl Quintic {
    /// Returns the commanded joint state `t` [s] after the start of the motion; at rest before and
    /// after it.
    ///
    /// `q = a0 + a1 t + a3 t³ + a4 t⁴ + a5 t⁵`, with zero acceleration at both ends.
    pub fn state_at(&self, t: f64) -> JointState {
        let mut out = JointState::default();
        if t <= 0.0 || t >= self.duration {
            out.q = if t <= 0.0 { self.from } else { self.to };
            return out;
        }
        let (T, s) = (self.duration, t / self.duration);
        for j in 0..JOINTS {
            let (v0, v1) = (self.end_speeds[0][j] * T, self.end_speeds[1][j] * T);
            let rise = self.to[j] - self.from[j];
            let a3 = 10.0 * rise - 6.0 * v0 - 4.0 * v1;
            let a4 = -15.0 * rise + 8.0 * v0 + 7.0 * v1;
            let a5 = 6.0 * rise - 3.0 * v0 - 3.0 * v1;
            let (s2, s3) = (s * s, s * s * s);
            out.q[j] = self.from[j] + v0 * s + s3 * (a3 + s * (a4 + s * a5));
            out.qd[j] = (v0 + s2 * (3.0 * a3 + s * (4.0 * a4 + s * 5.0 * a5))) / T;
            out.qdd[j] = s * (6.0 * a3 + s * (12.0 * a4 + s * 20.0 * a5)) / (T * T);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(f: impl Fn(f64) -> f64) -> Vec<JointSample> {
        (0..200)
            .map(|k| k as f64 * 0.037)
            .map(|t| JointSample {
                t,
                q: [f(t); JOINTS],
            })
            .collect()
    }

    // (1) fits a parabola exactly; the spline adds an error of order h⁴
    #[test]
    fn parabola_is_reproduced() {
        let motion = JointMotion::fit(&readings(|t| 0.2 + 0.3 * t - 0.05 * t * t));
        let s = motion.state_at(3.3);
        assert!(
            (s.q[2] - (0.2 + 0.3 * 3.3 - 0.05 * 3.3 * 3.3)).abs() < 1e-8,
            "{s:?}"
        );
        assert!((s.qd[2] - (0.3 - 0.1 * 3.3)).abs() < 1e-6, "{s:?}");
        assert!((s.qdd[2] + 0.1).abs() < 1e-4, "{s:?}");
    }

    #[test]
    fn velocity_and_acceleration_are_derivatives_of_the_position() {
        let motion = JointMotion::fit(&readings(|t| libm::sin(2.0 * t)));
        for k in 0..70 {
            let t = 0.013 + 0.1 * k as f64;
            let e = 1e-5;
            let (a, b, c) = (
                motion.state_at(t - e),
                motion.state_at(t),
                motion.state_at(t + e),
            );
            assert!(((c.q[0] - a.q[0]) / (2.0 * e) - b.qd[0]).abs() < 1e-6);
            assert!(((c.qd[0] - a.qd[0]) / (2.0 * e) - b.qdd[0]).abs() < 1e-3);
        }
    }

    #[test]
    fn quintic_starts_and_ends_at_rest() {
        let q = Quintic {
            from: [0.1; 4],
            to: [1.3; 4],
            end_speeds: [[0.0; 4]; 2],
            duration: 7.0,
        };
        let (a, m, b) = (q.state_at(1e-9), q.state_at(3.5), q.state_at(7.0 - 1e-9));
        assert!((a.q[0] - 0.1).abs() < 1e-12 && a.qd[0].abs() < 1e-12);
        assert!((b.q[0] - 1.3).abs() < 1e-12 && b.qd[0].abs() < 1e-12);
        // halfway: 15/8 of the mean speed
        assert!((m.q[0] - 0.7).abs() < 1e-12 && (m.qd[0] - 1.875 * 1.2 / 7.0).abs() < 1e-12);
    }
}
