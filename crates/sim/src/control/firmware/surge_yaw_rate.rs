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

use merrow_math::Vec3;
use merrow_model::scene::Robot;
use merrow_model::scene::ThrustAllocation;
use merrow_model::scene::robot::firmware::SurgeYawRateControl as Settings;
use merrow_model::state::RobotState;
use merrow_model::state::firmware::SurgeYawRateState;

/// Inputs of a firmware tick.
#[derive(Clone, Copy, Debug)]
pub struct VelocityTick {
    /// Valid velocity command: linear [m/s] and angular [rad/s].
    pub command: [Vec3; 2],
    /// Density of the water [kg/m³].
    pub density: f64,
    /// Time since the last tick [s].
    pub dt: f64,
}

/// Runs one tick; without a valid command the thrusters are released.
pub fn tick(
    robot: &Robot,
    settings: &Settings,
    state: &mut RobotState,
    memory: &mut SurgeYawRateState,
    tick: Option<VelocityTick>,
) {
    let (Some(manager), Some(tick)) = (&robot.allocation, tick) else {
        if memory.on {
            release_thrusters(robot, state, memory);
        }
        return;
    };
    let V = &state.motion.V_WB_B;
    let now = [V.v.x, V.w.z];
    if !memory.on {
        *memory = SurgeYawRateState {
            on: true,
            set_point: now,
            error_integral: [0.0; 2],
        };
    }
    let command = [tick.command[0].x, tick.command[1].z];
    let error = [0, 1].map(|i| {
        let target = command[i].clamp(-settings.max_velocity[i], settings.max_velocity[i]);
        let max_change = settings.max_acceleration[i] * tick.dt;
        memory.set_point[i] += (target - memory.set_point[i]).clamp(-max_change, max_change); // (1)
        memory.set_point[i] - now[i]
    });
    let load = load(settings, memory, error); // (2)
    let [push_part, turn_part] = available_parts(robot, manager, load, tick.density);
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let [push, turn] = share(manager, k, load);
        let command =
            thruster.command_from_thrust(push_part * push + turn_part * turn, tick.density);
        state.actuators[k].set_command(thruster, command);
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
    [0, 1].map(|i| settings.gain[i] * error[i] + settings.integral[i] * memory.error_integral[i])
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
pub(crate) fn release_thrusters(
    robot: &Robot,
    state: &mut RobotState,
    memory: &mut SurgeYawRateState,
) {
    memory.on = false;
    for (actuator, thruster) in state.actuators.iter_mut().zip(&robot.thrusters) {
        actuator.set_command(thruster, thruster.neutral);
    }
}

/// Returns the fraction of `thrust` [N] that a thruster with these limits [N] can exert.
fn available_fraction(thrust: f64, [low, high]: [f64; 2]) -> f64 {
    let limit = if thrust > 0.0 { high } else { low };
    if thrust.abs() <= limit.abs() && thrust * limit >= 0.0 {
        1.0
    } else {
        (limit / thrust).clamp(0.0, 1.0)
    }
}
