//! Largest commands of the keyboard: maximum velocities of the firmware, or maximum wrenches of the
//! thrusters.

use merrow_model::scene::robot::firmware::{FirmwareLaw, Multirotor};
use merrow_model::scene::{Robot, Scene};

/// Returns the maximum speeds in surge, sway and heave [m/s] and yaw [rad/s] of the firmware.
pub fn max_velocity(robot: &Robot) -> [f64; 4] {
    match robot.firmware.as_ref().map(|firmware| &firmware.law) {
        Some(FirmwareLaw::MotionControl(m)) => {
            let [surge, sway, heave] = m.limits.velocity;
            [surge, sway, heave, m.limits.yaw_rate]
        }
        Some(FirmwareLaw::Multirotor(m)) => max_flight_velocity(m),
        Some(FirmwareLaw::Drive(d)) => [d.max_velocity[0], 0.0, 0.0, d.max_velocity[1]],
        Some(FirmwareLaw::SurgeYawRate(v)) => [v.max_velocity[0], 0.0, 0.0, v.max_velocity[1]],
        Some(FirmwareLaw::HeadingDepthHold(h)) => {
            let speed = h
                .speed_control
                .as_ref()
                .map_or([0.0; 3], |s| s.max_velocity);
            [speed[0], 0.0, speed[1], speed[2]]
        }
        Some(FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_)) | None => [0.0; 4],
    }
}

fn max_flight_velocity(m: &Multirotor) -> [f64; 4] {
    let [flat, up, down] = m.max_speed;
    [flat, flat, up.min(down), m.max_yaw_rate]
}

/// Returns the largest force forward, left and up [N] and moment about z [N m] of the thrusters in
/// both directions, each without the others.
pub fn max_wrench(scene: &Scene, robot: &Robot) -> [f64; 4] {
    let Some(allocation) = &robot.allocation else {
        return [0.0; 4];
    };
    let mut max = [0.0; 4];
    for (thruster, unit) in robot.thrusters.iter().zip(&allocation.unit_wrenches) {
        let thrust = |end: usize| {
            let command = thruster.motor.range[end];
            thruster.static_thrust(command, scene.sea.density).abs()
        };
        let thrust = thrust(0).min(thrust(1));
        for (max, k) in max.iter_mut().zip([0, 1, 2, 5]) {
            *max += thrust * unit[k].abs();
        }
    }
    max
}
