//! Motor and gear of a servo: joint effort that results from the effort requested by the
//! controller.
//!
//! # Law
//! ```text
//!   |τ_m| <= τ_max f(T)                                       (1)
//!   τ_s (-1 - ω/ω_0) <= τ_m <= τ_s (1 - ω/ω_0), |τ_m| <= τ_s  (2)  torque-speed line
//!   τ = τ_m + τ_l,  |τ_l| <= (1 - η) |τ_m|   motor drives     (3)  gear loss, against the motion
//!                   |τ_l| <= (1/η' - 1) |τ_m|  load drives
//!   i = τ_m / k,  T' = (R i² R_th - (T - T_water)) / τ_th     (4)  solved exactly over a step
//!   (1) f decreases from 1 at T_d to 0 at T_max
//! ```
//! With backlash of width b or a spring, the rotor has its own motion:
//! ```text
//!   J_r ω_r' = τ_m + τ_l - τ,  τ = k_s d + c_s d'  in contact, else 0      (5)
//!   d = x - clip(x, b/2),  x = q_r - q
//! ```
//! # Symbols
//! τ_m effort of the motor, τ effort on the joint, τ_l gear friction · τ_max effort limit, τ_s
//! stall effort, ω_0 no-load speed · η, η' efficiency in forward and backward drive · ω, ω_r speed
//! of joint and rotor, q, q_r their positions · i current, k effort per ampere, R winding
//! resistance · T motor temperature, T_d and T_max where derating begins and ends, R_th thermal
//! resistance, τ_th thermal time constant · J_r rotor inertia, k_s, c_s stiffness and damping of
//! the gear · μ mobility of the joint (`merrow_physics::dynamics::mobility`), 1/J_r mobility of a
//! free rotor · h step.
//!
//! # Frames
//! At the joint, on the output side of the gear.
//!
//! # Limits
//! τ is constant over a step. Only (2) anticipates the dry friction of the joint, which
//! `merrow_physics::contact` solves, so that a joint held by friction has the motor effort at rest.
//!
//! (2), (3) and (5) are solved for the velocity at the end of the step, ω⁺ = ω_f + h μ τ with ω_f
//! the velocity without motor, so they are stable for any step. (2) becomes τ_s (1 - ω_f/ω_0)/(1 +
//! h μ τ_s/ω_0). (3) is at most the effort that stops the joint. (5) is an implicit Euler
//! step of the backlash coordinate, of order one, which loses energy but gains none.
//!
//! Joints that are dynamically coupled are solved one after the other, forwards and backwards,
//! starting with the efforts of the preceding step (symmetric Gauss-Seidel). The remaining error of
//! a step is smaller than the initial one and of the same sign, so motors on one chain cannot
//! excite each other.
//!
//! # Checked by
//! test/analytic/joints/actuator.rs, test/analytic/joints/servo_friction.rs

use crate::control::joints::Now;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::actuator::{Actuator, Elastic, TorqueSpeedLine};
use merrow_model::state::workspace::JointWork;
use merrow_model::state::{JointDriveState, RobotState, Workspace};
use merrow_physics::dynamics::mobility;

/// Computes the efforts of all motors over the step that starts now and stores them in `work` and
/// `state`; advances rotors and temperatures to its end.
pub fn advance(robot: &Robot, state: &mut RobotState, work: &mut Workspace, now: Now) {
    let n = robot.n_joints();
    let servo = |j: &usize| robot.links[j + 1].joint.servo();
    let coupled = (0..n)
        .filter_map(|j| servo(&j))
        .any(|s| needs_mobility(&s.actuator));
    for j in (0..n).filter(|j| servo(j).is_some()) {
        work.joints[j].effort = state.joint_commands[j];
        if coupled {
            mobility::compute_row(robot, work, j);
        }
    }
    for j in 0..n {
        solve_joint(robot, state, work, j, coupled, now);
    }
    if coupled {
        (0..n)
            .rev()
            .for_each(|j| solve_joint(robot, state, work, j, coupled, now));
    }
    for (j, link) in robot.links[1..].iter().enumerate() {
        let Some(servo) = link.joint.servo() else {
            continue;
        };
        let (memory, found) = (&mut state.joints[j], &work.joints[j]);
        (memory.motor_effort, memory.rotor) = (found.motor_effort, found.rotor);
        if let Some(winding) = &servo.actuator.winding {
            let current = memory.motor_effort / servo.actuator.effort_per_ampere;
            let end =
                winding.resistance_ohm * current * current * winding.thermal_resistance_k_per_w;
            let kept = libm::exp(-now.dt / winding.thermal_time_constant_s);
            memory.heat = end + (memory.heat - end) * kept; // (4)
        }
        state.joint_commands[j] = found.effort;
    }
}

