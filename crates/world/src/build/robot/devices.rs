//! Conversion of the devices of a robot model: thrusters, sensors, lamps, solar panels, fins and
//! buoyancy engines.
//!
//! Devices refer to devices that were added before: sensors to thrusters, lamps to loads, fins to
//! thrusters and sensors, azimuth servos to thrusters and fins.

use crate::build::energy;
use crate::build::robot::{actuator, fin, find_link};
use merrow_model::scene::Robot;
use merrow_schema::RobotModelConfig;
use merrow_schema::sensor::{self, WorldValues, camera, inertial};
use merrow_yaml::error::Problems;
use merrow_yaml::read::Places;

/// Adds the thrusters of `model` to `robot`. `dt` is the time step [s].
pub(crate) fn add_thrusters(
    robot: &mut Robot,
    model: &RobotModelConfig,
    dt: f64,
    problems: &mut Problems,
) {
    for (name, file) in model.thrusters.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let thruster = actuator::build_thruster(name, file, link, &robot.links, dt, problems);
        robot.thrusters.push(thruster);
    }
}

/// Adds the sensors of `model` to `robot`, whose thrusters are known.
pub(crate) fn add_sensors(
    robot: &mut Robot,
    model: &RobotModelConfig,
    world: WorldValues<'_>,
    problems: &mut Problems,
) {
    for (name, file) in model.sensors.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let sensor = sensor::build_sensor(name, file, link, robot, world, problems);
        robot.sensors.push(sensor);
    }
    inertial::set_aids(&model.sensors, &mut robot.sensors, problems);
}

/// Adds the lamps of `model` to `robot`, whose loads are known.
pub(crate) fn add_lamps(robot: &mut Robot, model: &RobotModelConfig, problems: &mut Problems) {
    for (name, file) in model.lamps.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let on = (link, &robot.links[link]);
        let lamp = camera::lamp(name, file, on, &robot.loads, problems);
        robot.lamps.push(lamp);
    }
}

/// Adds the solar panels of `model` to `robot`.
pub(crate) fn add_solar_panels(
    robot: &mut Robot,
    model: &RobotModelConfig,
    problems: &mut Problems,
) {
    for (name, file) in model.solar_panels.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let panel = energy::build_solar_panel(name, file, link, &robot.links[link], problems);
        robot.solar_panels.push(panel);
    }
}

/// Adds the fins of `model` to `robot`, whose thrusters and sensors are known. `dt` is the time
/// step [s].
pub(crate) fn add_fins(
    robot: &mut Robot,
    model: &RobotModelConfig,
    dt: f64,
    problems: &mut Problems,
) {
    for (name, file) in model.fins.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let fin = fin::build_fin(name, file, link, robot, dt, problems);
        robot.fins.push(fin);
    }
}

/// Adds the buoyancy engines of `model` to `robot`.
pub(crate) fn add_buoyancy_engines(
    robot: &mut Robot,
    model: &RobotModelConfig,
    problems: &mut Problems,
) {
    for (name, file) in model.buoyancy_engines.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let engine = actuator::build_buoyancy_engine(name, file, link, &robot.links, problems);
        robot.buoyancy_engines.push(engine);
    }
}

/// Adds the servos of azimuth thrusters to the fins of `robot`, after the fins of the model. `dt`
/// is the time step [s].
pub(crate) fn add_azimuth_servos(
    robot: &mut Robot,
    model: &RobotModelConfig,
    dt: f64,
    problems: &mut Problems,
) {
    for (k, (_, file)) in model.thrusters.iter().enumerate() {
        let Some(azimuth) = &file.azimuth else {
            continue;
        };
        let servo = fin::build_azimuth_servo(k, file, azimuth, robot, dt, problems);
        robot.thrusters[k].azimuth = Some(robot.fins.len());
        robot.fins.push(servo);
    }
}

/// Returns the index of the link `name` that carries a device with the keys `places`.
fn carrier(robot: &Robot, name: &str, places: &Places, problems: &mut Problems) -> usize {
    find_link(&robot.links, name, places.key_place("link"), problems)
}
