//! Differential drive: wheel speeds from a velocity command, and odometry from wheel angles.
//!
//! # Law
//! ```text
//!   ω_l = (v - w b/2)/r,  ω_r = (v + w b/2)/r        (1)  [Siegwart 2011, §3.2]
//!   Δs = r (Δφ_r + Δφ_l)/2,  Δψ = r (Δφ_r - Δφ_l)/b  (2)  [Siegwart 2011, §5.2.4]
//!   Δx = Δs cos(ψ + Δψ/2),  Δy = Δs sin(ψ + Δψ/2)    (3)
//! ```
//! # Symbols
//! v speed, w yaw rate · ω_l, ω_r wheel speeds on the left and on the right · r radius of the
//! wheels · b distance between the sides · φ mean encoder angle of the wheels of a side · s
//! distance, x, y, ψ position and yaw.
//!
//! # Frames
//! Wheel axes point to the left: positive speed is forward. The odometry is the pose of the base in
//! its frame at the start.
//!
//! # Limits
//! The odometry does not detect slip. With more than one wheel on a side, b is an effective track
//! width, larger than the true width.
//!
//! # Checked by
//! test/analytic/vehicles/rover.rs

use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Tick};
use merrow_math::real::sin_cos;
use merrow_model::scene::JointMode;
use merrow_model::scene::robot::firmware::DifferentialDrive as Settings;
use merrow_model::scene::robot::firmware::differential_drive::DifferentialDriveKeys;
use merrow_model::scene::robot::firmware::differential_drive::DifferentialDriveState;
use merrow_model::state::commands::Accepted;
use merrow_yaml::error::Place;

impl ControlLaw for Controller<'_, Settings, DifferentialDriveState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        let Self { settings, state } = self;
        update_odometry(settings, state, devices, tick.dt);
        if !state.on {
            return;
        }
        let command = [tick.command[0].x, tick.command[1].z];
        let keys = &settings.keys;
        let max_velocity = [keys.max_speed_m_s, keys.max_yaw_rate_rad_s];
        let max_acceleration = [keys.max_acceleration_m_s2, keys.max_yaw_acceleration_rad_s2];
        for i in 0..2 {
            let target = command[i].clamp(-max_velocity[i], max_velocity[i]);
            let max_change = max_acceleration[i] * tick.dt;
            state.set_point[i] += (target - state.set_point[i]).clamp(-max_change, max_change);
        }
        set_wheel_speeds(settings, devices, state.set_point);
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        (self.state.on, self.state.set_point) = (on, [0.0; 2]);
        set_wheel_speeds(self.settings, devices, [0.0; 2]);
        Ok(())
    }

    fn start_task(&mut self) -> Accepted {
        if self.state.on {
            return Ok(());
        }
        Err("the firmware is disabled; enable it first".to_string())
    }

    fn drives_joint(&self, joint: usize) -> bool {
        self.state.on
            && self
                .settings
                .wheels
                .iter()
                .flatten()
                .any(|wheel| *wheel == joint)
    }
}

/// Sets the wheel speeds for a speed [m/s] and a yaw rate [rad/s]. (1)
fn set_wheel_speeds(settings: &Settings, devices: &mut Devices<'_>, [v, w]: [f64; 2]) {
    let side = 0.5 * w * settings.keys.track_m;
    for (joints, speed) in settings.wheels.iter().zip([v - side, v + side]) {
        for joint in joints {
            devices.set_joint(
                *joint,
                JointMode::Velocity,
                speed / settings.keys.wheel_radius_m,
            );
        }
    }
}

/// Updates the odometry by (2) and (3) from the encoders.
fn update_odometry(
    settings: &Settings,
    drive: &mut DifferentialDriveState,
    devices: &Devices<'_>,
    dt: f64,
) {
    let now = [0, 1].map(|side| {
        let joints: &[usize] = &settings.wheels[side];
        joints
            .iter()
            .map(|j| devices.joint_position(*j))
            .sum::<f64>()
            / joints.len() as f64
    });
    let Some(last) = drive.angles.replace(now) else {
        return;
    };
    let [left, right] = [0, 1].map(|side| settings.keys.wheel_radius_m * (now[side] - last[side]));
    let (along, turned) = (0.5 * (left + right), (right - left) / settings.keys.track_m);
    let [x, y, yaw] = drive.odometry;
    let (s, c) = sin_cos(yaw + 0.5 * turned);
    drive.odometry = [x + along * c, y + along * s, yaw + turned];
    drive.measured = [along / dt, turned / dt];
}

impl BuildLaw for Settings {
    fn build(keys: &DifferentialDriveKeys, context: &LawContext<'_>) -> Self {
        let side = |names: &[String], place: &Place| -> Vec<usize> {
            let joints = context.robot.links[1..]
                .iter()
                .map(|l| &l.joint)
                .enumerate();
            let servos: Vec<_> = joints
                .filter(|(_, joint)| joint.servo().is_some())
                .collect();
            let find = |name: &String| {
                let names = servos.iter().map(|(_, joint)| joint.name.as_str());
                let explain = |name| format!("no joint {name} with a servo");
                let found = context
                    .problems
                    .borrow_mut()
                    .find(place, name, names, explain)?;
                Some(servos[found].0)
            };
            names.iter().filter_map(find).collect()
        };
        Self {
            keys: keys.clone(),
            wheels: [
                side(&keys.left, keys.at.key_place("left")),
                side(&keys.right, keys.at.key_place("right")),
            ],
        }
    }
}
