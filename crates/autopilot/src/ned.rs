//! Motion in the axes of aviation: north, east, down and forward, right, down.
//!
//! # Law
//! ```text
//!   p_N = (y, x, -z),   v_N likewise                                        (1)
//!   R_NB = P R_WB Q                                                         (2)
//!   f_B = Rᵀ (a - g)                                                        (3)  specific force
//! ```
//! # Symbols
//! p, v position and velocity in W · R_WB attitude · P exchanges east and north and turns up to
//! down, Q turns left and up of the base to right and down · a acceleration · g gravity vector ·
//! f_B specific force, the quantity that an accelerometer measures.
//!
//! # Frames
//! World W (east, north, up) and base (forward, left, up) become north, east, down and forward,
//! right, down.
//!
//! # Limits
//! (3) is the position of the origin of the base. Heights are relative to z = 0 of the world.
//!
//! # Checked by
//! tests below; test/ros/checks/vehicles/autopilot.py, test/ros/checks/vehicles/mavlink.py

use crate::history::MotionSample;
use merrow_math::{Mat3, Quat, Vec3};

/// Converts components in east, north, up to north, east, down.
pub(crate) fn north_east_down(v: Vec3) -> Vec3 {
    Vec3::new(v.y, v.x, -v.z)
}

/// Converts components forward, left, up to forward, right, down.
pub(crate) fn forward_right_down(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.y, -v.z)
}

/// Computes the attitude of a body (forward, right, down) in north, east, down, by (2). `q_WB` is
/// the attitude of the base (forward, left, up) in east, north, up.
pub(crate) fn attitude_in_ned(q_WB: Quat) -> Quat {
    let R = q_WB.matrix();
    let columns = [R.col(0), R.col(1).scale(-1.0), R.col(2).scale(-1.0)].map(north_east_down);
    Quat::from_matrix(&Mat3 { r: columns }.transpose())
}

/// Returns the specific force [m/s²] of the base in forward, right, down, by (3), under `gravity`
/// [m/s²].
pub fn specific_force(motion: &MotionSample, gravity: f64) -> Vec3 {
    let force = motion.acceleration + Vec3::new(0.0, 0.0, gravity);
    forward_right_down(motion.attitude.matrix().tr_mul_vec(force))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn rpy_in_ned(roll: f64, pitch: f64, yaw: f64) -> [f64; 3] {
        attitude_in_ned(Quat::from_rpy(roll, pitch, yaw))
            .matrix()
            .to_rpy()
    }

    #[test]
    fn attitudes_are_those_of_aviation() {
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
            }
        };
        // heading north, east and west; level
        near(rpy_in_ned(0.0, 0.0, FRAC_PI_2), [0.0, 0.0, 0.0]);
        near(rpy_in_ned(0.0, 0.0, 0.0), [0.0, 0.0, FRAC_PI_2]);
        near(
            rpy_in_ned(0.0, 0.0, 3.0 * FRAC_PI_2),
            [0.0, 0.0, std::f64::consts::PI],
        );
        // right side down is a positive roll in both; bow up is negative in the base frame
        near(rpy_in_ned(0.2, 0.0, FRAC_PI_2), [0.2, 0.0, 0.0]);
        near(rpy_in_ned(0.0, -0.3, FRAC_PI_2), [0.0, 0.3, 0.0]);
    }
}
