//! Largest commands of the keyboard: maximum velocities of the firmware, or maximum wrenches of the
//! thrusters.

use merrow_model::scene::{Robot, Scene};

/// Returns the maximum speeds in surge, sway and heave [m/s] and yaw [rad/s] of the firmware.
pub fn max_velocity(robot: &Robot) -> [f64; 4] {
    let firmware = robot.firmware.as_ref();
    firmware.map_or([0.0; 4], |firmware| firmware.max_velocity())
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
