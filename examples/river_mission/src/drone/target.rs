//! Estimate of the landing pad that moves with the boat.
//!
//! # Law
//! Kalman filter of position and velocity with white acceleration, alike for the three axes
//! (Bar-Shalom, Li and Kirubarajan 2001, section 6.2.2):
//! ```text
//!   x' = F x,  F = [1 T; 0 1],  Q = q [T³/3 T²/2; T²/2 T]                        (1)
//! ```
//! The heading follows the measurements with a first-order lag.
//!
//! # Symbols
//! T step [s] · q density of the acceleration [m²/s³].
//!
//! # Frames
//! Map: east, north, up.
//!
//! # Limits
//! The covariance is the same for the three axes, with that of the worst. A measurement that is
//! older than the estimate is moved forward with the estimated velocity.
//!
//! # Checked by
//! The tests below.

use crate::frames::wrapped;
use nalgebra::{Matrix2, Vector2, Vector3};

/// Density of the acceleration of the boat [m²/s³].
const ACCELERATION_DENSITY: f64 = 0.05;
/// Time constant of the heading [s].
const HEADING_TIME_S: f64 = 0.5;
/// Longest delay that is compensated, and longest step of the prediction [s].
const MAX_DELAY_S: f64 = 2.0;
/// Squared normalised distance of a measurement that starts the estimate anew if several follow:
/// 99.99 % quantile of the chi-squared distribution with three degrees of freedom.
const GATE: f64 = 21.1;
/// Refused measurements in a row after which the estimate starts anew.
const MAX_REFUSED: u32 = 5;

/// The estimate of the pad.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Time of the estimate [ns].
    pub stamp_ns: u64,
    /// Centre of the pad [m].
    pub position: Vector3<f64>,
    /// Its velocity [m/s].
    pub velocity: Vector3<f64>,
    /// Heading of the boat [rad].
    pub heading: f64,
    /// Covariance of position and velocity of each axis.
    covariance: Matrix2<f64>,
    refused: u32,
}

impl Target {
    /// Starts at a measured position [m] with this standard deviation [m], velocity [m/s] and
    /// heading [rad].
    #[must_use]
    pub fn new(
        stamp_ns: u64,
        position: Vector3<f64>,
        std_m: f64,
        velocity: Vector3<f64>,
        heading: f64,
    ) -> Self {
        Self {
            stamp_ns,
            position,
            velocity,
            heading,
            covariance: Matrix2::new(std_m * std_m, 0.0, 0.0, 0.25),
            refused: 0,
        }
    }

    /// Returns the estimate at a later time [ns]: (1).
    #[must_use]
    pub fn at(&self, stamp_ns: u64) -> Self {
        let dt = stamp_ns.saturating_sub(self.stamp_ns) as f64 * 1e-9;
        let step = Matrix2::new(1.0, dt, 0.0, 1.0);
        let noise = Matrix2::new(dt * dt * dt / 3.0, dt * dt / 2.0, dt * dt / 2.0, dt);
        Self {
            stamp_ns: self.stamp_ns.max(stamp_ns),
            position: self.position + self.velocity * dt,
            covariance: step * self.covariance * step.transpose() + noise * ACCELERATION_DENSITY,
            ..self.clone()
        }
    }

    /// Uses a position [m] with this standard deviation [m] that was measured at a time [ns], and a
    /// heading [rad] if one was measured. A position that is far from the estimate is not used,
    /// unless more of them follow.
    pub fn measure(
        &mut self,
        stamp_ns: u64,
        position: Vector3<f64>,
        std_m: f64,
        heading: Option<f64>,
    ) {
        let late_s = self.stamp_ns.saturating_sub(stamp_ns) as f64 * 1e-9;
        if late_s > MAX_DELAY_S {
            return;
        }
        let dt = stamp_ns.saturating_sub(self.stamp_ns) as f64 * 1e-9;
        let mut next = self.at(stamp_ns);
        let error = position + self.velocity * late_s - next.position;
        let variance = next.covariance[(0, 0)] + std_m * std_m;
        if error.norm_squared() > GATE * variance {
            self.refused += 1;
            if self.refused > MAX_REFUSED {
                let heading = heading.unwrap_or(self.heading);
                *self = Self::new(stamp_ns, position, std_m, Vector3::zeros(), heading);
            }
            return;
        }
        let gain: Vector2<f64> = next.covariance.column(0) / variance;
        next.position += error * gain.x;
        next.velocity += error * gain.y;
        let row = next.covariance.row(0).into_owned();
        next.covariance -= gain * row;
        if let Some(heading) = heading {
            let part = 1.0 - (-dt.max(0.05) / HEADING_TIME_S).exp();
            next.heading = wrapped(next.heading + part * wrapped(heading - next.heading));
        }
        next.refused = 0;
        *self = next;
    }

