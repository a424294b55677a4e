//! Variables of the motion of a robot, and reports of other robots, as uSimMarineV22 and pNodeReporter
//! have them.
//!
//! Headings are clockwise from north [deg], x is east and y north [m], yaw and pitch are
//! counter-clockwise from north and of the bow above the horizon [rad].

use crate::history::MotionSample;
use crate::moos::environment;
use crate::ned::attitude_in_ned;
use merrow_environment::geodesy::geodetic_from_world;
use merrow_environment::{EnvironmentState, Variation};
use merrow_math::Vec3;
use merrow_moos::message::Value;
use merrow_sim::Simulation;

/// Least speed over ground that has a course [m/s].
const MIN_SPEED: f64 = 0.01;

/// Returns the variables of robot `robot` that moves as `motion` says, with the names of their
/// `prefix`.
pub(crate) fn variables(
    simulation: &Simulation,
    robot: usize,
    motion: &MotionSample,
    prefix: &str,
) -> Vec<(String, Value)> {
    let (scene, sea) = (&simulation.scene, &simulation.state.sea);
    let p = motion.position;
    let [_, pitch, yaw] = attitude_in_ned(motion.attitude).matrix().to_rpy();
    let heading = degrees(yaw);
    let around = EnvironmentState {
        sea,
        gravity: scene.gravity,
        time: motion.time_ns as f64 * 1e-9,
        variation: Variation::NONE,
        waves: None,
    };
    let water = around.water_motion(p).0;
    let horizontal = |v: Vec3| v.x.hypot(v.y);
    let over_ground = horizontal(motion.velocity);
    let course = if over_ground < MIN_SPEED {
        heading
    } else {
        degrees(motion.velocity.x.atan2(motion.velocity.y))
    };
    let depth = -motion.height_above_water(sea);
    let [latitude, longitude, _] = geodetic_from_world(&scene.origin, p);
    let mut numbers = vec![
        ("X", p.x),
        ("Y", p.y),
        ("Z", -depth),
        ("LAT", latitude.to_degrees()),
        ("LONG", longitude.to_degrees()),
        ("HEADING", heading),
        ("YAW", -yaw),
        ("SPEED", horizontal(motion.velocity - water)),
        ("SPEED_OVER_GROUND", over_ground),
        ("HEADING_OVER_GROUND", course),
        ("PITCH", pitch),
        ("DEPTH", depth.max(0.0)),
    ];
    let altitude = p.z - sea.seabed.height(p.x, p.y);
    if altitude.is_finite() {
        numbers.push(("ALTITUDE", altitude));
    }
    let mut all: Vec<(String, Value)> = numbers
        .into_iter()
        .map(|(name, number)| (format!("{prefix}_{name}"), number.into()))
        .collect();
    let truth = simulation.state.robots[robot].motion.p_WB;
    all.push(("TRUE_X".to_string(), truth.x.into()));
    all.push(("TRUE_Y".to_string(), truth.y.into()));
    all.push(("SIMULATION_MODE".to_string(), "TRUE".into()));
    let drift = environment::drift_summary(sea);
    all.push(("USM_DRIFT_SUMMARY".to_string(), drift.into()));
    if scene.robots[robot].battery.is_some() {
        let battery = &simulation.state.robots[robot].battery;
        all.push(("BATTERY_VOLTAGE".to_string(), battery.voltage.into()));
        all.push(("BATTERY_CURRENT".to_string(), battery.current.into()));
        all.push((
            "BATTERY_CHARGE".to_string(),
            (100.0 * battery.charge).into(),
        ));
    }
    all
}

/// Returns a report of each other robot that floats in the world, in the format of pNodeReporter, at
/// a time on the clock of the community [s].
pub(crate) fn contacts(simulation: &Simulation, robot: usize, time: f64) -> Vec<String> {
    let scene = &simulation.scene;
    let others = scene.robots.iter().enumerate();
    let others = others.filter(|(k, other)| *k != robot && other.floating);
    let report = |(k, other): (usize, &merrow_model::scene::Robot)| {
        let motion = MotionSample::read(simulation, k);
        let [_, _, yaw] = attitude_in_ned(motion.attitude).matrix().to_rpy();
        let (p, v) = (motion.position, motion.velocity);
        let [latitude, longitude, _] = geodetic_from_world(&scene.origin, p);
        let depth = -motion.height_above_water(&simulation.state.sea);
        // a submerged robot is an AUV, one in the air an UAV
        let kind = match depth {
            depth if depth > 1.0 => "uuv",
            depth if depth < -2.0 => "uav",
            _ => "kayak",
        };
        format!(
            "NAME={},X={:.2},Y={:.2},SPD={:.2},HDG={:.2},DEP={:.2},LAT={:.8},LON={:.8},TYPE={kind},TIME={time:.2}",
            other.name,
            p.x,
            p.y,
            v.x.hypot(v.y),
            degrees(yaw),
            depth.max(0.0),
            latitude.to_degrees(),
            longitude.to_degrees(),
        )
    };
    others.map(report).collect()
}

/// Converts an angle [rad] to degrees, 0 to 360.
fn degrees(angle: f64) -> f64 {
    angle.to_degrees().rem_euclid(360.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_positive() {
        assert_eq!(degrees(-std::f64::consts::FRAC_PI_2), 270.0);
        assert_eq!(degrees(0.0), 0.0);
    }
}
