//! Heading and depth hold of a torpedo-shaped vehicle: computes fin angles from attitude, rates and
//! depth.
//!
//! # Law
//! ```text
//!   δ_r = K_ψ e_ψ - K_r r                             (1)  e_ψ = wrap(ψ_d - ψ)
//!   θ_d = clip(K_z (z - z_d) + K_w z', θ_down, θ_up)  (2)  the two pitch set-points
//!   δ_s = K_θ (θ - θ_d) + K_q q,  δ_b = -k_b δ_s      (3)
//! ```
//! Far from its depth set-point the vehicle dives or climbs at one of two pitch set-points; near it
//! the depth loop is active.
//!
//! # Symbols
//! ψ heading, clockwise from north, ψ_d its set-point · z depth, z_d its set-point · θ pitch, nose
//! up, θ_d its set-point · q, r pitch rate nose up, yaw rate to the right · δ_r rudder (positive:
//! to the right), δ_s stern planes (positive: nose down), δ_b bow planes (positive: nose up) · K,
//! k_b gains.
//!
//! # Frames
//! Signs as listed under Symbols; the caller converts its sensor readings.
//!
//! # Limits
//! There is no integral term: a vehicle out of trim keeps a residual error. As firmware of a robot
//! the law uses the true motion. `merrow validate` uses sensor readings, with z' as the difference
//! of two measured depths.
//!
//! # Checked by
//! test/witness/environment/thetis.rs (V01), test/analytic/vehicles/heading_depth_hold.rs

use crate::estimate::KnownMotion;
use merrow_model::scene::robot::firmware::heading_depth_hold::HeadingDepthHoldKeys;
use std::f64::consts::PI;

/// Set-points of heading and depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadingDepth {
    /// Heading, clockwise from north [rad].
    pub heading: f64,
    /// Depth, positive down [m].
    pub depth: f64,
}

/// Measured motion of the vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Heading, clockwise from north [rad].
    pub heading: f64,
    /// Pitch, nose up [rad].
    pub pitch: f64,
    /// Yaw rate to the right [rad/s].
    pub yaw_rate: f64,
    /// Pitch rate, nose up [rad/s].
    pub pitch_rate: f64,
    /// Depth, positive down [m].
    pub depth: f64,
    /// Sinking speed, positive down [m/s].
    pub sinking: f64,
}

impl Measured {
    /// Converts the motion of the base to the quantities that the law uses.
    pub fn from_motion(motion: &KnownMotion) -> Self {
        let R = motion.q_WB.matrix();
        let [_, pitch, yaw] = R.to_rpy();
        let V = &motion.V_WB_B;
        Self {
            heading: 0.5 * PI - yaw,
            pitch: -pitch,
            yaw_rate: -V.w.z,
            pitch_rate: -V.w.y,
            depth: -motion.p_WB.z,
            sinking: -R.mul_vec(V.v).z,
        }
    }
}

/// Requested fin angles [rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Angles {
    /// Rudder, positive to the right [rad].
    pub rudder: f64,
    /// Bow planes, positive nose up [rad].
    pub bow_planes: f64,
    /// Stern planes, positive nose down [rad].
    pub stern_planes: f64,
}

/// Computes the fin angles by (1) to (3). The limits of the fins are applied elsewhere.
pub fn fin_angles(
    gains: &HeadingDepthHoldKeys,
    set_points: &HeadingDepth,
    at: &Measured,
) -> Angles {
    let error = libm::remainder(set_points.heading - at.heading, 2.0 * PI);
    let pitch_set_point = gains.depth_gain_rad_per_m * (at.depth - set_points.depth)
        + gains.sinking_gain_rad_per_m_s * at.sinking;
    let [down, up] = gains.pitch_limits_deg.map(f64::to_radians);
    let pitch = pitch_set_point.clamp(down, up);
    let stern_planes =
        gains.pitch_gain * (at.pitch - pitch) + gains.pitch_rate_gain_s * at.pitch_rate;
    Angles {
        rudder: gains.heading_gain * error - gains.yaw_rate_gain_s * at.yaw_rate,
        bow_planes: -gains.bow_gain * stern_planes,
        stern_planes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_yaml::read::from_text;

    #[test]
    fn turns_the_short_way_and_limits_the_dive_angle() {
        let gains = from_text(
            "{source: test, heading_gain: 1, yaw_rate_gain_s: 0.5, depth_gain_rad_per_m: 0.4, \
             sinking_gain_rad_per_m_s: 0.2, pitch_gain: 1, pitch_rate_gain_s: 0.5, bow_gain: 0.5, \
             pitch_limits_deg: [-20, 10]}",
        );
        let gains = gains.expect("gains");
        let set_points = HeadingDepth {
            heading: 0.1,
            depth: 5.0,
        };
        let at = Measured {
            heading: 2.0 * PI - 0.1,
            ..Measured::default()
        };
        let found = fin_angles(&gains, &set_points, &at);
        assert!((found.rudder - 0.2).abs() < 1e-12, "{found:?}");
        let dive = 20.0_f64.to_radians();
        assert_eq!((found.stern_planes, found.bow_planes), (dive, -0.5 * dive));
        let deep = fin_angles(
            &gains,
            &set_points,
            &Measured {
                depth: 9.0,
                heading: 0.1,
                ..Measured::default()
            },
        );
        assert_eq!(
            (deep.stern_planes, deep.rudder),
            (-10.0_f64.to_radians(), 0.0)
        );
    }
}
