//! Largest commands of the keyboard: maximum velocities of the firmware, or maximum wrenches of the
//! thrusters.

use merrow_model::scene::robot::firmware::{FirmwareLaw, Multirotor};
use merrow_model::scene::{Robot, Scene};

/// Returns the maximum speeds in surge, sway and heave [m/s] and yaw [rad/s] of the firmware.
pub fn max_velocity(robot: &Robot) -> [f64; 4] {
    match robot.firmware.as_ref().map(|firmware| &firmware.law) {
        Some(FirmwareLaw::MotionControl(m)) => {
            let [surge, sway, heave] = m.keys.max_speed_m_s;
            [surge, sway, heave, m.keys.max_yaw_rate_rad_s]
        }
        Some(FirmwareLaw::Multirotor(m)) => max_flight_velocity(m),
        Some(FirmwareLaw::Drive(d)) => [d.keys.max_speed_m_s, 0.0, 0.0, d.keys.max_yaw_rate_rad_s],
        Some(FirmwareLaw::SurgeYawRate(v)) => [v.max_speed_m_s, 0.0, 0.0, v.max_yaw_rate_rad_s],
        Some(FirmwareLaw::HeadingDepthHold(h)) => {
            h.speed_control.as_ref().map_or([0.0; 4], |speed| {
                let keys = &speed.keys;
                [
                    keys.max_speed_m_s,
                    0.0,
                    keys.max_climb_m_s,
                    keys.max_yaw_rate_rad_s,
                ]
            })
        }
        Some(FirmwareLaw::Sailing(_) | FirmwareLaw::Glider(_)) | None => [0.0; 4],
    }
}

fn max_flight_velocity(m: &Multirotor) -> [f64; 4] {
    let [flat, up, down] = m.keys.max_speed_m_s;
    [flat, flat, up.min(down), m.keys.max_yaw_rate_rad_s]
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
