//! PID control of position and attitude with feed-forward and anti-windup.
//!
//! # Law
//! ```text
//!   F = R_H (M a_r + C(v_r) v_r + D(v_r) v_r
//!            + K_p R_Hᵀ (p_r - p) + K_d R_Hᵀ (v_r - v)) + F_i              (1)
//!   N = J α_r + N_M + D(Ω_r) Ω_r + K_p e_Θ + K_d (Ω_r - Ω) + N_i  (2)
//!   F_i' = R_H K_i R_Hᵀ (p_r - p) + K_d⁻¹ K_p (F_a - F)           (3)
//!            (1) [Fossen 2021, eq. 15.82 and algorithm 15.2]
//!            (3) [Åström and Hägglund 2006, §3.5]
//! ```
//! With the yaw rate r and the velocity u, v along and across the heading, C(v) v is (m_x - m_y) r
//! v along and (m_x - m_y) r u across it. N_M is the Munk moment (m_y - m_x) u v about the
//! vertical. All three refer to the reference. (3) is the integral with back-calculation: while the
//! thrusters saturate, the second term makes the integral follow the force that they produce. The
//! same holds for the moment N_i.
//!
//! # Symbols
//! p, v position and velocity, p_r, v_r, a_r reference · R_H rotation by the yaw of the vehicle · Ω
//! angular velocity, Ω_r, α_r reference · e_Θ rotation vector from the attitude to its reference ·
//! M, J mass and inertia with added mass, m_x, m_y masses in surge and sway · D linear and
//! quadratic damping of the base · K_p, K_i, K_d gains along surge, sway and heave and about roll,
//! pitch and yaw · F_i, N_i integral part · F_a force that the thrusters produce.
//!
//! # Frames
//! Forces and positions in W, moments and angular velocities in B. The gains apply along the
//! heading of the vehicle and vertically. The integral force is stored in W, so that it balances a
//! current or the net buoyancy while the vehicle turns.
//!
//! # Limits
//! Coriolis terms of vertical motion, roll and pitch are not fed forward, and the terms are those
//! in still water: the integral balances the rest. The gains by pole placement
//! (`crates/world/src/build/robot/firmware/motion_control.rs`) neglect the damping.
//!
//! # Checked by
//! test/analytic/vehicles/motion_control.rs

use crate::laws::motion_control::reference::Acceleration;
use crate::laws::motion_control::{Controlled, VehicleMotion, is_controlled};
use merrow_math::real::sin_cos;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::kinematics::coupling::rotation_vector;
use merrow_model::scene::robot::firmware::motion_control::MotionControl;
use merrow_model::scene::robot::firmware::motion_control::MotionControlState;

/// Returns the force [N] and moment [N m] in B by (1) and (2), in the controlled parts of the
/// motion.
pub(crate) fn wrench(
    settings: &MotionControl,
    control: &MotionControlState,
    motion: &VehicleMotion,
    acceleration: &Acceleration,
    controlled: Controlled,
) -> [f64; 6] {
    let (gains, reference) = (&control.gains, &control.reference);
    let R_H = heading_rotation(motion.rpy[2]);
    let in_heading = |v: Vec3| R_H.tr_mul_vec(v).to_array();
    let [e, ev, v, a] = [
        in_heading(reference.p - motion.p),
        in_heading(reference.v - motion.v),
        in_heading(reference.v),
        in_heading(acceleration.linear),
    ];
    let F_i = in_heading(Vec3::new(
        control.integral[0],
        control.integral[1],
        control.integral[2],
    ));
    let difference = settings.inertia[0] - settings.inertia[1];
    let turning = [v[1], v[0], 0.0].map(|v| difference * reference.yaw_rate * v);
    let along = |i: usize| {
        settings.inertia[i] * a[i]
            + turning[i]
            + damping(settings, i, v[i])
            + gains.position[i] * e[i]
            + gains.velocity[i] * ev[i]
            + F_i[i]
    };
    let is_used = |i: usize| is_controlled(controlled, i) && settings.actuated[i];
    let used = |i: usize| if is_used(i) { along(i) } else { 0.0 };
    let F_H = Vec3::new(used(0), used(1), used(2));
    let F_B = motion.R_WB.tr_mul_vec(R_H.mul_vec(F_H));
    let [e_att, e_rate, rate, alpha] = attitude_errors(control, motion, acceleration, controlled);
    let munk = f64::from(controlled[0]) * settings.munk_mass * v[0] * v[1];
    let about = |k: usize| {
        let i = 3 + k;
        if !is_used(i) {
            return 0.0;
        }
        settings.inertia[i] * alpha[k]
            + if k == 2 { munk } else { 0.0 }
            + damping(settings, i, rate[k])
            + gains.position[i] * e_att[k]
            + gains.velocity[i] * e_rate[k]
            + control.integral[i]
    };
    [F_B.x, F_B.y, F_B.z, about(0), about(1), about(2)]
}

