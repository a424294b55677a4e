//! Surge and yaw rate control of a surface vehicle by velocity commands.
//!
//! # Law
//! ```text
//!   u_r' = clip((u_c - u_r)/Δ, a_max)                                               (1)
//!   X = k (u_r - u) + i ∫(u_r - u) dt,  the same for the yaw rate and the moment N  (2)
//!   T = B⁺ (X, N)                                                                   (3)
//!   (2) [Fossen 2021, §15.2: PI control]
//!   (3) as the thruster manager
//! ```
//! If the thrusters cannot exert both, the moment has priority, so that the vehicle remains
//! steerable. The integrals of (2) are frozen meanwhile.
//!
//! # Symbols
//! u forward speed over ground, u_c its command, u_r its reference · Δ tick · a_max maximum
//! acceleration · k, i gains · X surge force, N yaw moment · T thrusts · B⁺ allocation.
//!
//! # Frames
//! Base: x forward, yaw about z.
//!
//! # Limits
//! The firmware uses the true motion. It does not control sideways drift. The allocation takes
//! azimuth thrusters at angle zero, and the firmware does not turn them. Without a command for the
//! time-out the thrusters stop and accept direct commands.
//!
//! # Checked by
//! test/analytic/vehicles/surge_yaw_rate.rs

use crate::allocation::available_fraction;
use crate::build::{BuildLaw, LawContext};
use crate::devices::Devices;
use crate::estimate::KnownMotion;
use crate::law::{ControlLaw, Controller, Tick};
use merrow_model::scene::robot::firmware::SurgeYawRate as Settings;
use merrow_model::scene::robot::firmware::surge_yaw_rate::SurgeYawRateState;
use merrow_model::scene::{Robot, ThrustAllocation};
use merrow_model::state::RobotState;
use merrow_model::state::commands::Accepted;

impl ControlLaw for Controller<'_, Settings, SurgeYawRateState> {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if tick.has_command && devices.robot().allocation.is_some() {
            control(self.settings, self.state, tick, devices);
        } else if self.state.on {
            release_thrusters(self.state, devices);
        }
    }

    fn enable(&mut self, on: bool, _: &KnownMotion, devices: &mut Devices<'_>) -> Accepted {
        if !on {
            release_thrusters(self.state, devices);
        }
        Ok(())
    }
}

/// Commands the thrusters by (1) to (3).
fn control(
    settings: &Settings,
    memory: &mut SurgeYawRateState,
    tick: &Tick<'_>,
    devices: &mut Devices<'_>,
) {
    let robot = devices.robot();
    let Some(manager) = &robot.allocation else {
        return;
    };
    let density = tick.environment.sea.density;
    let V = &tick.motion.V_WB_B;
    let now = [V.v.x, V.w.z];
    if !memory.on {
        *memory = SurgeYawRateState {
            on: true,
            set_point: now,
            error_integral: [0.0; 2],
        };
    }
    let command = [tick.command[0].x, tick.command[1].z];
    let max_velocity = [settings.max_speed_m_s, settings.max_yaw_rate_rad_s];
    let max_acceleration = [
        settings.max_acceleration_m_s2,
        settings.max_yaw_acceleration_rad_s2,
    ];
    let error = [0, 1].map(|i| {
        let target = command[i].clamp(-max_velocity[i], max_velocity[i]);
        let max_change = max_acceleration[i] * tick.dt;
        memory.set_point[i] += (target - memory.set_point[i]).clamp(-max_change, max_change); // (1)
        memory.set_point[i] - now[i]
    });
    let load = load(settings, memory, error); // (2)
    let [push_part, turn_part] = available_parts(robot, manager, load, density);
    for k in 0..robot.thrusters.len() {
        let [push, turn] = share(manager, k, load);
        devices.set_thrust(k, push_part * push + turn_part * turn, density);
    }
    for (i, part) in [push_part, turn_part].into_iter().enumerate() {
        if part == 1.0 {
            memory.error_integral[i] += error[i] * tick.dt;
        }
    }
}

/// Returns surge force [N] and yaw moment [N m] that the law requests at `error` of speed [m/s] and
/// yaw rate [rad/s], by (2).
fn load(settings: &Settings, memory: &SurgeYawRateState, error: [f64; 2]) -> [f64; 2] {
    let integral = memory.error_integral;
    [
        settings.speed_gain_n_s_per_m * error[0]
            + settings.speed_integral_gain_n_per_m * integral[0],
        settings.yaw_rate_gain_nm_s_per_rad * error[1]
            + settings.yaw_integral_gain_nm_per_rad * integral[1],
    ]
}

/// Returns the contributions [N] of surge force and yaw moment of `load` to thruster `k`, by (3).
fn share(manager: &ThrustAllocation, k: usize, load: [f64; 2]) -> [f64; 2] {
    [
        manager.matrix[k][0] * load[0],
        manager.matrix[k][5] * load[1],
    ]
}

/// Returns the fractions of surge force and yaw moment of `load` that the thrusters can exert.
fn available_parts(
    robot: &Robot,
    manager: &ThrustAllocation,
    load: [f64; 2],
    density: f64,
) -> [f64; 2] {
    let limits = |k: usize| robot.thrusters[k].thrust_limits(density);
    let n = robot.thrusters.len();
    let turn_part = (0..n).fold(1.0_f64, |part, k| {
        part.min(available_fraction(share(manager, k, load)[1], limits(k)))
    });
    let push_part = (0..n).fold(1.0_f64, |part, k| {
        let [push, turn] = share(manager, k, load);
        part.min(available_fraction(
            push,
            limits(k).map(|limit| limit - turn_part * turn),
        ))
    });
    [push_part, turn_part]
}

/// Returns the errors of speed [m/s] and yaw rate [rad/s], the requested surge force [N] and yaw
/// moment [N m], and the part of them that the thrusters exert; `None` while the law is not active.
pub(crate) fn demand(
    robot: &Robot,
    settings: &Settings,
    state: &RobotState,
    memory: &SurgeYawRateState,
    density: f64,
) -> Option<[[f64; 2]; 3]> {
    let manager = robot.allocation.as_ref().filter(|_| memory.on)?;
    let V = &state.motion.V_WB_B;
    let error = [memory.set_point[0] - V.v.x, memory.set_point[1] - V.w.z];
    let load = load(settings, memory, error);
    let parts = available_parts(robot, manager, load, density);
    Some([error, load, [0, 1].map(|i| parts[i] * load[i])])
}

/// Stops the thrusters and releases them for direct commands.
fn release_thrusters(memory: &mut SurgeYawRateState, devices: &mut Devices<'_>) {
    memory.on = false;
    devices.stop_thrusters();
}

impl BuildLaw for Settings {
    fn build(keys: &Self, context: &LawContext<'_>) -> Self {
        let axes = [(0, "push it ahead"), (5, "turn it")];
        context.check_thrusters("surge_yaw_rate", &axes, &keys.at);
        keys.clone()
    }
}
