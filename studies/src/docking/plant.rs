//! Linear model of the heave of RexROV with the delay of the acoustic link: section 5.1.1.
//!
//! # Law
//! ```text
//!   Z / F = 1 / (a s² + b s)                                         (4.9)
//!   C = Kp (nd s² + s + ni) / s                                      (4.10)
//!   exp(-Td s) = (1 - Td s / 2) / (1 + Td s / 2)                     (4.11)
//!   s² (a s + b) (1 + Td s / 2) + Kp (nd s² + s + ni) (1 - Td s / 2) = 0
//! ```
//! # Symbols
//! a inertia [kg] · b linear damping [N s/m] · Td delay [s] · nd ratio of the derivative to the
//! proportional gain [s] · ni ratio of the integral to the proportional gain [1/s]. The last line
//! is the closed loop. Source: the thesis of the docking co-simulation, section 4.2.1.
//!
//! # Frames
//! None.
//!
//! # Limits
//! No quadratic damping, no coupling to other axes, no sampling.
//!
//! # Checked by
//! Tests of this file, V16 in studies/src/cases/docking.rs

use merrow_model::scene::Robot;
use merrow_model::scene::robot::body::Damping;
use nalgebra::{Complex, Matrix4};

/// Added mass in heave that the thesis uses as the inertia a [kg].
pub(crate) const PUBLISHED_INERTIA: f64 = 3659.9;
/// Delay of the acoustic link [s].
pub(crate) const DELAY: f64 = 0.74;
/// Gain Kp [N/m] and ratios nd [s] and ni [1/s] of the root locus, section 5.1.1.
pub(crate) const ROOT_LOCUS: [f64; 3] = [995.0, 2.65, 0.0094];

/// Heave of a vehicle: inertia [kg] and linear damping [N s/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Inertia with added mass [kg].
    pub inertia: f64,
    /// Linear damping b [N s/m].
    pub damping: f64,
}

impl Plant {
    /// Returns the heave of the base of `robot` with its added mass.
    ///
    /// # Errors
    /// The robot has no link, or no diagonal linear damping.
    pub fn heave(robot: &Robot) -> Result<Self, String> {
        let base = robot.links.first().ok_or("the robot has no link")?;
        let Damping::Diagonal(damping) = &base.linear_damping else {
            return Err(format!("{}: no diagonal linear damping", robot.name));
        };
        Ok(Self {
            inertia: base.total.to_matrix()[5][5],
            damping: damping[5],
        })
    }

    /// Returns the pole of the velocity, positive if it decays [1/s].
    pub fn pole(&self) -> f64 {
        self.damping / self.inertia
    }

    /// Returns the poles of the closed loop [1/s] with the gains Kp [N/m], nd [s] and ni [1/s] and
    /// the delay [s].
    fn closed_loop(&self, [kp, nd, ni]: [f64; 3], delay: f64) -> [Complex<f64>; 4] {
        let (a, b, h) = (self.inertia, self.damping, 0.5 * delay);
        // coefficients of s^4 to s^0
        let c = [
            a * h,
            a + b * h - kp * nd * h,
            b + kp * (nd - h),
            kp * (1.0 - ni * h),
            kp * ni,
        ];
        let mut companion = Matrix4::zeros();
        for k in 0..4 {
            companion[(0, k)] = -c[k + 1] / c[0];
        }
        for k in 0..3 {
            companion[(k + 1, k)] = 1.0;
        }
        companion.complex_eigenvalues().into()
    }

    /// Returns times [s] and positions [m] of `seconds` [s] after a step of the reference by 1 m.
    ///
    /// The gains are Kp [N/m], nd [s] and ni [1/s]. The measured position is late by `delay` [s];
    /// the derivative is of this position.
    pub fn step_response(&self, [kp, nd, ni]: [f64; 3], delay: f64, seconds: f64) -> Vec<[f64; 2]> {
        let (dt, h) = (0.01, 0.5 * delay);
        // position, speed, delayed position, integral of the error
        let rates = |[z, w, y, i]: [f64; 4]| {
            let rate = (z - y) / h - w;
            let force = kp * (1.0 - y + ni * i - nd * rate);
            [w, (force - self.damping * w) / self.inertia, rate, 1.0 - y]
        };
        let mut x = [0.0; 4];
        let mut points = vec![[0.0; 2]];
        for k in 1..=(seconds / dt) as usize {
            let at = |d: [f64; 4], part: f64| std::array::from_fn(|j| x[j] + part * dt * d[j]);
            let a = rates(x);
            let b = rates(at(a, 0.5));
            let c = rates(at(b, 0.5));
            let d = rates(at(c, 1.0));
            x = std::array::from_fn(|j| x[j] + dt / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]));
            points.push([k as f64 * dt, x[0]]);
        }
        points
    }

    /// Returns the pole pair of the closed loop with the largest frequency: damping ratio [-] and
    /// negative real part [1/s]. The gains are Kp [N/m], nd [s] and ni [1/s], `delay` is in [s].
    pub(crate) fn oscillation(&self, gains: [f64; 3], delay: f64) -> Option<[f64; 2]> {
        let poles = self.closed_loop(gains, delay);
        let pair = poles.iter().filter(|p| p.im > 1e-9);
        let pole = pair.max_by(|p, q| p.im.total_cmp(&q.im))?;
        Some([-pole.re / pole.norm(), -pole.re])
    }
}

/// Returns the error of the phase of the first-order approximation of a delay [s] at the angular
/// frequency `w` [rad/s], in radians.
pub(crate) fn pade_phase_error(delay: f64, w: f64) -> f64 {
    delay * w - 2.0 * libm::atan(0.5 * delay * w)
}

/// Returns true if an integral gain that accumulates is stable by the criterion of Routh, without
/// delay: (b + Kd) Kp > a Ki. The gains are Kp [N/m], Ki [N/(m s)] and Kd [N s/m].
pub(crate) fn is_accumulation_stable(plant: &Plant, [kp, ki, kd]: [f64; 3]) -> bool {
    (plant.damping + kd) * kp > plant.inertia * ki
}

#[cfg(test)]
mod tests {
    use super::*;

    // The closed loop has the poles of its characteristic polynomial. Method: the polynomial
    // at each pole. Tolerance: rounding, relative to the largest term.
    #[test]
    fn poles_are_roots() {
        let plant = Plant {
            inertia: 3659.9,
            damping: 728.4,
        };
        let [kp, nd, ni] = ROOT_LOCUS;
        for s in plant.closed_loop(ROOT_LOCUS, DELAY) {
            let h = 0.5 * DELAY;
            let one = Complex::new(1.0, 0.0);
            let left = s * s * (s * plant.inertia + plant.damping) * (one + s * h);
            let right = (s * s * nd + s + ni) * (one - s * h) * kp;
            assert!((left + right).norm() < 1e-8 * right.norm().max(1.0), "{s}");
        }
    }

    // The published root locus follows from eq 4.10 and the added mass only. Method: damping
    // ratio of the oscillation against its design value of 0.7. Tolerance: two digits.
    #[test]
    fn published_gains_have_the_published_damping() {
        let plant = Plant {
            inertia: PUBLISHED_INERTIA,
            damping: 728.4,
        };
        let [ratio, _] = plant.oscillation(ROOT_LOCUS, DELAY).unwrap();
        assert!((ratio - 0.7).abs() < 0.02, "{ratio}");
    }
}
