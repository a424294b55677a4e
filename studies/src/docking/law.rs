//! Position control of the docking study, in the axes of the world, and control of the attitude.
//!
//! # Law
//! ```text
//!   P = Kp (r - y)                                    (4.1)
//!   D = Kd (y_k - y_k-1) / Ts                         (4.2)
//!   I = Ki Ts (y_k + y_k-1) / 2                       (4.3)
//!   u = P + I + D                                     (4.4)
//!   x_wp = x + 2 (x_ref - x) / r                      (4.13)
//!   psi_ref = arctan((y_ref - y) / (x_ref - x))       (4.14)
//! ```
//! # Symbols
//! r reference, y measured position, one axis [m] · e = r - y · Ts period of the link [s] · u force
//! [N] · x_wp way-point 2 m from the vehicle · psi_ref heading. Source: the thesis of the docking
//! co-simulation, sections 4.2 and 5.2.
//!
//! # Frames
//! World (ENU); the caller rotates the force into the axes of the body.
//!
//! # Limits
//! Literally, (4.2) amplifies the velocity and (4.3) depends on the origin of the world and does
//! not accumulate. [`Law`] lists the readings. The thesis does not publish the gains of the
//! attitude; these are of the PID controller of uuv_simulator for RexROV.
//!
//! # Checked by
//! Tests of this file, V12 in studies/src/cases/docking.rs

use crate::docking::scenario::Link;
use merrow_math::{Mat3, Vec3};

/// Distance of the way-point from the vehicle [m].
const WAYPOINT_DISTANCE: f64 = 2.0;
/// Horizontal distance within which the corrected laws hold the heading [m]; estimated, about the
/// distance that counts as docked.
const HELD: f64 = 0.75;
/// Gains of the attitude: moment per angle [N m/rad] and per angular velocity [N m s/rad], for
/// roll, pitch and yaw; uuv_simulator @bfb40cb,
/// `uuv_trajectory_control/config/controllers/pid/rexrov`.
const ATTITUDE_GAINS: [[f64; 2]; 3] = [[3300.0, 1100.0], [3300.0, 1100.0], [330.0, 1100.0]];

/// Reading of the printed equations of the position controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Eqs 4.1 to 4.4 and 4.14 literally: y is the measured position in all of them.
    Literal,
    /// y in eqs 4.2 and 4.3 is the error e; the integral does not accumulate.
    Error,
    /// As `Error`, without the term I.
    NoIntegral,
    /// As `Error`, with the term D corrected to damp the measured velocity, and with a heading over
    /// the full circle that is held near the dock.
    Damped,
    /// As `Damped`, with an integral of the error that accumulates.
    Accumulated,
}

impl Law {
    /// All readings, in the order of the page.
    pub const ALL: [Self; 5] = [
        Self::Literal,
        Self::Error,
        Self::NoIntegral,
        Self::Damped,
        Self::Accumulated,
    ];

    /// Returns the name of the reading in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Literal => "as printed, literally",
            Self::Error => "as printed, of the error",
            Self::NoIntegral => "as printed, without I",
            Self::Damped => "corrected damping, heading",
            Self::Accumulated => "corrected, I accumulates",
        }
    }
}

/// Gains of one link: proportional [N/m], integral [N/(m s)] and derivative [N s/m] per axis, and
/// the period [s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Proportional gain of x, y and z [N/m].
    pub kp: [f64; 3],
    /// Integral gain of x, y and z [N/(m s)].
    pub ki: [f64; 3],
    /// Derivative gain of x, y and z [N s/m].
    pub kd: [f64; 3],
    /// Sampling period of the link [s].
    pub period: f64,
}

impl Gains {
    /// Returns the gains of table 5.2.
    pub(crate) const fn for_link(link: Link) -> Self {
        match link {
            Link::Acoustic => Self {
                kp: [75.0, 75.0, 225.0],
                ki: [10.0; 3],
                kd: [65.0, 65.0, 55.0],
                period: 0.74,
            },
            Link::Radio => Self {
                kp: [155.0, 155.0, 455.0],
                ki: [195.0; 3],
                kd: [270.0, 270.0, 55.0],
                period: 0.04,
            },
        }
    }
}

/// Controller of the position with the gains of one link.
#[derive(Clone, Debug)]
pub struct PositionControl {
    law: Law,
    gains: Gains,
    /// Position and error of the last packet [m].
    last: Option<[Vec3; 2]>,
    /// Integral of the error per axis [N].
    integral: [f64; 3],
}

impl PositionControl {
    /// Creates a controller without memory.
    pub fn new(law: Law, gains: Gains) -> Self {
        Self {
            law,
            gains,
            last: None,
            integral: [0.0; 3],
        }
    }

