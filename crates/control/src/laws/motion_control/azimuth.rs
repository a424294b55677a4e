//! Allocation to azimuth thrusters: their angles from extended thrusts, then all thrusts at the
//! current angles.
//!
//! # Law
//! ```text
//!   min ½ Σ (f_x² + f_y²) + ½ Σ f² + ½ sᵀ Q s   subject to   B_x f_x + B_y f_y + B f = τ - s  (1)
//!   α_r = atan2(f_y, f_x), or the opposite angle with reversed thrust                         (2)
//!   (1) [Sørdalen 1997: extended thrust]
//! ```
//! The servo turns towards α_r at its maximum rate. The thrusts then follow from
//! `constrained_allocation` with the wrenches of unit thrusts at the current angles, so that the
//! other thrusters balance an angle that lags.
//!
//! # Symbols
//! f_x, f_y thrust of an azimuth thruster along its zero direction and at 90 degrees · f thrusts of
//! the other thrusters · τ requested wrench, s part of it that is not produced · α_r requested
//! angle.
//!
//! # Frames
//! Base frame (FLU), force first; angles about the shaft.
//!
//! # Limits
//! (1) limits f_x and f_y separately. Below 2 % of the maximum thrust the angle is kept.
//!
//! # Checked by
//! test/analytic/vehicles/motion_control.rs

use crate::constrained_allocation::{AllocatedThrusts, allocate_within_limits};
use crate::devices::Devices;
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_model::scene::robot::firmware::motion_control::{MAX_THRUSTERS, MotionControl};
use std::f64::consts::{FRAC_PI_4, PI};

/// Fraction of the maximum thrust below which the angle is kept.
const MIN_THRUST_RATIO: f64 = 0.02;

/// Allocates `wrench` (force [N] and moment [N m] in B) to thrusters with the `limits` [N]; turns
/// the azimuth thrusters.
pub(super) fn allocate(
    settings: &MotionControl,
    devices: &mut Devices<'_>,
    limits: &[[f64; 2]],
    wrench: [f64; 6],
) -> AllocatedThrusts {
    let n = limits.len();
    let mut columns = [[0.0; 6]; MAX_THRUSTERS];
    if let Some(allocation) = &devices.robot().allocation {
        columns[..n].copy_from_slice(&allocation.unit_wrenches[..n]);
    }
    let independent = &settings.independent;
    if !settings.azimuths.is_empty() {
        command_angles(settings, devices, (&columns[..n], limits), wrench);
        for azimuth in &settings.azimuths {
            let (s, c) = sin_cos(devices.fin_angle(azimuth.fin));
            let (ahead, side) = (columns[azimuth.thruster], azimuth.side_wrench);
            columns[azimuth.thruster] = std::array::from_fn(|i| c * ahead[i] + s * side[i]);
        }
    }
    allocate_within_limits(&columns[..n], independent, limits, wrench)
}

/// Commands the angles of the azimuth thrusters by (1) and (2).
fn command_angles(
    settings: &MotionControl,
    devices: &mut Devices<'_>,
    (columns, limits): (&[[f64; 6]], &[[f64; 2]]),
    wrench: [f64; 6],
) {
    let (n, m) = (limits.len(), settings.azimuths.len());
    let mut extended = [[0.0; 6]; MAX_THRUSTERS];
    let mut ranges = [[0.0; 2]; MAX_THRUSTERS];
    extended[..n].copy_from_slice(columns);
    ranges[..n].copy_from_slice(limits);
    for (k, azimuth) in settings.azimuths.iter().enumerate() {
        let high = limits[azimuth.thruster][1];
        ranges[azimuth.thruster] = [-high, high];
        (extended[n + k], ranges[n + k]) = (azimuth.side_wrench, [-high, high]);
    }
    let all = n + m;
    let independent = &settings.independent;
    let found = allocate_within_limits(&extended[..all], independent, &ranges[..all], wrench);
    for (k, azimuth) in settings.azimuths.iter().enumerate() {
        let (x, y) = (found.thrusts[azimuth.thruster], found.thrusts[n + k]);
        let angle = devices.fin_angle(azimuth.fin);
        if let Some(angle) = requested_angle((x, y), limits[azimuth.thruster], angle) {
            let [low, high] = devices.robot().fins[azimuth.fin].range;
            let turns = if angle < low { 2.0 * PI } else { 0.0 };
            let turns = if angle > high { -2.0 * PI } else { turns };
            devices.set_fin(azimuth.fin, angle + turns);
        }
    }
}

/// Returns the angle (2) for the thrust `(x, y)` [N] of a thruster that is at `angle` [rad]; `None`
/// to keep the angle. Reversed thrust is chosen if it needs less rotation and is within the limits.
fn requested_angle((x, y): (f64, f64), [low, high]: [f64; 2], angle: f64) -> Option<f64> {
    let thrust = (x * x + y * y).sqrt();
    if thrust < MIN_THRUST_RATIO * high {
        return None;
    }
    let forward = wrap_angle(libm::atan2(y, x) - angle);
    let reversed = wrap_angle(forward + PI);
    let saturates = thrust > -low;
    let turn = if forward.abs() <= reversed.abs() + FRAC_PI_4 || saturates {
        forward
    } else {
        reversed
    };
    Some(angle + turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversed_thrust_saves_rotation() {
        let angle = |x: f64, y: f64, low: f64| requested_angle((x, y), [low, 100.0], 0.0);
        // ahead, to the side, astern: reversed without rotation
        assert_eq!(angle(50.0, 0.0, -100.0), Some(0.0));
        assert!((angle(0.0, 50.0, -100.0).unwrap() - 0.5 * PI).abs() < 1e-12);
        assert!(angle(-50.0, 0.0, -100.0).unwrap().abs() < 1e-12);
        // a thruster that is too weak astern turns
        assert!((angle(-50.0, 0.0, -20.0).unwrap().abs() - PI).abs() < 1e-12);
        assert_eq!(angle(1.0, 0.5, -100.0), None);
    }
}
