//! Shaft speeds of thrusters, for the noise that they cause at acoustic receivers of their robot.
//!
//! A thruster whose curve has no shaft speed is taken to turn at its maximum thrust at the
//! reference speed of the noise law. A robot whose receivers have different reference speeds uses
//! the first.

use merrow_model::scene::comms::medium::{Medium, ThrusterNoise};
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::RobotState;
use merrow_sensors::acoustic::thruster_noise::shaft_speed;

/// Returns the shaft speeds of the thrusters of a robot [rad/s]. `density` of the water [kg/m³];
/// `reference` is the speed at the maximum thrust of a thruster without a known speed [rad/s].
pub(crate) fn shaft_speeds<'a>(
    (robot, state): (&'a Robot, &'a RobotState),
    density: f64,
    reference: f64,
) -> impl Iterator<Item = f64> + 'a {
    let thrusters = robot.thrusters.iter().zip(&state.actuators);
    thrusters.map(move |(thruster, actuator)| {
        let [reverse, forward] = thruster.thrust_limits(density);
        let limits = [reference, forward.max(-reverse)];
        shaft_speed(
            &thruster.motor.curve,
            actuator.shaft[0],
            actuator.thrust,
            limits,
        )
    })
}

/// Returns for each robot the reference speed of the noise law of its modems [rad/s]; 0 without
/// such a modem.
pub(crate) fn reference_speeds(scene: &Scene) -> Vec<f64> {
    let mut speeds = vec![0.0; scene.robots.len()];
    for modem in scene.modems.iter().rev() {
        if let (Some((robot, _)), Medium::Acoustic(medium)) = (modem.on, &modem.transceiver.medium)
            && let Some(noise) = &medium.thruster_noise
        {
            speeds[robot] = noise.speed_rad_s;
        }
    }
    speeds
}

/// Returns the noise law of the first positioning instrument of a robot that has one.
pub(crate) fn instrument_noise(robot: &Robot) -> Option<&ThrusterNoise> {
    let mut devices = robot.sensors.iter().filter_map(|s| s.kind.exteroceptive());
    devices.find_map(|device| device.properties().thruster_noise)
}
