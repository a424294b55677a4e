//! Local avoidance: the dynamic window approach for a boat that drifts.
//!
//! # Law
//! The pilot chooses among pairs (u, r) of forward speed and yaw rate that the boat can reach within a
//! period [Fox, Burgard, Thrun 1997]. It predicts the motion over ground over a horizon T:
//! ```text
//!   x' = R(ψ) (u, v)ᵀ,   ψ' = r,   v = n(ψ)·c                                       (1)
//!   J = |x(T) - x_target| + w_c mean cost + w_r |r - r_last| + w_t |angle to x_target|  (2)
//! ```
//! and takes the pair with the least J of those whose hull meets no lethal cell. The firmware of the boat
//! controls u over ground and cannot move sideways, so that the current c carries the boat sideways: (1)
//! has this drift v, and the pilot steers against it. The target is the place on the path a distance
//! ahead.
//!
//! The drift is estimated from the sway velocity v over ground: it is a measurement of c along the
//! unit vector n(ψ) to the left of the boat. A Kalman filter with a random walk of c combines headings.
//!
//! # Symbols
//! u, v surge and sway over ground [m/s] · r yaw rate [rad/s] · c current [m/s] · n(ψ) unit vector to the
//! left of the boat.
//!
//! # Limits
//! Obstacles are taken to stand still over the horizon. The sway of turns is part of the estimated
//! current; the noise of the measurement covers it.
//!
//! # Checked by
//! tests below: drift from two headings, straight course across a current, stop before a wall

use super::map::CostMap;
use super::planner::distance;
use crate::frames::wrapped;
use nalgebra::{Matrix2, Vector2};

/// Limits of the boat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Speed ahead [m/s].
    pub speed_m_s: f64,
    /// Yaw rate [rad/s].
    pub yaw_rate_rad_s: f64,
    /// Change of the yaw rate [rad/s²].
    pub yaw_acceleration_rad_s2: f64,
    /// Change of the speed [m/s²].
    pub acceleration_m_s2: f64,
    /// Places of the circles of the hull ahead of the base [m], with the radius of the cost map.
    pub circles_m: [f64; 3],
}

/// Period of commands, step of the prediction and horizon [s].
pub const PERIOD_S: f64 = 0.2;
const STEP_S: f64 = 0.4;
const HORIZON_S: f64 = 5.0;
/// Time within which the boat has to be able to stop [s].
const BRAKE_S: f64 = 2.4;
/// Numbers of speeds and yaw rates.
const SPEEDS: usize = 5;
const RATES: usize = 15;
/// Weights of cost [m] and of the change of the yaw rate [m s].
const COST_WEIGHT: f64 = 0.05;
const RATE_WEIGHT: f64 = 1.0;
/// Weight of the angle between heading and target at the end [m/rad], which turns a boat on the spot.
const TURN_WEIGHT: f64 = 0.7;
/// Cost of a lethal cell that is met after the boat could have stopped, or that it leaves.
const LETHAL_COST: f64 = 500.0;
/// Speeds with which an obstacle is left [m/s].
const ESCAPE_SPEEDS: [f64; SPEEDS] = [-0.5, -0.25, 0.0, 0.25, 0.5];
/// Speed below which a boat with a long way to go has no free choice either [m/s].
const MIN_SPEED_M_S: f64 = 0.05;
/// Distance of the target on the path [m].
const AHEAD_M: f64 = 7.0;
/// Time in which a command is reached in the window [s].
const WINDOW_S: f64 = 1.0;

/// State of the boat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Place [m].
    pub place: [f64; 2],
    /// Heading [rad].
    pub heading: f64,
    /// Surge and sway over ground [m/s].
    pub velocity: [f64; 2],
    /// Yaw rate [rad/s].
    pub yaw_rate: f64,
}

/// Estimate of the current.
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    /// Current, east and north [m/s].
    pub current: Vector2<f64>,
    P: Matrix2<f64>,
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            current: Vector2::zeros(),
            P: Matrix2::identity(),
        }
    }
}

impl Drift {
    /// Variance of a measurement, of which those of some seconds have the same error [m²/s²].
    const NOISE: f64 = 0.5;
    /// Random walk [m²/s³].
    const WALK: f64 = 2e-3;