    /// Uses a velocity [m/s] with this standard deviation [m/s] at the time of the estimate, that of
    /// the last measurement.
    pub fn measure_velocity(&mut self, velocity: Vector3<f64>, std_m_s: f64) {
        let error = velocity - self.velocity;
        let variance = self.covariance[(1, 1)] + std_m_s * std_m_s;
        let gain: Vector2<f64> = self.covariance.column(1) / variance;
        self.position += error * gain.x;
        self.velocity += error * gain.y;
        let row = self.covariance.row(1).into_owned();
        self.covariance -= gain * row;
    }

    /// Returns the standard deviation of the position [m].
    #[must_use]
    pub fn position_std(&self) -> f64 {
        self.covariance[(0, 0)].max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    #[test]
    fn moving_pads_are_followed() {
        let speed = Vector3::new(1.2, -0.5, 0.0);
        let truth = |t: f64| Vector3::new(5.0, 2.0, 1.25) + speed * t;
        let mut target = Target::new(0, truth(0.0), 0.5, Vector3::zeros(), 0.3);
        for k in 1..100_u64 {
            let t = 0.2 * k as f64;
            let wobble = Vector3::repeat(if k % 2 == 0 { 0.05 } else { -0.05 });
            target.measure(k * S / 5, truth(t) + wobble, 0.05, Some(0.4));
        }
        assert!(
            (target.velocity - speed).norm() < 0.12,
            "{}",
            target.velocity
        );
        assert!((target.position - truth(19.8)).norm() < 0.08);
        assert!((target.heading - 0.4).abs() < 1e-3);
        // two seconds without measurements
        let later = target.at(target.stamp_ns + 2 * S);
        assert!((later.position - truth(21.8)).norm() < 0.3);
        assert!(later.position_std() > target.position_std());
    }

    // A boat that accelerates by 0.2 m/s² is followed without the lag of the positions.
    #[test]
    fn velocities_remove_the_lag() {
        let lag = |with_velocity: bool| {
            let mut target = Target::new(0, Vector3::zeros(), 0.1, Vector3::zeros(), 0.0);
            for k in 1..150_u64 {
                let t = 0.04 * k as f64;
                target.measure(k * S / 25, Vector3::new(0.1 * t * t, 0.0, 0.0), 0.1, None);
                if with_velocity {
                    target.measure_velocity(Vector3::new(0.2 * t, 0.0, 0.0), 0.1);
                }
            }
            (target.velocity.x - 0.2 * 5.96).abs()
        };
        assert!(lag(false) > 0.05, "{}", lag(false));
        assert!(lag(true) < 0.5 * lag(false), "{}", lag(true));
    }

    #[test]
    fn late_measurements_are_moved_forward() {
        let speed = Vector3::new(2.0, 0.0, 0.0);
        let mut target = Target::new(10 * S, Vector3::zeros(), 0.1, speed, 0.0);
        target.measure(10 * S - S / 2, Vector3::new(-1.0, 0.0, 0.0), 0.1, None);
        assert!(target.position.norm() < 1e-9);
        target.measure(S, Vector3::new(50.0, 0.0, 0.0), 0.1, None);
        assert!(target.position.norm() < 1e-9, "too old");
    }

    #[test]
    fn false_alarms_are_refused_and_jumps_accepted() {
        let mut target = Target::new(0, Vector3::zeros(), 0.1, Vector3::zeros(), 0.0);
        let far = Vector3::new(20.0, 0.0, 0.0);
        target.measure(S / 5, far, 0.1, None);
        assert!(target.position.norm() < 1e-9);
        for k in 2..8 {
            target.measure(k * S / 5, far, 0.1, None);
        }
        assert!((target.position - far).norm() < 1e-9);
    }
}
