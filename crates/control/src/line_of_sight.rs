//! Line-of-sight guidance (LOS): the course along a path of straight legs, and around its end.
//!
//! # Law
//! ```text
//!   χ = π_p - atan((y_e + κ y_i)/Δ)             (1)
//!   y_i' = Δ y_e / (Δ² + (y_e + κ y_i)²)        (2)
//!   χ = φ + π/2 + atan((d - R)/R) + T v/R       (3)  [Breivik and Fossen 2004: circle]
//!   ψ = χ - β_c,   β_c = atan2(v_l, |v_a|)      (4)  [Fossen 2021, ch. 12: course and heading]
//!   (1) [Børhaug et al. 2008; Fossen 2021, ch. 12: integral LOS]
//! ```
//! In (1) κ = 0 gives LOS without integral. (3) leads to a circle that is passed counter-clockwise.
//! Its last term balances the lag of the heading control at the yaw rate of the circle.
//!
//! # Symbols
//! χ course, π_p direction of the leg · y_e distance from the leg, y_i its integral state, Δ
//! look-ahead distance, κ integral gain · φ direction from the centre of the circle to the vehicle,
//! d distance from it, R radius and look-ahead distance, T lead time, v speed · ψ heading for the
//! course χ, β_c crab angle, v_a and v_l velocity over ground along the heading and to its left. A
//! vehicle that a current sets astern keeps its bow towards the course.
//!
//! # Frames
//! World (ENU); angles from east, counter-clockwise; y_e positive to the left of the leg.
//!
//! # Limits
//! Legs are straight. The height changes linearly along a leg. (4) limits the crab angle to 45 deg,
//! and neglects it below 0.2 m/s, where the course is undefined.
//!
//! # Checked by
//! tests below; test/analytic/vehicles/motion_control.rs,
//! test/analytic/vehicles/heading_depth_hold.rs

use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::scene::robot::guidance::LineOfSight;
use merrow_model::state::firmware::tasks::PathProgress;

/// Guidance on the current leg of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegGuidance {
    /// Requested course, from east, counter-clockwise [rad].
    pub course: f64,
    /// Distance to the end of the leg along its direction [m].
    pub remaining: f64,
    /// Height of the leg beside the vehicle, in W [m].
    pub height: f64,
    /// True on the last leg.
    pub is_last: bool,
}

/// Position relative to a leg.
struct Leg {
    /// Direction of the leg [rad].
    direction: f64,
    /// Distance to its end along its direction [m].
    remaining: f64,
    /// Distance from it, positive to its left [m].
    cross_track: f64,
    /// Height of the leg beside the vehicle, in W [m].
    height: f64,
}

impl Leg {
    fn new(path: &PathProgress, p: Vec3) -> Self {
        let (from, to) = (path.waypoints[path.leg], path.waypoints[path.leg + 1]);
        let d = to - from;
        let length = (d.x * d.x + d.y * d.y).sqrt();
        if length < 1e-6 {
            return Self {
                direction: 0.0,
                remaining: 0.0,
                cross_track: 0.0,
                height: to.z,
            };
        }
        let (c, s) = (d.x / length, d.y / length);
        let r = p - from;
        let along = r.x * c + r.y * s;
        Self {
            direction: libm::atan2(d.y, d.x),
            remaining: length - along,
            cross_track: r.y * c - r.x * s,
            height: from.z + d.z * (along / length).clamp(0.0, 1.0),
        }
    }
}

/// Returns the guidance at the position `p` [m] in W, by (1) and (2); `None` at the end of the
/// path. Switches to the next leg near a waypoint and advances the integral over `dt` [s].
pub fn advance(
    settings: &LineOfSight,
    path: &mut PathProgress,
    p: Vec3,
    dt: f64,
) -> Option<LegGuidance> {
    while path.leg + 1 < path.waypoints.len() {
        if Leg::new(path, p).remaining > settings.acceptance_radius_m {
            break;
        }
        (path.leg, path.cross_track_integral) = (path.leg + 1, 0.0);
    }
    if path.leg + 1 >= path.waypoints.len() {
        return None;
    }
    let leg = Leg::new(path, p);
    path.cross_track = leg.cross_track;
    let (delta, y) = (settings.look_ahead_m, leg.cross_track);
    let compensated = y + settings.cross_track_integral_gain_m_s * path.cross_track_integral;
    if settings.cross_track_integral_gain_m_s > 0.0 {
        path.cross_track_integral += dt * delta * y / (delta * delta + compensated * compensated);
    }
    Some(LegGuidance {
        course: leg.direction - libm::atan2(compensated, delta),
        remaining: leg.remaining,
        height: leg.height,
        is_last: path.leg + 2 == path.waypoints.len(),
    })
}

