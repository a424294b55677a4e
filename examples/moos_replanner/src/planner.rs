//! The re-planner: controlling force and feeds, by (3) to (10) of the paper.
//!
//! # Law
//! ```text
//!   F = bound{(E(p) - min_i E(p_i)) e_i/ε - μ v, F_max}                    (3)
//!   v(k) = bound{T (F(k-1) + F(k))/2 + v(k-1), v_max},  v_c = v · e_1      (4)
//!   a_c = |F|                                                             (5)
//!   φ_c = atan2(v)                                                        (6)
//!   I_surge = |p - p_c|,  p_c(k) = p_c(k-1) + T (v(k-1) + v(k))/2         (7)
//!   ω_c = (φ_c(k) - φ(k-1))/T                                             (8)
//!   r = v/ω                                                               (9)
//!   α_c = (r a_c - v_c (r(k) - r(k-1))/T)/r²                              (10)
//! ```
//! # Symbols
//! p position, v velocity of the point mass, p_c its position · e_i direction of the point p_i at
//! the distance ε with the lowest potential · e_1 bow of the vehicle · φ course, counter-clockwise
//! from east · ω measured yaw rate, v measured speed in (9) · T period.
//!
//! # Limits
//! (9) and (10) are zero below 1 mrad/s: a straight course has no radius. The point mass begins
//! again at the vehicle when it is more than 20 m away, such as after a reset.
//!
//! # Checked by
//! tests below and in `feature.rs`; tests/mission.rs

use crate::feature::Feature;
use crate::vector::Vector;
use crate::world::{Itinerary, World};
use std::f64::consts::{PI, TAU};

/// Number of the points of (3), and their distance ε [m].
const POINTS: usize = 36;
const STEP_M: f64 = 0.5;
/// Damping μ [1/s].
const DAMPING: f64 = 0.3;
/// Largest force per mass [m/s²].
const MAX_FORCE: f64 = 0.5;
/// Least yaw rate of a turn [rad/s].
const MIN_YAW_RATE: f64 = 1e-3;
/// Distance at which the point mass begins again [m].
const MAX_LAG_M: f64 = 20.0;

/// Measured motion of the vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Position [m].
    pub position: Vector,
    /// Course of the bow, counter-clockwise from east [rad].
    pub course: f64,
    /// Speed [m/s].
    pub speed: f64,
    /// Yaw rate, counter-clockwise [rad/s].
    pub yaw_rate: f64,
}

/// Commands: derivative, proportional and integral channels of speed and course.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Feeds {
    /// a_c [m/s²].
    pub acceleration: f64,
    /// v_c [m/s].
    pub speed: f64,
    /// I_surge [m].
    pub surge_integral: f64,
    /// α_c [rad/s²].
    pub yaw_acceleration: f64,
    /// ω_c [rad/s].
    pub yaw_rate: f64,
    /// φ_c, counter-clockwise from east [rad].
    pub course: f64,
}

/// State of the planner between two periods.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Before {
    force: Vector,
    velocity: Vector,
    position: Vector,
    course: f64,
    radius: f64,
}

/// The re-planner with its world and its itinerary.
#[derive(Clone, Debug, Default)]
pub struct Planner {
    /// Obstacles.
    pub world: World,
    /// Waypoints.
    pub itinerary: Itinerary,
    max_speed: f64,
    before: Option<Before>,
}

impl Planner {
    /// Creates a planner for a cruise at `max_speed` [m/s], whose world takes all obstacles.
    pub fn new(max_speed: f64) -> Self {
        let mut world = World::default();
        for kind in ["Rectangle", "Circle", "Ellipse", "Triangle"] {
            world.register(kind);
        }
        Self {
            world,
            itinerary: Itinerary::default(),
            max_speed,
            before: None,
        }
    }

    /// Returns the potential at a point [m], by (1).
    pub fn potential(&self, p: Vector, vehicle: Vector, waypoint: &Feature) -> f64 {
        let obstacles = self.world.potential(p, vehicle, waypoint.position);
        obstacles + waypoint.static_potential(p)
    }

    /// Returns the feeds of a period `period` [s], or `None` at the end of the itinerary.
    pub fn tick(&mut self, motion: &Motion, period: f64) -> Option<Feeds> {
        let p = motion.position;
        let waypoint = self.itinerary.advance(p)?.clone();
        let start = Before {
            force: Vector::default(),
            velocity: Vector::unit(motion.course) * motion.speed,
            position: p,
            course: motion.course,
            radius: 0.0,
        };
        let before = self
            .before
            .filter(|own| (own.position - p).norm() < MAX_LAG_M);
        let before = before.unwrap_or(start);
        let force = self.force(p, &waypoint, before.velocity);
        // (4)
        let velocity = (force + before.force) * (0.5 * period) + before.velocity;
        let velocity = velocity.bound(self.max_speed);
        let ideal = before.position + (before.velocity + velocity) * (0.5 * period);
        let speed = velocity.dot(Vector::unit(motion.course)).max(0.0);
        let (acceleration, course) = (force.norm(), velocity.angle());
        let radius = if motion.yaw_rate.abs() < MIN_YAW_RATE {
            0.0
        } else {
            motion.speed / motion.yaw_rate
        };
        let yaw_acceleration = if radius == 0.0 || before.radius == 0.0 {
            0.0
        } else {
            let change = (radius - before.radius) / period;
            (radius * acceleration - speed * change) / (radius * radius)
        };
        let feeds = Feeds {
            acceleration,
            speed,
            surge_integral: (p - ideal).norm(),
            yaw_acceleration,
            yaw_rate: wrap(course - before.course) / period,
            course,
        };
        self.before = Some(Before {
            force,
            velocity,
            position: ideal,
            course: motion.course,
            radius,
        });
        Some(feeds)
    }