    /// Takes the sway of a boat after `dt_s` seconds.
    pub fn update(&mut self, motion: &Motion, dt_s: f64) {
        let (sin, cos) = libm::sincos(motion.heading);
        let n = Vector2::new(-sin, cos);
        self.P += Matrix2::identity() * (Self::WALK * dt_s);
        let Pn = self.P * n;
        let K = Pn / (n.dot(&Pn) + Self::NOISE);
        self.current += K * (motion.velocity[1] - n.dot(&self.current));
        self.P -= K * Pn.transpose();
    }
}

/// Returns the place a distance ahead on a path, from the nearest place on it, and the length that is
/// left from there [m]; `None` for an empty path.
pub fn target(path: &[[f64; 2]], place: [f64; 2], ahead_m: f64) -> Option<([f64; 2], f64)> {
    let mut nearest = (f64::INFINITY, 0, 0.0);
    for (k, pair) in path.windows(2).enumerate() {
        let d = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        let length2 = d[0] * d[0] + d[1] * d[1];
        let along = (place[0] - pair[0][0]) * d[0] + (place[1] - pair[0][1]) * d[1];
        let part = if length2 > 0.0 {
            (along / length2).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let away = distance(place, [pair[0][0] + part * d[0], pair[0][1] + part * d[1]]);
        if away < nearest.0 {
            nearest = (away, k, part);
        }
    }
    if path.len() < 2 {
        return path.first().map(|p| (*p, 0.0));
    }
    let (_, first, part) = nearest;
    let lengths: Vec<f64> = path.windows(2).map(|p| distance(p[0], p[1])).collect();
    let left: f64 = lengths[first..].iter().sum::<f64>() - part * lengths[first];
    let mut rest = ahead_m + part * lengths[first];
    for (k, length) in lengths.iter().enumerate().skip(first) {
        if rest <= *length && *length > 0.0 {
            let part = rest / length;
            let p = [0, 1].map(|i| path[k][i] + part * (path[k + 1][i] - path[k][i]));
            return Some((p, left));
        }
        rest -= length;
    }
    Some((path[path.len() - 1], left))
}

/// Chooses forward speed [m/s] and yaw rate [rad/s] towards a place on a path; the boat stops if every
/// choice leads into an obstacle.
pub fn steer(
    map: &CostMap,
    motion: &Motion,
    path: &[[f64; 2]],
    current: Vector2<f64>,
    limits: &Limits,
) -> [f64; 2] {
    let Some((target, left)) = target(path, motion.place, AHEAD_M) else {
        return hold(motion, motion.place, current, limits);
    };
    let (u, r) = (motion.velocity[0], motion.yaw_rate);
    // the last metres are slow, so that the boat can turn to the goal
    let top = limits.speed_m_s.min(0.5 + 0.4 * left);
    let du = limits.acceleration_m_s2 * WINDOW_S;
    let dr = limits.yaw_acceleration_rad_s2 * WINDOW_S;
    let least = |speeds: [f64; SPEEDS], lethal: Lethal| {
        let mut best: Option<(f64, [f64; 2])> = None;
        for speed in speeds {
            let speed = speed.clamp(u - du, u + du);
            for j in 0..RATES {
                let part = 2.0 * j as f64 / (RATES - 1) as f64 - 1.0;
                let rate = (limits.yaw_rate_rad_s * part).clamp(r - dr, r + dr);
                let command = [speed, rate];
                let cost = predicted_cost(map, motion, command, current, limits, target, lethal);
                if let Some(cost) = cost.map(|cost| cost + RATE_WEIGHT * (rate - r).abs())
                    && best.is_none_or(|(least, _)| cost < least)
                {
                    best = Some((cost, command));
                }
            }
        }
        best.map(|(_, command)| command)
    };
    let ahead = std::array::from_fn(|i| top * i as f64 / (SPEEDS - 1) as f64);
    // without a free choice the boat leaves the obstacle, also astern
    least(ahead, Lethal::Refused)
        .filter(|[speed, _]| *speed > MIN_SPEED_M_S || left < AHEAD_M)
        .or_else(|| least(ESCAPE_SPEEDS, Lethal::Costs))
        .unwrap_or([0.0, 0.0])
}

/// What a lethal cell means that the boat meets before it can stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lethal {
    Refused,
    Costs,
}