    /// Returns the force in W [N] for the packet with `position` and `reference` [m].
    pub fn update(&mut self, position: Vec3, reference: Vec3) -> Vec3 {
        let error = reference - position;
        // the first packet has no predecessor
        let [last_position, last_error] = self.last.unwrap_or([position, error]);
        self.last = Some([position, error]);
        let (y, e) = (position.to_array(), error.to_array());
        let (y1, e1) = (last_position.to_array(), last_error.to_array());
        let Gains { kp, ki, kd, period } = self.gains;
        let force: [f64; 3] = std::array::from_fn(|k| {
            let mean = |now: f64, before: f64| ki[k] * period * 0.5 * (now + before);
            let rate = |now: f64, before: f64| kd[k] * (now - before) / period;
            let rest = match self.law {
                Law::Literal => mean(y[k], y1[k]) + rate(y[k], y1[k]),
                Law::Error => mean(e[k], e1[k]) + rate(e[k], e1[k]),
                Law::NoIntegral => rate(e[k], e1[k]),
                Law::Damped => mean(e[k], e1[k]) - rate(y[k], y1[k]),
                Law::Accumulated => {
                    self.integral[k] += mean(e[k], e1[k]);
                    self.integral[k] - rate(y[k], y1[k])
                }
            };
            kp[k] * e[k] + rest
        });
        Vec3::from(force)
    }
}

/// Returns the way-point on the path from `position` to `goal`, or `goal` if it is nearer [m].
pub fn waypoint(position: Vec3, goal: Vec3) -> Vec3 {
    let way = goal - position;
    let distance = way.norm();
    if distance <= WAYPOINT_DISTANCE {
        goal
    } else {
        position + way.scale(WAYPOINT_DISTANCE / distance)
    }
}

/// Returns the heading towards `reference`, counter-clockwise from x [rad]. The corrected laws hold
/// the heading (`None`) within `HELD` of the reference, where its direction is not defined.
pub fn heading(law: Law, position: Vec3, reference: Vec3) -> Option<f64> {
    let way = reference - position;
    let distance = libm::hypot(way.x, way.y);
    match law {
        Law::Damped | Law::Accumulated if distance < HELD => None,
        Law::Damped | Law::Accumulated => Some(libm::atan2(way.y, way.x)),
        _ if distance == 0.0 => Some(0.0),
        _ => Some(libm::atan(way.y / way.x)),
    }
}

/// Returns the moment in the axes of the body [N m] for the attitude `R_WB`, the angular velocity
/// `w_WB_B` [rad/s] and the heading `yaw` [rad]; roll and pitch have the reference zero.
pub(crate) fn attitude_moment(R_WB: &Mat3<f64>, w_WB_B: Vec3, yaw: f64) -> Vec3 {
    let [roll, pitch, own] = R_WB.to_rpy();
    let turn = libm::remainder(yaw - own, 2.0 * std::f64::consts::PI);
    let (errors, rates) = ([-roll, -pitch, turn], w_WB_B.to_array());
    let moment: [f64; 3] = std::array::from_fn(|k| {
        let [kp, kd] = ATTITUDE_GAINS[k];
        kp * errors[k] - kd * rates[k]
    });
    Vec3::from(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waypoints_end_at_the_goal() {
        let goal = Vec3::new(0.0, 0.0, -10.0);
        let far = waypoint(Vec3::new(6.0, 8.0, -10.0), goal);
        assert!((far - Vec3::new(4.8, 6.4, -10.0)).norm() < 1e-12);
        assert_eq!(waypoint(Vec3::new(1.0, 0.0, -10.0), goal), goal);
    }

    // The readings differ as stated. Method: two packets of a vehicle that moves by 0.1 m
    // along x at 1 m from the reference, gains of the radio link. Tolerance: rounding.
    #[test]
    fn readings_differ_in_damping_and_integral() {
        let forces = Law::ALL.map(|law| {
            let mut control = PositionControl::new(law, Gains::for_link(Link::Radio));
            let reference = Vec3::new(11.0, 0.0, 0.0);
            control.update(Vec3::new(9.9, 0.0, 0.0), reference);
            control.update(Vec3::new(10.0, 0.0, 0.0), reference).x
        });
        // Kp 155, Ki Ts 7.8, Kd / Ts 6750
        for (found, expected) in forces.into_iter().zip([
            155.0 + 7.8 * 9.95 + 675.0,
            155.0 + 7.8 * 1.05 - 675.0,
            155.0 - 675.0,
            155.0 + 7.8 * 1.05 - 675.0,
            155.0 + 7.8 * (1.1 + 1.05) - 675.0,
        ]) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn printed_heading_has_half_a_circle() {
        let (position, reference) = (Vec3::new(1.0, 1.0, 0.0), Vec3::zero());
        let degrees = |law| heading(law, position, reference).unwrap().to_degrees();
        assert!((degrees(Law::Literal) - 45.0).abs() < 1e-12);
        assert!((degrees(Law::Damped) + 135.0).abs() < 1e-12);
    }
}
