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

/// Motion in the terms of navigators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NauticalMotion {
    /// East and north [m].
    pub(crate) position: [f64; 2],
    /// Latitude and longitude [deg].
    pub(crate) geographic: [f64; 2],
    /// Below the mean water level [m].
    pub(crate) depth: f64,
    /// Above the seabed [m]; `None` without one.
    pub(crate) altitude: Option<f64>,
    /// Heading, pitch and roll [deg].
    pub(crate) attitude: [f64; 3],
    /// Horizontal speed in the water and over ground [m/s].
    pub(crate) speeds: [f64; 2],
    /// Course over ground; the heading at rest [deg].
    pub(crate) course: f64,
}

impl NauticalMotion {
    /// Converts a motion in a world.
    pub(crate) fn new(simulation: &Simulation, motion: &MotionSample) -> Self {
        let (scene, sea) = (&simulation.scene, &simulation.state.sea);
        let p = motion.position;
        let [roll, pitch, yaw] = attitude_in_ned(motion.attitude).matrix().to_rpy();
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
        let heading = degrees(yaw);
        let [latitude, longitude, _] = geodetic_from_world(&scene.origin, p);
        let altitude = p.z - sea.seabed.height(p.x, p.y);
        Self {
            position: [p.x, p.y],
            geographic: [latitude.to_degrees(), longitude.to_degrees()],
            depth: -motion.height_above_water(sea),
            altitude: altitude.is_finite().then_some(altitude),
            attitude: [heading, pitch.to_degrees(), roll.to_degrees()],
            speeds: [horizontal(motion.velocity - water), over_ground],
            course: match over_ground < MIN_SPEED {
                true => heading,
                false => degrees(motion.velocity.x.atan2(motion.velocity.y)),
            },
        }
    }
}

/// Returns the variables of robot `robot` that moves as `motion` says, with the names of their
/// `prefix`.
pub(crate) fn variables(
    simulation: &Simulation,
    robot: usize,
    motion: &MotionSample,
    prefix: &str,
) -> Vec<(String, Value)> {
    let (scene, sea) = (&simulation.scene, &simulation.state.sea);
    let own = NauticalMotion::new(simulation, motion);
    let [heading, pitch, _] = own.attitude;
    let numbers = [
        ("X", own.position[0]),
        ("Y", own.position[1]),
        ("Z", -own.depth),
        ("LAT", own.geographic[0]),
        ("LONG", own.geographic[1]),
        ("HEADING", heading),
        ("YAW", -wrapped(heading.to_radians())),
        ("SPEED", own.speeds[0]),
        ("SPEED_OVER_GROUND", own.speeds[1]),
        ("HEADING_OVER_GROUND", own.course),
        ("PITCH", pitch.to_radians()),
        ("DEPTH", own.depth.max(0.0)),
    ];
    let altitude = own.altitude.map(|altitude| ("ALTITUDE", altitude));
    let numbers = numbers.into_iter().chain(altitude);
    let mut all: Vec<(String, Value)> = numbers
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

/// Returns an angle [rad] between -π and π.
fn wrapped(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
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
