//! Conversion of the devices of a robot model: thrusters, sensors, lamps, solar panels, fins and
//! buoyancy engines.
//!
//! Devices refer to devices that were added before: sensors to thrusters, lamps to loads, fins to
//! thrusters and sensors, azimuth servos to thrusters and fins.

use crate::build::energy;
use crate::build::robot::{actuator, fin, find_link};
use crate::context::Context;
use crate::keys::RobotModelConfig;
use crate::sensor::{self, camera, inertial};
use merrow_model::scene::Robot;
use merrow_yaml::read::Places;

/// Adds the devices of `model` to `robot`, whose loads are known. The servos of azimuth thrusters
/// follow the fins of the model.
pub(crate) fn add_devices(robot: &mut Robot, model: &RobotModelConfig, cx: Context<'_>) {
    for (name, file) in model.thrusters.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let thruster = actuator::build_thruster(name, file, link, &robot.links, cx);
        robot.thrusters.push(thruster);
    }
    for (name, file) in model.sensors.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let sensor = sensor::build_sensor(name, file, link, robot, cx);
        robot.sensors.push(sensor);
    }
    inertial::set_aids(&model.sensors, &mut robot.sensors, cx);
    for (name, file) in model.lamps.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let on = (link, &robot.links[link]);
        let lamp = camera::lamp(name, file, on, &robot.loads, cx);
        robot.lamps.push(lamp);
    }
    for (name, file) in model.solar_panels.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let panel = energy::build_solar_panel(name, file, link, &robot.links[link], cx);
        robot.solar_panels.push(panel);
    }
    for (name, file) in model.fins.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let fin = fin::build_fin(name, file, link, robot, cx);
        robot.fins.push(fin);
    }
    for (name, file) in model.buoyancy_engines.iter() {
        let link = carrier(robot, &file.link, &file.at, cx);
        let engine = actuator::build_buoyancy_engine(name, file, link, &robot.links, cx);
        robot.buoyancy_engines.push(engine);
    }
    for (k, (_, file)) in model.thrusters.iter().enumerate() {
        if let Some(azimuth) = &file.azimuth {
            let servo = fin::build_azimuth_servo(k, file, azimuth, robot, cx);
            robot.thrusters[k].azimuth = Some(robot.fins.len());
            robot.fins.push(servo);
        }
    }
}

/// Returns the index of the link `name` that carries a device with the keys `places`.
fn carrier(robot: &Robot, name: &str, places: &Places, cx: Context<'_>) -> usize {
    find_link(&robot.links, name, places.key_place("link"), cx)
}
