//! Local avoidance: the dynamic window approach for a boat that drifts.
//!
//! # Law
//! The pilot chooses among pairs (u_c, r_c) of forward speed and yaw rate that the boat can reach within
//! a period [Fox, Burgard, Thrun 1997]. It predicts the motion over ground over a horizon T:
//! ```text
//!   x' = R(ψ) (u, v)ᵀ,   ψ' = r,   u' = (u_c - u)/T_u,   r' = (r_c - r)/T_r             (1)
//!   v' = -u r - (v - n(ψ)·c)/T_v                                                      (2)
//!   J = |x(T) - x_target| + w_c mean cost + w_r |r_c - r| + w_t |angle to x_target|     (3)
//! ```
//! and takes the pair with the least J of those whose hull meets no lethal cell. The firmware of the boat
//! controls u and r over ground and cannot push sideways: sway follows from (2), the sway equation of a
//! hull without lateral thrust and added mass, m (v' + u r) = -Y (v - n·c) with T_v = m/Y [Fossen 2021,
//! section 6.5]. Current and wind carry the boat sideways, and in a turn it slides outwards by up to
//! u r T_v. The target is the place on the path a distance ahead.
//!
//! c is the velocity over ground with which the boat drifts, that of the water and of the wind together.
//! A Kalman filter of (v, c) predicts with (2), c as a random walk, and measures v. Each heading gives
//! one component of c.
//!
//! # Symbols
//! u, v surge and sway over ground [m/s] · r yaw rate [rad/s] · c drift [m/s] · n(ψ) unit vector to the
//! left of the boat · T_u, T_r, T_v time constants of surge, yaw rate and sway [s].
//!
//! # Limits
//! Obstacles are taken to stand still over the horizon. The damping of (2) is linear. Until the boat has
//! turned, the component of c along its heading is unknown.
//!
//! # Checked by
//! tests below: drift from two headings and in turns, straight course across a current, stop before a
//! wall, turns and waits beside a bank in an onshore drift

use super::map::CostMap;
use super::planner::distance;
use crate::frames::wrapped;
use nalgebra::{Matrix3, Vector2, Vector3};

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
    /// Time constants with which surge and yaw rate follow their commands, T_u and T_r of (1) [s].
    pub response_s: [f64; 2],
    /// Time constant of the sway, T_v of (2) [s].
    pub sway_s: f64,
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
const ESCAPE_SPEEDS: [f64; SPEEDS] = [-0.5, -0.25, 0.0, 0.5, 1.0];
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

impl Motion {
    /// Predicts the motion `dt_s` seconds later with a command of forward speed [m/s] and yaw rate [rad/s]
    /// in a drift, by (1) and (2).
    fn after(&self, command: [f64; 2], drift: Vector2<f64>, limits: &Limits, dt_s: f64) -> Self {
        let reached = |tau: f64| 1.0 - libm::exp(-dt_s / tau);
        let [u, v] = self.velocity;
        let rate = self.yaw_rate + (command[1] - self.yaw_rate) * reached(limits.response_s[1]);
        let surge = u + (command[0] - u) * reached(limits.response_s[0]);
        let (mean_u, mean_r) = (0.5 * (u + surge), 0.5 * (self.yaw_rate + rate));
        let heading = self.heading + 0.5 * mean_r * dt_s;
        let (sin, cos) = libm::sincos(heading);
        let steady = -sin * drift.x + cos * drift.y - mean_u * mean_r * limits.sway_s;
        let sway = v + (steady - v) * reached(limits.sway_s);
        let mean_v = 0.5 * (v + sway);
        Self {
            place: [
                self.place[0] + (mean_u * cos - mean_v * sin) * dt_s,
                self.place[1] + (mean_u * sin + mean_v * cos) * dt_s,
            ],
            heading: heading + 0.5 * mean_r * dt_s,
            velocity: [surge, sway],
            yaw_rate: rate,
        }
    }
}

/// Estimate of the drift c with the sway.
#[derive(Clone, Copy, Debug)]
pub struct Drift {
    /// Sway, and drift east and north [m/s].
    x: Vector3<f64>,
    P: Matrix3<f64>,
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            x: Vector3::zeros(),
            P: Matrix3::identity(),
        }
    }
}

impl Drift {
    /// Variance of a measured sway, with that of the waves [m²/s²].
    const NOISE: f64 = 0.02;
    /// Random walks of sway and drift [m²/s³].
    const WALKS: [f64; 3] = [0.05, 2e-3, 2e-3];

