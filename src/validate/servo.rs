//! The arm's servo as [Kolano 2022] approximates it: a torque controller on joint velocity.
//!
//! # Law
//! At 100 Hz, for each joint:
//! ```text
//!   e = q̇ - q̇_d,   u = -(Kp e + Ki Σ e h + Kd (e - e') / h)                               (1)
//!   τ = clip( τ' + clip( u + ¼ (τ_ff - τ'), ±Δ ), ±τ_max )                                  (2)
//! ```
//! # Symbols
//! q̇_d velocity of the commanded quintic [rad/s] · τ_ff bias effort of the arm at this instant (weight, buoyancy, drag and
//! velocity products, accelerations zero) [N m] · ′ value one period before · h period [s].
//!
//! # Frames
//! None.
//!
//! # Limits
//! The maker's own controller is not published; in the trials it followed better than this one. The gains are those of
//! [Kolano 2022, table I], the limits those of its program.
//!
//! # Checked by
//! test/witness/uvms.rs

use super::recording::JOINTS;

/// Periods a second.
const RATE: f64 = 100.0;

/// Part of the feed-forward that is blended in every period.
const BLEND: f64 = 0.25;

/// Proportional, integral and derivative gains, largest change of effort in a period [N m], largest effort [N m]; base,
/// shoulder, elbow, wrist.
const GAINS: [[f64; 5]; JOINTS] = [
    [3.38e-2, 4.39e-1, 1.74e-3, 0.1, 10.0],
    [4.59e-2, 3.73e-1, 3.82e-3, 0.1, 10.0],
    [1.35e-2, 9.64e-2, 1.27e-3, 0.1, 10.0],
    [9.45e-4, 1.477e-2, 2.27e-5, 0.005, 0.6],
];

/// The memory of all four loops.
#[derive(Clone, Debug)]
pub struct Servo {
    effort: [f64; JOINTS],
    integral: [f64; JOINTS],
    error: [f64; JOINTS],
}

impl Servo {
    /// At rest, with the efforts that hold the arm.
    pub fn holding(effort: [f64; JOINTS]) -> Self {
        Self { effort, integral: [0.0; JOINTS], error: [0.0; JOINTS] }
    }

    /// True if a period begins with step `k` of `dt` seconds.
    pub fn is_due(&self, k: u64, dt: f64) -> bool {
        let every = libm::round(1.0 / (RATE * dt)).max(1.0) as u64;
        k.is_multiple_of(every)
    }

    /// (1) and (2) from the measured and wanted velocities and the bias efforts.
    pub fn update(
        &mut self,
        measured: [f64; JOINTS],
        wanted: [f64; JOINTS],
        bias: [f64; JOINTS],
    ) -> [f64; JOINTS] {
        for (k, [kp, ki, kd, change, most]) in GAINS.into_iter().enumerate() {
            let error = measured[k] - wanted[k];
            self.integral[k] += error / RATE;
            let u = -(kp * error + ki * self.integral[k] + kd * (error - self.error[k]) * RATE); // (1)
            self.error[k] = error;
            let step = (u + BLEND * (bias[k] - self.effort[k])).clamp(-change, change);
            self.effort[k] = (self.effort[k] + step).clamp(-most, most); // (2)
        }
        self.effort
    }
}
