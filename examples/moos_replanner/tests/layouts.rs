//! V21 of the validation in closed loops: all waypoints, and never inside of a box. The boxes of
//! random layouts are unknown to the planner until the sonar reports them, and the vehicle has a
//! limited and delayed yaw rate.

use merrow_moos::message::Message;
use merrow_moos::mission::Mission;
use moos_replanner::feature::{Feature, Shape};
use moos_replanner::planner::{Limits, Motion, Planner};
use moos_replanner::sonar::Sonar;
use moos_replanner::vector::Vector;
use std::fmt::Write as _;

/// Period of the planner, and of the sonar in periods of the planner.
const PERIOD_S: f64 = 0.1;
const SONAR_PERIODS: usize = 5;
/// Longest mission [s].
const LONGEST_S: f64 = 2000.0;
/// Way between boxes in turning radii, in which the vehicle can turn, and between a box and a
/// waypoint or the start.
const BETWEEN_RADII: f64 = 2.6;
const WAYPOINT_RADII: f64 = 1.3;

/// Numbers of a linear congruential generator (Knuth, MMIX), from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

struct Layout {
    boxes: Vec<(Feature, String)>,
    waypoints: Vec<Vector>,
}

impl Layout {
    /// Creates a layout for a vehicle with a turning radius [m], of at most 9 boxes.
    fn random(seed: u64, radius: f64) -> Self {
        let (mut random, scale) = (Random(seed), radius.max(8.0) / 8.0);
        random.next(0.0, 1.0);
        let mut boxes: Vec<(Feature, String)> = Vec::new();
        for _ in 0..300 {
            let x = scale * random.next(0.0, 200.0);
            let y = scale * random.next(-60.0, 140.0);
            let (length, width) = (random.next(4.0, 36.0), random.next(4.0, 20.0));
            let rotation = random.next(0.0, 180.0);
            let half = Vector::new(0.5 * length, 0.5 * width);
            let angle = f64::to_radians(rotation);
            let own = Feature::new("", Vector::new(x, y), Shape::Rectangle { half, angle });
            let is_free = |p: &Vector| {
                boxes
                    .iter()
                    .all(|(o, _)| o.distance(*p).0 > BETWEEN_RADII * radius)
            };
            let is_free = own.outline().iter().all(is_free) && boxes.len() < 9;
            if is_free && own.distance(Vector::default()).0 > BETWEEN_RADII * radius {
                let text = format!("x={x},y={y},length={length},width={width},rotation={rotation}");
                boxes.push((own, text));
            }
        }
        let mut waypoints: Vec<Vector> = Vec::new();
        while waypoints.len() < 4 {
            let p = Vector::new(random.next(20.0, 180.0), random.next(-40.0, 120.0)) * scale;
            let gap = boxes.iter().map(|(own, _)| own.distance(p).0);
            let is_free = gap.fold(f64::INFINITY, f64::min) > WAYPOINT_RADII * radius;
            let last = waypoints.last().copied().unwrap_or_default();
            if is_free && (p - last).norm() > 50.0 * scale {
                waypoints.push(p);
            }
        }
        Self { boxes, waypoints }
    }

    fn gap(&self, p: Vector) -> f64 {
        let gaps = self.boxes.iter().map(|(own, _)| own.distance(p).0);
        gaps.fold(f64::INFINITY, f64::min)
    }

    fn sonar(&self) -> Sonar {
        let mut text = "ProcessConfig = pFLSim\n{\nRange = 60\nFieldOfView = 120\n".to_string();
        for (_, line) in &self.boxes {
            writeln!(text, "Obstacle = {line}").unwrap();
        }
        Sonar::from_mission(&Mission::from_text(&(text + "}\n"), "m").unwrap()).unwrap()
    }

    /// Returns the least distance from a box [m], and the time [s]; an infinite one without all
    /// waypoints.
    fn drive(&self, limits: Limits) -> [f64; 2] {
        let mut planner = Planner::new(limits);
        for p in &self.waypoints {
            planner.itinerary.put(*p, limits.turn_radius.max(10.0));
        }
        let mut sonar = self.sonar();
        let mut motion = Motion {
            speed: limits.max_speed,
            ..Motion::default()
        };
        let mut closest = f64::INFINITY;
        for period in 0..(LONGEST_S / PERIOD_S) as usize {
            if period.is_multiple_of(SONAR_PERIODS) {
                for (key, value) in [
                    ("NAV_X", motion.position.x),
                    ("NAV_Y", motion.position.y),
                    ("NAV_HEADING", 90.0 - motion.course.to_degrees()),
                ] {
                    sonar.take(&Message::notify(key, value, 0.0));
                }
                for (key, _) in sonar.iterate() {
                    let k: usize = key.strip_prefix("FLS_").unwrap().parse().unwrap();
                    let mut own = self.boxes[k].0.clone();
                    own.name = key;
                    planner.world.put(own).unwrap();
                }
            }
            let Some(feeds) = planner.tick(&motion, PERIOD_S) else {
                return [closest, period as f64 * PERIOD_S];
            };
            // a heading control with a delayed and limited yaw rate: fins give a turning circle
            let error = (feeds.course - motion.course)
                .sin()
                .atan2((feeds.course - motion.course).cos());
            let max_rate = motion.speed / limits.turn_radius;
            let wanted = (0.8 * error).clamp(-max_rate, max_rate);
            motion.yaw_rate += (wanted - motion.yaw_rate) * PERIOD_S / 1.0;
            motion.speed += (feeds.speed - motion.speed) * PERIOD_S / 5.0;
            motion.course += motion.yaw_rate * PERIOD_S;
            motion.position =
                motion.position + Vector::unit(motion.course) * (motion.speed * PERIOD_S);
            closest = closest.min(self.gap(motion.position));
        }
        eprintln!("at {:?}, {:?}", motion, planner.itinerary.progress());
        [closest, f64::INFINITY]
    }
}

/// Drives 24 layouts with a turning radius [m].
fn check(radius: f64) {
    let limits = Limits::new(1.5, radius, 3.0);
    let mut failed = Vec::new();
    for seed in 1..=24 {
        let layout = Layout::random(seed, radius);
        let [closest, time_s] = layout.drive(limits);
        let boxes = layout.boxes.len();
        eprintln!("radius {radius} m, layout {seed} of {boxes}: {closest:.1} m, {time_s:.0} s");
        if closest <= 0.0 || !time_s.is_finite() {
            failed.push(seed);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn agile_vehicles_pass() {
    check(8.0);
}

/// The REMUS 100 of Merrow turns with a radius of 22 m.
#[test]
fn vehicles_with_wide_circles_pass() {
    check(25.0);
}