    /// Returns the drift, east and north [m/s].
    pub fn velocity(&self) -> Vector2<f64> {
        Vector2::new(self.x[1], self.x[2])
    }

    /// Takes the sway of a boat with the time constant `sway_s` [s] after `dt_s` seconds.
    pub fn update(&mut self, motion: &Motion, sway_s: f64, dt_s: f64) {
        let (sin, cos) = libm::sincos(motion.heading);
        let kept = libm::exp(-dt_s / sway_s);
        let part = 1.0 - kept;
        let F = Matrix3::new(kept, -sin * part, cos * part, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        self.x = F * self.x;
        self.x[0] -= part * sway_s * motion.velocity[0] * motion.yaw_rate;
        self.P = F * self.P * F.transpose();
        for (k, walk) in Self::WALKS.into_iter().enumerate() {
            self.P[(k, k)] += walk * dt_s;
        }
        let K = self.P.column(0) / (self.P[(0, 0)] + Self::NOISE);
        self.x += K * (motion.velocity[1] - self.x[0]);
        self.P -= K * self.P.row(0);
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

/// Chooses forward speed [m/s] and yaw rate [rad/s] towards a place on a path; the boat leaves an
/// obstacle if every choice leads into one.
pub fn steer(
    map: &CostMap,
    motion: &Motion,
    path: &[[f64; 2]],
    drift: Vector2<f64>,
    limits: &Limits,
) -> [f64; 2] {
    let Some((target, left)) = target(path, motion.place, AHEAD_M) else {
        return hold(Some(map), motion, motion.place, drift, limits);
    };
    // the last metres are slow, so that the boat can turn to the goal
    let top = limits.speed_m_s.min(0.5 + 0.4 * left);
    let ahead = std::array::from_fn(|i| top * i as f64 / (SPEEDS - 1) as f64);
    let around = Around {
        map,
        drift,
        limits,
        target,
    };
    around
        .best(motion, ahead, Lethal::Refused)
        .filter(|[speed, _]| *speed > MIN_SPEED_M_S || left < AHEAD_M)
        .unwrap_or_else(|| around.escape(motion))
}

/// What a lethal cell means that the boat meets before it can stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lethal {
    Refused,
    Costs,
}

/// What the cost of a command depends on.
struct Around<'a> {
    map: &'a CostMap,
    drift: Vector2<f64>,
    limits: &'a Limits,
    target: [f64; 2],
}

impl Around<'_> {
    /// Returns the command with the least cost of those with one of these speeds [m/s], as far as the
    /// boat reaches them.
    fn best(&self, motion: &Motion, speeds: [f64; SPEEDS], lethal: Lethal) -> Option<[f64; 2]> {
        let limits = self.limits;
        let (u, r) = (motion.velocity[0], motion.yaw_rate);
        let du = limits.acceleration_m_s2 * WINDOW_S;
        let dr = limits.yaw_acceleration_rad_s2 * WINDOW_S;
        let mut best: Option<(f64, [f64; 2])> = None;
        for speed in speeds {
            let speed = speed.clamp(u - du, u + du);
            for j in 0..RATES {
                let part = 2.0 * j as f64 / (RATES - 1) as f64 - 1.0;
                let rate = (limits.yaw_rate_rad_s * part).clamp(r - dr, r + dr);
                let command = [speed, rate];
                let cost = self.predicted_cost(motion, |_| command, lethal);
                if let Some(cost) = cost.map(|cost| cost + RATE_WEIGHT * (rate - r).abs())
                    && best.is_none_or(|(least, _)| cost < least)
                {
                    best = Some((cost, command));
                }
            }
        }
        best.map(|(_, command)| command)
    }

    /// Returns the command that leaves an obstacle, also astern, for a boat without a free choice.
    fn escape(&self, motion: &Motion) -> [f64; 2] {
        self.best(motion, ESCAPE_SPEEDS, Lethal::Costs)
            .unwrap_or([0.0, 0.0])
    }

