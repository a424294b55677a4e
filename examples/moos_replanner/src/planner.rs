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
//! the distance ε · e_1 bow of the vehicle · φ course, counter-clockwise from east · ω measured yaw
//! rate, v measured speed in (9) · T period.
//!
//! # Points of (3)
//! The lowest p_i is that of the *admissible* ones: the point mass that the force to p_i pulls leads
//! the vehicle along a path that keeps the clearance from all obstacles, until it has turned to e_i
//! and 1.5 turning radii further, in which it can turn away again. The vehicle of this prediction
//! follows the course of the point mass with a limited and delayed yaw rate. Without an admissible
//! point, that with the largest distance of its path is taken.
//!
//! # Limits
//! (9) and (10) are zero below 1 mrad/s: a straight course has no radius. The point mass begins
//! again at the vehicle when it is more than 20 m away, such as after a reset.
//!
//! # Checked by
//! tests below and in `feature.rs`; tests/layouts.rs, tests/mission.rs

use crate::feature::{Feature, PULL_PER_M, SEVERITY_M};
use crate::vector::Vector;
use crate::world::{Itinerary, World};
use std::f64::consts::{PI, TAU};

/// Number of the points of (3), and their distance ε [m].
const POINTS: usize = 36;
const STEP_M: f64 = 0.5;
/// Largest force per mass [m/s²].
const MAX_FORCE: f64 = 0.5;
/// Least yaw rate of a turn [rad/s].
const MIN_YAW_RATE: f64 = 1e-3;
/// Distance at which the point mass begins again [m].
const MAX_LAG_M: f64 = 20.0;
/// Distance of an obstacle below which the side of the vehicle stays as it is, in turning radii.
const DECIDED_RADII: f64 = 2.0;
/// Step of the prediction, relative to the time in which the vehicle turns by 1 rad.
const PREDICTION_STEP: f64 = 0.08;
/// Longest prediction, in steps: a circle and a half.
const PREDICTION_STEPS: usize = 120;
/// Straight end of the prediction, in turning radii.
const STRAIGHT_RADII: f64 = 1.5;
/// Time constant of the yaw rate of the predicted vehicle [s], and its yaw rate per error [1/s].
const YAW_DELAY_S: f64 = 1.0;
const YAW_GAIN: f64 = 0.5;

/// What the vehicle can do, and how near it comes to obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Speed of the cruise v_max [m/s].
    pub max_speed: f64,
    /// Least commanded speed [m/s]: fins do not steer a vehicle at rest.
    pub min_speed: f64,
    /// Radius of the turning circle [m].
    pub turn_radius: f64,
    /// Distance that paths keep from obstacles [m].
    pub clearance: f64,
}

impl Limits {
    /// Creates the limits of a cruise at a speed [m/s], with a turning radius and a clearance [m].
    pub fn new(max_speed: f64, turn_radius: f64, clearance: f64) -> Self {
        Self {
            max_speed,
            min_speed: 0.5 * max_speed,
            turn_radius,
            clearance,
        }
    }

    /// Damping μ [1/s]: the pull of a waypoint drives the point mass at v_max.
    fn damping(&self) -> f64 {
        PULL_PER_M / self.max_speed
    }
}

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
#[derive(Clone, Debug)]
pub struct Planner {
    /// Obstacles.
    pub world: World,
    /// Waypoints.
    pub itinerary: Itinerary,
    limits: Limits,
    before: Option<Before>,
}

