//! Motor and gear of a servo: what becomes of the effort that the controller asks for.
//!
//! # Law
//! ```text
//!   |τ_m| <= τ_max f(T)                                              (1)  f falls from 1 at T_d to 0 at T_max
//!   τ_s (-1 - ω/ω_0) <= τ_m <= τ_s (1 - ω/ω_0), |τ_m| <= τ_s         (2)  torque-speed line
//!   τ = τ_m + τ_l,  |τ_l| <= (1 - η) |τ_m|   the motor drives        (3)  loss of the gear, against the motion
//!                   |τ_l| <= (1/η' - 1) |τ_m|  the load drives
//!   i = τ_m / k,  T' = (R i² R_th - (T - T_water)) / τ_th            (4)  solved exactly over a step
//! ```
//! With a gap of width b or a spring, the rotor moves for itself:
//! ```text
//!   J_r ω_r' = τ_m + τ_l - τ,  τ = k_s d + c_s d'  while it pushes, else 0      (5)
//!   d = x - clip(x, b/2),  x = q_r - q
//! ```
//! # Symbols
//! τ_m effort of the motor, τ on the joint, τ_l of the gear's friction · ω, ω_r speed of joint and rotor · μ mobility of the joint
//! (`dynamics::mobility`), 1/J_r that of a rotor for itself · h step.
//!
//! # Frames
//! At the joint, behind the gear ratio.
//!
//! # Limits
//! τ holds over a step. (2), (3) and (5) are solved for the velocity at the step's end, ω⁺ = ω_f + h μ τ with ω_f that without
//! motor, so they are stable at any step: (2) becomes τ_s (1 - ω_f/ω_0)/(1 + h μ τ_s/ω_0), (3) at most what brings the joint to
//! rest, (5) an implicit Euler step of the gap's coordinate, order one, which loses energy but gains none. Motors of other joints
//! count as they were in the step before.
//!
//! # Checked by
//! test/analytic/actuator.rs

use super::joints::Now;
use crate::dynamics::mobility::mobility;
use crate::scene::Robot;
use crate::scene::actuator::{Actuator, Elastic};
use crate::state::{JointMemory, Workspace};

/// A joint at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Position [rad or m].
    pub q: f64,
    /// Velocity [rad/s or m/s].
    pub qd: f64,
    /// Acceleration with the effort held so far [rad/s² or m/s²].
    pub qdd: f64,
    /// That effort [N m or N].
    pub held: f64,
    /// Acceleration per effort.
    pub mobility: f64,
}

/// Finds the mobility of the joints whose actuators need it.
pub fn find_mobilities(robot: &Robot, work: &mut Workspace) {
    for j in 0..robot.n_joints() {
        let needed = robot.links[j + 1].joint.servo().is_some_and(|s| needs_mobility(&s.actuator));
        if needed {
            work.joints[j].mobility = mobility(robot, work, j);
        }
    }
}

/// True if the effort depends on what it does to the joint.
fn needs_mobility(actuator: &Actuator) -> bool {
    let loses = actuator.forward_loss > 0.0 || actuator.backward_loss > 0.0;
    actuator.elastic.is_some() || actuator.line.is_some() || loses
}

/// (1): the largest effort that the motor may give.
pub fn effort_limit(actuator: &Actuator, memory: &JointMemory, ambient: f64) -> f64 {
    let limit = actuator.line.map_or(memory.effort_limit, |l| memory.effort_limit.min(l.stall_effort));
    let Some(thermal) = &actuator.thermal else { return limit };
    let temperature = ambient + memory.heat;
    let left = ((thermal.most - temperature) / (thermal.most - thermal.derate_from)).clamp(0.0, 1.0);
    if left < 1.0 { limit.min(f64::MAX) * left } else { limit }
}

/// Effort on the joint over the step that starts now; advances rotor and temperature to its end.
pub fn step(actuator: &Actuator, memory: &mut JointMemory, joint: &At, now: Now) -> f64 {
    let limit = effort_limit(actuator, memory, now.ambient);
    let asked = memory.effort.clamp(-limit, limit);
    let tau = match &actuator.elastic {
        None => {
            let free = joint.qd + now.dt * (joint.qdd - joint.mobility * joint.held);
            let (motor, loss) = motor(actuator, asked, free, now.dt * joint.mobility);
            memory.motor_effort = motor;
            motor + loss
        }
        Some(gear) => through_gap(actuator, gear, memory, asked, joint, now.dt),
    };
    if let Some(thermal) = &actuator.thermal {
        let current = memory.motor_effort / actuator.effort_per_ampere;
        let end = thermal.resistance * current * current * thermal.kelvin_per_watt;
        memory.heat = end + (memory.heat - end) * libm::exp(-now.dt / thermal.tau); // (4)
    }
    tau
}

/// (2) and (3): effort of the motor and of the gear's friction, for something that would go at `free` at the step's end without
/// them and at `free + yields τ` with them.
fn motor(actuator: &Actuator, asked: f64, free: f64, yields: f64) -> (f64, f64) {
    let mut tau = asked;
    if let Some(line) = &actuator.line {
        let (stall, most) = (line.stall_effort, line.no_load_speed);
        let softened = 1.0 + yields * stall / most;
        let hi = (stall * (1.0 - free / most) / softened).clamp(-stall, stall);
        let lo = (stall * (-1.0 - free / most) / softened).clamp(-stall, stall);
        tau = tau.clamp(lo, hi);
    }
    let speed = free + yields * tau;
    let part = if tau * speed >= 0.0 { actuator.forward_loss } else { actuator.backward_loss };
    let most = part * tau.abs();
    let loss = if most > 0.0 { (-speed / yields).clamp(-most, most) } else { 0.0 };
    (tau, loss)
}

/// (5) over one step: effort on the joint.
fn through_gap(
    actuator: &Actuator,
    gear: &Elastic,
    memory: &mut JointMemory,
    asked: f64,
    joint: &At,
    h: f64,
) -> f64 {
    let [q_r, w_r] = memory.rotor;
    let yields = h / actuator.rotor_inertia;
    let (motor, loss) = motor(actuator, asked, w_r - yields * joint.held, yields);
    memory.motor_effort = motor;
    // both sides at the step's end if nothing passed between them
    let w_free = w_r + yields * (motor + loss);
    let qd_free = joint.qd + h * (joint.qdd - joint.mobility * joint.held);
    let x_free = q_r - joint.q + h * (w_free - qd_free);
    let past = x_free - x_free.clamp(-0.5 * gear.gap, 0.5 * gear.gap);
    let push = gear.stiffness * past + gear.damping * (w_free - qd_free);
    let softened = 1.0 + (h * gear.stiffness + gear.damping) * (yields + h * joint.mobility);
    // the flanks of a gap push and never pull
    let tau = if gear.gap == 0.0 || past * push > 0.0 { push / softened } else { 0.0 };
    let w = w_free - yields * tau;
    memory.rotor = [q_r + h * w, w];
    tau
}