    /// Returns the cost by (3) of commands that follow from the motion; `None` if the hull meets a
    /// lethal cell before the boat can stop.
    fn predicted_cost(
        &self,
        motion: &Motion,
        command: impl Fn(&Motion) -> [f64; 2],
        lethal: Lethal,
    ) -> Option<f64> {
        let circles_m = self.limits.circles_m;
        let steps = (HORIZON_S / STEP_S).round() as usize;
        let brake_steps = (BRAKE_S / STEP_S).round() as usize;
        let mut motion = *motion;
        let mut sum = 0.0;
        for k in 1..=steps {
            motion = motion.after(command(&motion), self.drift, self.limits, STEP_S);
            let (place, (sin, cos)) = (motion.place, libm::sincos(motion.heading));
            for ahead in circles_m {
                match self
                    .map
                    .cost([place[0] + ahead * cos, place[1] + ahead * sin])
                {
                    Some(cost) => sum += cost,
                    None if k <= brake_steps && lethal == Lethal::Refused => return None,
                    None => sum += LETHAL_COST,
                }
            }
        }
        let (place, target) = (motion.place, self.target);
        let mean = sum / (steps * circles_m.len()) as f64;
        let course = libm::atan2(target[1] - place[1], target[0] - place[0]);
        let turn = wrapped(course - motion.heading).abs();
        Some(distance(place, target) + COST_WEIGHT * mean + TURN_WEIGHT * turn)
    }
}