/// Advances the integral part by (3) over `dt` [s].
pub(crate) fn advance_integral(
    settings: &MotionControl,
    control: &mut MotionControlState,
    motion: &VehicleMotion,
    controlled: Controlled,
    dt: f64,
) {
    let gains = control.gains;
    let R_H = heading_rotation(motion.rpy[2]);
    let difference: [f64; 6] = std::array::from_fn(|i| control.allocated[i] - control.requested[i]);
    let lost = motion
        .R_WB
        .mul_vec(Vec3::new(difference[0], difference[1], difference[2]));
    let lost = R_H.tr_mul_vec(lost).to_array();
    let e = R_H.tr_mul_vec(control.reference.p - motion.p).to_array();
    let is_used = |i: usize| is_controlled(controlled, i) && settings.actuated[i];
    let rate = Vec3::from(std::array::from_fn(|i| {
        if is_used(i) {
            gains.integral[i] * e[i] + tracking_rate(&gains.position, &gains.velocity, i) * lost[i]
        } else {
            0.0
        }
    }));
    let change = R_H.mul_vec(rate).scale(dt).to_array();
    let still = Acceleration::zero();
    let [e_att, ..] = attitude_errors(control, motion, &still, controlled);
    for i in 0..3 {
        control.integral[i] += change[i];
        let k = 3 + i;
        if is_used(k) {
            let follow = tracking_rate(&gains.position, &gains.velocity, k) * difference[k];
            control.integral[k] += dt * (gains.integral[k] * e_att[i] + follow);
        }
    }
}

/// Returns the rate at which the integral follows the produced force [1/s].
fn tracking_rate(position: &[f64; 6], velocity: &[f64; 6], axis: usize) -> f64 {
    if velocity[axis] > 0.0 {
        position[axis] / velocity[axis]
    } else {
        0.0
    }
}

/// Returns the rotation from the heading frame H (x along the heading, z up) to W for a yaw [rad].
pub(crate) fn heading_rotation(yaw: f64) -> Mat3 {
    let (s, c) = sin_cos(yaw);
    Mat3 {
        r: [
            Vec3::new(c, -s, 0.0),
            Vec3::new(s, c, 0.0),
            Vec3::new(0.0, 0.0, 1.0),
        ],
    }
}

/// Returns the damping force [N] or moment [N m] of the base at the speed `v` [m/s or rad/s].
fn damping(settings: &MotionControl, axis: usize, v: f64) -> f64 {
    (settings.linear_damping[axis] + settings.quadratic_damping[axis] * v.abs()) * v
}

/// Returns the errors of attitude [rad] and angular velocity [rad/s], and the references of the
/// angular velocity [rad/s] and acceleration [rad/s²], about the axes of B.
fn attitude_errors(
    control: &MotionControlState,
    motion: &VehicleMotion,
    acceleration: &Acceleration,
    controlled: Controlled,
) -> [[f64; 3]; 4] {
    let reference = &control.reference;
    let [roll, pitch, yaw] = motion.rpy;
    let [.., tilt, turn] = controlled;
    let target = Quat::from_rpy(
        if tilt { reference.rpy[0] } else { roll },
        if tilt { reference.rpy[1] } else { pitch },
        if turn { reference.rpy[2] } else { yaw },
    );
    let E = motion.R_WB.transpose().mul_mat(&target.matrix());
    let up = motion.R_WB.tr_mul_vec(Vec3::new(0.0, 0.0, 1.0));
    let rate = up.scale(if turn { reference.yaw_rate } else { 0.0 });
    [
        rotation_vector(&Quat::from_matrix(&E)).to_array(),
        (rate - motion.w_B).to_array(),
        rate.to_array(),
        up.scale(acceleration.yaw).to_array(),
    ]
}