impl Planner {
    /// Creates a planner whose world takes all obstacles.
    pub fn new(limits: Limits) -> Self {
        let mut world = World::default();
        for kind in ["Rectangle", "Circle", "Ellipse", "Triangle"] {
            world.register(kind);
        }
        Self {
            world,
            itinerary: Itinerary::default(),
            limits,
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
        let reached = self.itinerary.progress();
        let waypoint = self.itinerary.advance(p)?.clone();
        if self.itinerary.progress() != reached {
            self.world.forget_sides();
        }
        let decided = (DECIDED_RADII * self.limits.turn_radius).max(SEVERITY_M);
        self.world.decide_sides(p, waypoint.position, decided);
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
        let force = self.force(motion, &waypoint, before.velocity);
        // (4)
        let velocity = (force + before.force) * (0.5 * period) + before.velocity;
        let velocity = velocity.bound(self.limits.max_speed);
        let ideal = before.position + (before.velocity + velocity) * (0.5 * period);
        let speed = velocity.dot(Vector::unit(motion.course));
        let speed = speed.max(self.limits.min_speed);
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
    fn force(&self, motion: &Motion, waypoint: &Feature, velocity: Vector) -> Vector {
        let p = motion.position;
        let here = self.potential(p, p, waypoint);
        let points = (0..POINTS).map(|k| {
            let e = Vector::unit(TAU * k as f64 / POINTS as f64);
            (e, here - self.potential(p + e * STEP_M, p, waypoint))
        });
        let mut points: Vec<(Vector, f64)> = points.collect();
        points.sort_by(|a, b| b.1.total_cmp(&a.1));
        let near = self.world.near(p, self.prediction_m());
        let mut safest = (f64::NEG_INFINITY, Vector::default());
        for (e, fall) in points {
            // a rise, where only such points are admissible, still pulls
            let pull = e * (fall / STEP_M).max(PULL_PER_M);
            let gap = self.predicted_gap(motion, velocity, pull, &near);
            if gap > safest.0 {
                safest = (gap, self.controlling_force(pull, velocity));
            }
            if gap >= self.limits.clearance {
                break;
            }
        }
        safest.1
    }

    /// Returns F for the fall of the potential, along its direction [m/s²], and v.
    fn controlling_force(&self, pull: Vector, velocity: Vector) -> Vector {
        (pull - velocity * self.limits.damping()).bound(MAX_FORCE)
    }

    /// Returns the longest way of a prediction [m].
    fn prediction_m(&self) -> f64 {
        PREDICTION_STEPS as f64 * PREDICTION_STEP * self.limits.turn_radius
    }

    /// Returns the least distance of the predicted path from obstacles [m], not above the clearance.
    fn predicted_gap(
        &self,
        motion: &Motion,
        mut velocity: Vector,
        pull: Vector,
        obstacles: &[&Feature],
    ) -> f64 {
        let Limits {
            max_speed,
            turn_radius,
            clearance,
            ..
        } = self.limits;
        if obstacles.is_empty() {
            return clearance;
        }
        let max_rate = max_speed / turn_radius;
        let dt = PREDICTION_STEP / max_rate;
        let (mut p, mut course, mut rate) = (motion.position, motion.course, motion.yaw_rate);
        let (mut least, mut straight) = (clearance, 0.0);
        for _ in 0..PREDICTION_STEPS {
            velocity = velocity + self.controlling_force(pull, velocity) * dt;
            velocity = velocity.bound(max_speed);
            let bow = Vector::unit(course);
            let error = libm::atan2(bow.left().dot(velocity), bow.dot(velocity));
            let wanted = (YAW_GAIN * error).clamp(-max_rate, max_rate);
            rate += (wanted - rate) * (dt / (dt + YAW_DELAY_S));
            course += rate * dt;
            p = p + Vector::unit(course) * (max_speed * dt);
            for obstacle in obstacles {
                let room = (p - obstacle.position).norm() - obstacle.reach();
                if room < least {
                    least = least.min(obstacle.distance(p).0);
                }
            }
            // 0.98: within 11 deg
            if bow.dot(pull) > 0.98 * pull.norm() {
                straight += max_speed * dt;
                if straight > STRAIGHT_RADII * turn_radius {
                    break;
                }
            }
        }
        least
    }
}

/// Returns an angle from -π to π [rad].
fn wrap(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (4): the trapezoid rule, scaled as printed; (5) and (6) of the same period.
    #[test]
    fn feeds_follow_the_equations() {
        let mut planner = Planner::new(Limits::new(2.0, 8.0, 3.0));
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
