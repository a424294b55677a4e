//! Joint-space mobility: one row of the inverse mass matrix.
//!
//! # Law
//! ```text
//!   u_j = 1,  p_P = X* U_j D_j⁻¹                         (1)  [Featherstone 2008, eq. 7.48]
//!   u_i = -Sᵀ p_i,  p_P = X* (p_i + U_i D_i⁻¹ u_i)       (2)
//!   a_0 = -IA_0⁻¹ p_0,  q̈_i = D_i⁻¹ (u_i - U_iᵀ X a_P)  (3)  [eq. 7.41]
//!   μ_jk = q̈_k
//! ```
//! This is the articulated-body algorithm for a unit effort at joint j and no other force.
//!
//! # Symbols
//! As in `aba`.
//!
//! # Frames
//! Every link in its own frame.
//!
//! # Limits
//! None beyond the limits of `aba`. The function is not part of the kernel; motors use it to
//! predict the effect of a step on their joint.
//!
//! # Checked by
//! test/analytic/joints/actuator.rs (against the mass matrix)

use crate::dynamics::rnea::axis_component;
use merrow_math::spatial::solve;
use merrow_math::{SpatialForce, SpatialVelocity};
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::Robot;
use merrow_model::state::Workspace;

/// Computes the accelerations of all joints per unit effort of joint `j` [rad/s² per N m] into row
/// `j` of `work.mobility`.
///
/// Uses the articulated inertias that `aba` stored in `work`. `u` and `A` of the links are
/// overwritten.
pub fn compute_row(robot: &Robot, work: &mut Workspace, j: usize) {
    let n = robot.n_joints();
    work.links.iter_mut().for_each(|w| w.u = 0.0);
    let (mut i, mut p) = (j + 1, SpatialForce::zero());
    while i != 0 {
        let link = &robot.links[i];
        let w = &mut work.links[i];
        if link.joint.is_free() {
            let unit_effort = if i == j + 1 { 1.0 } else { 0.0 };
            w.u = unit_effort - axis_component(link.joint.kind, &p); // (2)
            let k = w.D_inv * w.u;
            p += w.U.scale(k);
        }
        p = p.to_parent(&w.R_PC, w.p_PC);
        i = link.parent.unwrap_or(0);
    }
    let base = &mut work.links[0];
    base.A = if robot.floating {
        solve(&base.IA, &-p)
    } else {
        SpatialVelocity::zero()
    };
    for i in 1..=n {
        let link = &robot.links[i];
        let A_P = work.links[link.parent.unwrap_or(0)].A;
        let w = &mut work.links[i];
        let a = A_P.to_child(&w.R_PC, w.p_PC);
        let qdd = if link.joint.is_free() {
            w.D_inv * (w.u - a.dot(&w.U))
        } else {
            0.0
        }; // (3)
        w.A = a.add_scaled(&joint_velocity(link.joint.kind, qdd), 1.0);
        work.mobility[j * n + i - 1] = qdd;
    }
}
