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

/// Adds the devices of `model` to `robot`, whose loads are known. The servos of azimuth thrusters
/// follow the fins of the model.
pub(crate) fn add_devices(
    robot: &mut Robot,
    model: &RobotModelConfig,
    world: WorldValues<'_>,
    problems: &mut Problems,
) {
    let dt = world.dt;
    for (name, file) in model.thrusters.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let thruster = actuator::build_thruster(name, file, link, &robot.links, dt, problems);
        robot.thrusters.push(thruster);
    }
    for (name, file) in model.sensors.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let sensor = sensor::build_sensor(name, file, link, robot, world, problems);
        robot.sensors.push(sensor);
    }
    inertial::set_aids(&model.sensors, &mut robot.sensors, problems);
    for (name, file) in model.lamps.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let on = (link, &robot.links[link]);
        let lamp = camera::lamp(name, file, on, &robot.loads, problems);
        robot.lamps.push(lamp);
    }
    for (name, file) in model.solar_panels.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let panel = energy::build_solar_panel(name, file, link, &robot.links[link], problems);
        robot.solar_panels.push(panel);
    }
    for (name, file) in model.fins.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let fin = fin::build_fin(name, file, link, robot, dt, problems);
        robot.fins.push(fin);
    }
    for (name, file) in model.buoyancy_engines.iter() {
        let link = carrier(robot, &file.link, &file.at, problems);
        let engine = actuator::build_buoyancy_engine(name, file, link, &robot.links, problems);
        robot.buoyancy_engines.push(engine);
    }
    for (k, (_, file)) in model.thrusters.iter().enumerate() {
        if let Some(azimuth) = &file.azimuth {
            let servo = fin::build_azimuth_servo(k, file, azimuth, robot, dt, problems);
            robot.thrusters[k].azimuth = Some(robot.fins.len());
            robot.fins.push(servo);
        }
    }
}

/// Returns the index of the link `name` that carries a device with the keys `places`.
fn carrier(robot: &Robot, name: &str, places: &Places, problems: &mut Problems) -> usize {
    find_link(&robot.links, name, places.key_place("link"), problems)
}