/// Returns the cost of a command by (2); `None` if the hull meets a lethal cell before the boat can
/// stop.
fn predicted_cost(
    map: &CostMap,
    motion: &Motion,
    [speed, rate]: [f64; 2],
    current: Vector2<f64>,
    limits: &Limits,
    target: [f64; 2],
    lethal: Lethal,
) -> Option<f64> {
    let (mut place, mut heading) = (motion.place, motion.heading);
    let steps = (HORIZON_S / STEP_S).round() as usize;
    let brake_steps = (BRAKE_S / STEP_S).round() as usize;
    let mut sum = 0.0;
    for k in 1..=steps {
        heading += 0.5 * rate * STEP_S;
        let (sin, cos) = libm::sincos(heading);
        let sway = -sin * current.x + cos * current.y;
        place[0] += (speed * cos - sway * sin) * STEP_S;
        place[1] += (speed * sin + sway * cos) * STEP_S;
        heading += 0.5 * rate * STEP_S;
        let (sin, cos) = libm::sincos(heading);
        for ahead in limits.circles_m {
            match map.cost([place[0] + ahead * cos, place[1] + ahead * sin]) {
                Some(cost) => sum += cost,
                None if k <= brake_steps && lethal == Lethal::Refused => return None,
                None => sum += LETHAL_COST,
            }
        }
    }
    let mean = sum / (steps * limits.circles_m.len()) as f64;
    let course = libm::atan2(target[1] - place[1], target[0] - place[0]);
    let turn = wrapped(course - heading).abs();
    Some(distance(place, target) + COST_WEIGHT * mean + TURN_WEIGHT * turn)
}