    /// Returns the force of (3) [m/s²].
    fn force(&self, p: Vector, waypoint: &Feature, velocity: Vector) -> Vector {
        let here = self.potential(p, p, waypoint);
        let points = (0..POINTS).map(|k| {
            let e = Vector::unit(TAU * k as f64 / POINTS as f64);
            (e, here - self.potential(p + e * STEP_M, p, waypoint))
        });
        let lowest = points.max_by(|a, b| a.1.total_cmp(&b.1));
        let (e, fall) = lowest.unwrap_or_default();
        (e * (fall / STEP_M) - velocity * DAMPING).bound(MAX_FORCE)
    }
}

/// Returns an angle from -π to π [rad].
fn wrap(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Shape;

    /// A vehicle that follows course and speed with a yaw rate of at most 0.15 rad/s.
    fn follow(planner: &mut Planner, start: Vector, course: f64, period: f64) -> Vec<Motion> {
        let mut motion = Motion {
            position: start,
            course,
            speed: 1.5,
            yaw_rate: 0.0,
        };
        let mut track = vec![motion];
        while let Some(feeds) = planner.tick(&motion, period) {
            let turn = wrap(feeds.course - motion.course) / 1.0;
            motion.yaw_rate = turn.clamp(-0.15, 0.15);
            motion.speed += (feeds.speed - motion.speed) * period / 2.0;
            motion.course += motion.yaw_rate * period;
            motion.position =
                motion.position + Vector::unit(motion.course) * (motion.speed * period);
            track.push(motion);
            assert!(track.len() < 20_000, "{motion:?}");
        }
        track
    }

    /// V21 of the validation: all waypoints, and never inside of a box. The course is of the kind of
    /// figure 6: boxes on and beside the way, one of them across it.
    #[test]
    fn trajectories_pass_between_boxes() {
        let mut planner = Planner::new(1.5);
        let boxes = [
            (60.0, 3.0, 12.0, 8.0, 0.3),
            (110.0, 40.0, 5.0, 20.0, 0.0),
            (150.0, 90.0, 15.0, 4.0, 0.8),
            (60.0, 110.0, 10.0, 10.0, 0.5),
        ];
        for (k, (x, y, a, b, angle)) in boxes.into_iter().enumerate() {
            let half = Vector::new(a, b);
            let shape = Shape::Rectangle { half, angle };
            let feature = Feature::new(format!("box{k}"), Vector::new(x, y), shape);
            planner.world.put(feature).unwrap();
        }
        for (x, y) in [(120.0, 5.0), (160.0, 60.0), (100.0, 120.0), (0.0, 100.0)] {
            planner.itinerary.put(Vector::new(x, y), 10.0);
        }
        let boxes = planner.world.features().to_vec();
        let track = follow(&mut planner, Vector::default(), 0.0, 0.1);
        assert_eq!(planner.itinerary.progress(), [4, 4]);
        let gap = |p: Vector| {
            boxes
                .iter()
                .map(|own| own.distance(p).0)
                .fold(f64::INFINITY, f64::min)
        };
        let closest = track
            .iter()
            .map(|m| gap(m.position))
            .fold(f64::INFINITY, f64::min);
        assert!(closest > 2.0, "{closest}");
    }

    /// (4): the trapezoid rule, scaled as printed; (5) and (6) of the same period.
    #[test]
    fn feeds_follow_the_equations() {
        let mut planner = Planner::new(2.0);
        planner.itinerary.put(Vector::new(1000.0, 0.0), 1.0);
        let motion = Motion {
            speed: 1.0,
            ..Motion::default()
        };
        let first = planner.tick(&motion, 0.1).unwrap();
        assert!((first.acceleration - MAX_FORCE).abs() < 1e-12);
        assert!((first.speed - 2.0).abs() < 1e-12 && first.course.abs() < 1e-12);
        assert_eq!((first.yaw_acceleration, first.yaw_rate), (0.0, 0.0));
        // the point mass is ahead of a vehicle that stands
        let second = planner.tick(&motion, 0.1).unwrap();
        assert!(
            (second.surge_integral - (0.15 + 0.2)).abs() < 1e-12,
            "{second:?}"
        );
    }
}