/// Returns the command that holds a place: the bow points into the drift, and the forward speed over
/// ground corrects the distance. If that leads the boat into an obstacle, it leaves the obstacle first.
pub fn hold(
    map: Option<&CostMap>,
    motion: &Motion,
    place: [f64; 2],
    drift: Vector2<f64>,
    limits: &Limits,
) -> [f64; 2] {
    let command = |motion: &Motion| {
        let away = Vector2::new(place[0] - motion.place[0], place[1] - motion.place[1]);
        // against the drift, and towards the place as if it were a drift of 0.1 m/s per metre
        let wanted = 0.1 * away - drift;
        let heading = match wanted.norm() > 0.1 {
            true => libm::atan2(wanted.y, wanted.x),
            false => motion.heading,
        };
        let limit = limits.yaw_rate_rad_s;
        let rate = (0.5 * wrapped(heading - motion.heading)).clamp(-limit, limit);
        let (sin, cos) = libm::sincos(motion.heading);
        let speed = 0.3 * (away.x * cos + away.y * sin);
        [speed.clamp(-0.5, 0.7 * limits.speed_m_s), rate]
    };
    let around = map.map(|map| Around {
        map,
        drift,
        limits,
        target: place,
    });
    match around {
        Some(around)
            if around
                .predicted_cost(motion, command, Lethal::Refused)
                .is_none() =>
        {
            around.escape(motion)
        }
        _ => command(motion),
    }
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
        response_s: [1.0, 0.6],
        sway_s: 1.4,
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

    /// A boat at rest.
    fn at(place: [f64; 2], heading: f64) -> Motion {
        Motion {
            place,
            heading,
            velocity: [0.0; 2],
            yaw_rate: 0.0,
        }
    }

    /// Moves a boat by (1) and (2) in a drift, with the commands of `command`, which gets the motion and
    /// the estimated drift. Returns the motions of every period.
    fn sail(
        start: Motion,
        drift: Vector2<f64>,
        seconds: f64,
        command: impl Fn(&Motion, Vector2<f64>) -> [f64; 2],
    ) -> Vec<Motion> {
        let mut motion = start;
        let mut estimate = Drift::default();
        let mut motions = Vec::new();
        for _ in 0..(seconds / PERIOD_S) as usize {
            estimate.update(&motion, LIMITS.sway_s, PERIOD_S);
            let [u, r] = command(&motion, estimate.velocity());
            let dt = 0.05 * PERIOD_S;
            for _ in 0..20 {
                let [surge, sway] = motion.velocity;
                let (sin, cos) = libm::sincos(motion.heading);
                let aside = -sin * drift.x + cos * drift.y;
                motion.velocity[0] += (u - surge) * dt / LIMITS.response_s[0];
                motion.velocity[1] -=
                    (surge * motion.yaw_rate + (sway - aside) / LIMITS.sway_s) * dt;
                motion.yaw_rate += (r - motion.yaw_rate) * dt / LIMITS.response_s[1];
                motion.heading += motion.yaw_rate * dt;
                motion.place[0] += (surge * cos - sway * sin) * dt;
                motion.place[1] += (surge * sin + sway * cos) * dt;
            }
            motions.push(motion);
        }
        motions
    }

    /// Moves a boat along a path.
    fn drive(
        map: &CostMap,
        start: [f64; 2],
        heading: f64,
        path: &[[f64; 2]],
        drift: Vector2<f64>,
        seconds: f64,
    ) -> Vec<Motion> {
        sail(at(start, heading), drift, seconds, |motion, drift| {
            steer(map, motion, path, drift, &LIMITS)
        })
    }

    /// Returns whether a circle of the hull meets what `is_blocked` contains, for which the map has the
    /// margin [`MARGIN_M`].
    fn is_aground(motion: &Motion, is_blocked: impl Fn([f64; 2]) -> bool) -> bool {
        let (sin, cos) = libm::sincos(motion.heading);
        LIMITS
            .circles_m
            .into_iter()
            .any(|ahead| is_blocked([motion.place[0] + ahead * cos, motion.place[1] + ahead * sin]))
    }

    /// Part of the radius of the lethal cells that is a margin [m].
    const MARGIN_M: f64 = 0.4;

    // Each heading measures one component of the drift; a boat that turns slides, and still measures it.
    #[test]
    fn drift_combines_headings() {
        let c = Vector2::new(0.6, -0.3);
        let mut motion = at([0.0; 2], 0.0);
        let mut drift = Drift::default();
        let mut run = |motion: &mut Motion, rate: f64, seconds: f64| {
            for _ in 0..(seconds / PERIOD_S) as usize {
                *motion = motion.after([1.2, rate], c, &LIMITS, PERIOD_S);
                drift.update(motion, LIMITS.sway_s, PERIOD_S);
            }
            drift.velocity()
        };
        let one = run(&mut motion, 0.0, 20.0);
        assert!((one - Vector2::new(0.0, -0.3)).norm() < 0.05, "{one}");
        let turned = run(&mut motion, 0.45, 4.0);
        assert!((turned - c).norm() < 0.15, "{turned}");
        assert!(motion.velocity[1] < -0.6, "it slides: {motion:?}");
        let both = run(&mut motion, 0.0, 20.0);
        assert!((both - c).norm() < 0.05, "{both}");
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
        let motions = sail(at([0.0; 2], 1.0), current, 120.0, |motion, drift| {
            hold(None, motion, [0.0; 2], drift, &LIMITS)
        });
        let end = motions[motions.len() - 1];
        assert!(distance(end.place, [0.0; 2]) < 3.0, "{end:?}");
    }

    // Beside a bank on the lee side: the way ahead is closed, and the boat has to turn around.
    #[test]
    fn turns_beside_a_bank_keep_clear_of_it() {
        let shore = |[x, y]: [f64; 2], m: f64| y < m - 6.0 || (x < m - 4.0 && y < 2.0 + m);
        let bank = map(|p| shore(p, 0.0));
        let hits = |motion: &&Motion| is_aground(motion, |p| shore(p, -MARGIN_M));
        for onshore in [0.0, 0.3, 0.6] {
            for path in [
                [[0.0, 0.0], [-4.0, 6.0], [-25.0, 8.0]],
                [[0.0, 0.0], [4.0, 4.0], [25.0, 8.0]],
            ] {
                for speed in [0.0, 0.8] {
                    for heading in [-0.5, -1.6, -2.4] {
                        let mut start = at([0.0, 0.0], heading);
                        start.velocity[0] = speed;
                        let drift = Vector2::new(0.3, -onshore);
                        let motions = sail(start, drift, 60.0, |motion, drift| {
                            steer(&bank, motion, &path, drift, &LIMITS)
                        });
                        let aground = motions.iter().find(hits);
                        assert_eq!(aground, None, "{drift} {path:?} {speed} {heading}");
                        let end = motions[motions.len() - 1].place;
                        assert!(
                            distance(end, path[2]) < 5.0,
                            "{end:?} {drift} {path:?} {heading}"
                        );
                    }
                }
            }
        }
    }

    // A boat that is told to wait beside a bank on its lee side goes clear of it.
    #[test]
    fn waiting_beside_a_bank_keeps_clear_of_it() {
        let bank = map(|[_, y]| y < -5.0);
        let hits = |motion: &&Motion| is_aground(motion, |[_, y]| y < -5.0 - MARGIN_M);
        for heading in [0.0, 1.6, 3.1, -1.6] {
            let drift = Vector2::new(0.2, -0.5);
            let motions = sail(at([0.0, 0.0], heading), drift, 90.0, |motion, drift| {
                hold(Some(&bank), motion, [0.0, 0.0], drift, &LIMITS)
            });
            let aground = motions.iter().find(hits);
            assert_eq!(aground, None, "{heading}");
            let end = motions[motions.len() - 1].place;
            assert!(distance(end, [0.0; 2]) < 4.0, "{heading}: {end:?}");
        }
    }
}