/// Returns the command that holds a place: the bow points into the current, and the forward speed
/// over ground corrects the distance.
pub fn hold(motion: &Motion, place: [f64; 2], current: Vector2<f64>, limits: &Limits) -> [f64; 2] {
    let away = Vector2::new(place[0] - motion.place[0], place[1] - motion.place[1]);
    // against the current, and towards the place as if it were a current of 0.1 m/s per metre
    let wanted = 0.1 * away - current;
    let heading = match wanted.norm() > 0.1 {
        true => libm::atan2(wanted.y, wanted.x),
        false => motion.heading,
    };
    let limit = limits.yaw_rate_rad_s;
    let rate = (0.5 * wrapped(heading - motion.heading)).clamp(-limit, limit);
    let (sin, cos) = libm::sincos(motion.heading);
    let speed = 0.3 * (away.x * cos + away.y * sin);
    [speed.clamp(-0.5, 0.7 * limits.speed_m_s), rate]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::cost::{Grid, LETHAL};

    const LIMITS: Limits = Limits {
        speed_m_s: 1.5,
        yaw_rate_rad_s: 0.5,
        yaw_acceleration_rad_s2: 0.5,
        acceleration_m_s2: 0.5,
        circles_m: [-1.7, 0.0, 1.7],
    };

    fn map(is_blocked: impl Fn([f64; 2]) -> bool) -> CostMap {
        let grid = Grid::around([0.0, 0.0], 0.5, 160);
        let costs = (0..160 * 160).map(|k| match is_blocked(grid.centre(k)) {
            true => LETHAL,
            false => 0,
        });
        let costs = costs.collect();
        CostMap::new(grid, costs)
    }

    /// Moves a boat that follows its commands with a time constant of 0.5 s for some seconds in a
    /// current. Returns the motions.
    fn drive(
        map: &CostMap,
        start: [f64; 2],
        heading: f64,
        path: &[[f64; 2]],
        current: Vector2<f64>,
        seconds: f64,
    ) -> Vec<Motion> {
        let mut motion = Motion {
            place: start,
            heading,
            velocity: [0.0; 2],
            yaw_rate: 0.0,
        };
        let mut drift = Drift::default();
        let mut motions = Vec::new();
        for _ in 0..(seconds / PERIOD_S) as usize {
            drift.update(&motion, PERIOD_S);
            let [u, r] = steer(map, &motion, path, drift.current, &LIMITS);
            for _ in 0..4 {
                let dt = 0.25 * PERIOD_S;
                motion.velocity[0] += (u - motion.velocity[0]) * dt / 0.5;
                motion.yaw_rate += (r - motion.yaw_rate) * dt / 0.5;
                motion.heading += motion.yaw_rate * dt;
                let (sin, cos) = libm::sincos(motion.heading);
                let sway = -sin * current.x + cos * current.y;
                motion.velocity[1] = sway;
                motion.place[0] += (motion.velocity[0] * cos - sway * sin) * dt;
                motion.place[1] += (motion.velocity[0] * sin + sway * cos) * dt;
            }
            motions.push(motion);
        }
        motions
    }

    // Each heading measures one component of the current; two give both.
    #[test]
    fn drift_combines_headings() {
        let mut drift = Drift::default();
        let c = Vector2::new(0.6, -0.3);
        for k in 0..600 {
            let heading = if k < 300 {
                0.0
            } else {
                std::f64::consts::FRAC_PI_2
            };
            let (sin, cos) = libm::sincos(heading);
            let motion = Motion {
                place: [0.0; 2],
                heading,
                velocity: [1.0, -sin * c.x + cos * c.y],
                yaw_rate: 0.0,
            };
            drift.update(&motion, PERIOD_S);
        }
        assert!((drift.current - c).norm() < 0.05, "{}", drift.current);
    }

    // Across a current of 0.7 m/s the boat keeps to its path and reaches the end.
    #[test]
    fn course_is_kept_across_a_current() {
        let open = map(|_| false);
        let path: Vec<[f64; 2]> = (0..=15)
            .map(|k| [-30.0 + 4.0 * f64::from(k), 0.0])
            .collect();
        let across = Vector2::new(0.0, 0.7);
        let motions = drive(&open, [-30.0, 0.0], 0.0, &path, across, 60.0);
        let worst = motions.iter().map(|m| m.place[1].abs()).fold(0.0, f64::max);
        let nearest = motions.iter().map(|m| distance(m.place, [30.0, 0.0]));
        assert!(worst < 2.5, "{worst}");
        assert!(nearest.fold(f64::INFINITY, f64::min) < 1.5);
    }

    #[test]
    fn an_obstacle_on_the_path_is_passed_clear() {
        // lethal cells have the radius of the hull already
        let spot = map(|p| distance(p, [0.0, 0.5]) < 2.5);
        let path = vec![[-25.0, 0.0], [25.0, 0.0]];
        let motions = drive(&spot, [-25.0, 0.0], 0.0, &path, Vector2::zeros(), 60.0);
        // within the way between two looks of the prediction
        let nearest = motions.iter().map(|m| distance(m.place, [0.0, 0.5]));
        assert!(nearest.fold(f64::INFINITY, f64::min) > 2.5 - LIMITS.speed_m_s * STEP_S);
        let end = motions[motions.len() - 1].place;
        assert!(end[0] > 20.0, "{end:?}");
    }

    #[test]
    fn a_wall_stops_the_boat() {
        let wall = map(|[x, _]| x > 0.0);
        let path = vec![[-15.0, 0.0], [20.0, 0.0]];
        let motions = drive(&wall, [-15.0, 0.0], 0.0, &path, Vector2::zeros(), 60.0);
        let furthest = motions.iter().map(|m| m.place[0]).fold(f64::MIN, f64::max);
        assert!((-8.0..0.0).contains(&furthest), "{furthest}");
    }

    #[test]
    fn targets_lie_ahead_on_the_path() {
        let path = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]];
        let (p, left) = target(&path, [6.0, 1.0], 7.0).unwrap();
        assert!(distance(p, [10.0, 3.0]) < 1e-12 && (left - 14.0).abs() < 1e-12);
        assert_eq!(target(&path, [9.0, 9.0], 7.0).unwrap().0, [10.0, 10.0]);
        assert_eq!(target(&path[..1], [9.0, 9.0], 7.0), Some(([0.0, 0.0], 0.0)));
        assert_eq!(target(&[], [0.0, 0.0], 7.0), None);
    }

    // Holding a place in a current: the bow turns into it and the boat returns.
    #[test]
    fn a_place_is_held_in_a_current() {
        let current = Vector2::new(0.6, 0.2);
        let mut motion = Motion {
            place: [0.0; 2],
            heading: 1.0,
            velocity: [0.0; 2],
            yaw_rate: 0.0,
        };
        for _ in 0..600 {
            let [u, r] = hold(&motion, [0.0, 0.0], current, &LIMITS);
            motion.heading += r * PERIOD_S;
            let (sin, cos) = libm::sincos(motion.heading);
            let sway = -sin * current.x + cos * current.y;
            motion.place[0] += (u * cos - sway * sin) * PERIOD_S;
            motion.place[1] += (u * sin + sway * cos) * PERIOD_S;
        }
        assert!(distance(motion.place, [0.0; 2]) < 3.0, "{motion:?}");
    }
}