/// Solves (2), (3) and (5) for joint `j` with the current efforts of the others, and updates the
/// accelerations of all joints.
fn solve_joint(
    robot: &Robot,
    state: &RobotState,
    work: &mut Workspace,
    j: usize,
    coupled: bool,
    now: Now,
) {
    let joint = &robot.links[j + 1].joint;
    let Some(actuator) = joint.servo().map(|servo| &servo.actuator) else {
        return;
    };
    let (n, memory, held) = (robot.n_joints(), &state.joints[j], work.joints[j].effort);
    let mobility = if coupled {
        work.mobility[j * n + j]
    } else {
        0.0
    };
    let limit = effort_limit(actuator, memory, now);
    let requested = if memory.fault.stuck {
        memory.motor_effort
    } else {
        memory.effort + memory.fault.offset
    };
    let commanded = requested.clamp(-limit, limit);
    // speed of the joint at the end of the step without motor
    let free = state.motion.qd[j] + now.dt * (work.qdd[j] - mobility * held);
    let out = &mut work.joints[j];
    if let Some(gear) = &actuator.elastic {
        let (q, rotor) = (state.motion.q[j], memory.rotor);
        solve_elastic(
            actuator,
            gear,
            rotor,
            commanded,
            (q, free),
            mobility,
            now.dt,
            out,
        );
    } else {
        let yields = now.dt * mobility;
        let (motor, loss) = motor_and_loss(actuator, commanded, free, yields, joint.friction);
        (out.motor_effort, out.effort) = (motor, motor + loss);
        out.rotor = memory.rotor;
    }
    let change = out.effort - held;
    if coupled && change != 0.0 {
        for k in 0..n {
            work.qdd[k] += work.mobility[j * n + k] * change;
        }
    }
}

/// Returns true if the effort depends on the acceleration that it causes.
fn needs_mobility(actuator: &Actuator) -> bool {
    let loses = actuator.forward_loss > 0.0 || actuator.backward_loss > 0.0;
    actuator.elastic.is_some() || actuator.line.is_some() || loses
}

/// Returns the largest effort that the motor may exert [N m or N] by (1).
pub fn effort_limit(actuator: &Actuator, memory: &JointDriveState, now: Now) -> f64 {
    if !now.powered || memory.fault.dead {
        return 0.0;
    }
    let limit = actuator.line.map_or(memory.effort_limit, |l| {
        memory.effort_limit.min(l.stall_effort)
    });
    let limit = if memory.fault.fraction < 1.0 {
        limit.min(f64::MAX) * memory.fault.fraction
    } else {
        limit
    };
    let Some(winding) = &actuator.winding else {
        return limit;
    };
    let temperature = now.ambient + memory.heat;
    let left = ((winding.max_temperature_c - temperature)
        / (winding.max_temperature_c - winding.derate_from_c))
        .clamp(0.0, 1.0);
    if left < 1.0 {
        limit.min(f64::MAX) * left
    } else {
        limit
    }
}

/// Computes (2) and (3): effort of the motor and of the gear friction, for an inertia whose speed
/// at the end of the step would be `free` without them and is `free + yields τ` with them, less the
/// effect of dry friction.
fn motor_and_loss(
    actuator: &Actuator,
    commanded: f64,
    free: f64,
    yields: f64,
    friction: f64,
) -> (f64, f64) {
    let mut tau = commanded;
    if let Some(line) = &actuator.line {
        let max_effort = |free: f64| max_line_effort(line, free, yields, friction);
        tau = tau.clamp(-max_effort(-free), max_effort(free));
    }
    let speed = free + yields * tau;
    let part = if tau * speed >= 0.0 {
        actuator.forward_loss
    } else {
        actuator.backward_loss
    };
    let max_loss = part * tau.abs();
    let loss = if max_loss > 0.0 {
        (-speed / yields).clamp(-max_loss, max_loss)
    } else {
        0.0
    };
    (tau, loss)
}

/// Returns the largest effort of (2) at the end of the step.
fn max_line_effort(line: &TorqueSpeedLine, free: f64, yields: f64, friction: f64) -> f64 {
    let (stall, no_load) = (line.stall_effort, line.no_load_speed);
    let softened = 1.0 + yields * stall / no_load;
    let effort = |free: f64| stall * (1.0 - free / no_load) / softened;
    let slowed = yields * friction;
    let (ahead, back) = (effort(free - slowed), effort(free + slowed));
    let found = if free - slowed + yields * ahead > 0.0 {
        ahead
    } else if free + slowed + yields * back < 0.0 {
        back
    } else {
        // the joint is held by friction
        stall
    };
    found.clamp(-stall, stall)
}

/// Advances (5) by one step of `h` [s]. `qd_free` is the velocity of the joint at its end without a
/// force of the gear; `out` has the effort that was applied so far.
fn solve_elastic(
    actuator: &Actuator,
    gear: &Elastic,
    [q_r, w_r]: [f64; 2],
    commanded: f64,
    (q, qd_free): (f64, f64),
    mobility: f64,
    h: f64,
    out: &mut JointWork,
) {
    let yields = h / actuator.rotor_inertia;
    let (motor, loss) = motor_and_loss(actuator, commanded, w_r - yields * out.effort, yields, 0.0);
    // both sides at the end of the step without a force between them
    let w_free = w_r + yields * (motor + loss);
    let x_free = q_r - q + h * (w_free - qd_free);
    let past = x_free - x_free.clamp(-0.5 * gear.backlash, 0.5 * gear.backlash);
    let push = gear.stiffness * past + gear.spring_damping * (w_free - qd_free);
    let softened = 1.0 + (h * gear.stiffness + gear.spring_damping) * (yields + h * mobility);
    // the flanks of the gap push and never pull
    let tau = if gear.backlash == 0.0 || past * push > 0.0 {
        push / softened
    } else {
        0.0
    };
    let w = w_free - yields * tau;
    (out.effort, out.motor_effort, out.rotor) = (tau, motor, [q_r + h * w, w]);
}