/// Circle around the end of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Centre in W [m].
    pub center: Vec3,
    /// Radius of the circle [m].
    pub radius: f64,
    /// Lead time of the heading control [s].
    pub lead_time: f64,
}

impl Circle {
    /// Computes the course from east [rad] by (3) at `p` [m, W], at the speed `v` [m/s].
    pub fn course(&self, p: Vec3, v: f64) -> f64 {
        let (x, y) = (p.x - self.center.x, p.y - self.center.y);
        let error = (x * x + y * y).sqrt() - self.radius;
        let tangent = libm::atan2(y, x) + std::f64::consts::FRAC_PI_2;
        let correction = libm::atan2(error, self.radius);
        tangent + correction + self.lead_time * v / self.radius
    }
}

/// Minimum speed over ground at which the course is defined [m/s].
const MIN_SPEED: f64 = 0.2;
/// Maximum crab angle [rad].
const MAX_CRAB: f64 = std::f64::consts::FRAC_PI_4;

/// Computes the heading for the requested `course` by (4); both from east [rad]. `yaw` is the yaw
/// of the vehicle [rad], `v` its velocity in W [m/s].
pub fn heading_for_course(course: f64, yaw: f64, v: Vec3) -> f64 {
    if v.x * v.x + v.y * v.y < MIN_SPEED * MIN_SPEED {
        return course;
    }
    let (s, c) = sin_cos(yaw);
    let (along, left) = (v.x * c + v.y * s, v.y * c - v.x * s);
    let crab = libm::atan2(left, along.abs());
    course - crab.clamp(-MAX_CRAB, MAX_CRAB)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const SETTINGS: LineOfSight = LineOfSight {
        look_ahead_m: 5.0,
        cross_track_integral_gain_m_s: 0.0,
        acceptance_radius_m: 1.0,
    };

    fn path(waypoints: &[[f64; 3]]) -> PathProgress {
        PathProgress {
            waypoints: Arc::new(waypoints.iter().map(|p| Vec3::from(*p)).collect()),
            leg: 0,
            cross_track_integral: 0.0,
            cross_track: 0.0,
        }
    }

    #[test]
    fn course_points_to_the_look_ahead_point() {
        let mut path = path(&[[0.0; 3], [10.0, 0.0, -4.0]]);
        let at = Vec3::new(5.0, 5.0, 0.0);
        let found = advance(&SETTINGS, &mut path, at, 0.1).unwrap();
        assert!((found.course + std::f64::consts::FRAC_PI_4).abs() < 1e-12);
        assert!((found.height + 2.0).abs() < 1e-12 && found.is_last);
        assert_eq!(path.cross_track, 5.0);
    }

    #[test]
    fn legs_without_length_are_skipped() {
        let mut path = path(&[[0.0; 3], [0.0; 3], [9.0, 0.0, 0.0], [9.0, 0.0, 0.0]]);
        let found = advance(&SETTINGS, &mut path, Vec3::zero(), 0.1).unwrap();
        assert!(path.leg == 1 && found.remaining == 9.0);
        let end = advance(&SETTINGS, &mut path, Vec3::new(8.5, 0.0, 0.0), 0.1);
        assert_eq!(end, None);
    }

    #[test]
    fn heading_leads_the_course_against_a_current() {
        // heading east, pushed to the north: the heading for an eastward course is to the south
        let found = heading_for_course(0.0, 0.0, Vec3::new(1.0, 0.5, 0.0));
        assert!((found + 0.5_f64.atan()).abs() < 1e-12, "{found}");
        assert_eq!(heading_for_course(0.3, 0.0, Vec3::new(0.1, 0.1, 0.0)), 0.3);
    }

    #[test]
    fn circle_is_approached_and_passed_counter_clockwise() {
        let circle = Circle {
            center: Vec3::zero(),
            radius: 10.0,
            lead_time: 0.0,
        };
        let course = |x: f64| circle.course(Vec3::new(x, 0.0, 0.0), 1.0);
        // on the circle along its tangent, outside inwards, inside outwards
        assert!((course(10.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        assert!(course(20.0) > std::f64::consts::FRAC_PI_2 + 0.7);
        assert!(course(5.0) < std::f64::consts::FRAC_PI_2 - 0.4);
    }
}
