//! How readily a joint yields to its own effort: a diagonal element of the inverse mass matrix.
//!
//! # Law
//! ```text
//!   u_j = 1,  p_P = X* U_j D_j⁻¹                                  (1)  [Featherstone 2008, eq. 7.48]
//!   u_i = -Sᵀ p_i,  p_P = X* (p_i + U_i D_i⁻¹ u_i)                (2)
//!   a_0 = -IA_0⁻¹ p_0,  q̈_i = D_i⁻¹ (u_i - U_iᵀ X a_P)            (3)  [eq. 7.41]
//!   μ = q̈_j
//! ```
//! The articulated-body algorithm for a unit effort at joint j and nothing else, along its path to the base.
//!
//! # Symbols
//! As in `aba`.
//!
//! # Frames
//! Every link in its own frame.
//!
//! # Limits
//! None beyond those of `aba`. Not part of the kernel: for motors that must know what a step does to their joint.
//!
//! # Checked by
//! test/analytic/actuator.rs (against the mass matrix)

use super::rnea::axis_part;
use crate::kinematics::joint_velocity;
use crate::math::spatial::solve;
use crate::math::{SpatialForce, SpatialVelocity};
use crate::scene::Robot;
use crate::state::Workspace;

/// Acceleration of joint `j` per unit of its own effort [rad/s² per N m], from the articulated inertias that `aba` left in
/// `work`. Leaves `u` of the links on the path overwritten.
pub fn mobility(robot: &Robot, work: &mut Workspace, j: usize) -> f64 {
    let mut i = j + 1;
    let mut p = SpatialForce::zero();
    while i != 0 {
        let link = &robot.links[i];
        let w = &mut work.links[i];
        let own = if i == j + 1 { 1.0 } else { 0.0 };
        w.u = 0.0;
        if link.joint.is_free() {
            w.u = own - axis_part(link.joint.kind, &p); // (2)
            let k = w.D_inv * w.u;
            p = SpatialForce { m: p.m + w.U.m.scale(k), f: p.f + w.U.f.scale(k) };
        }
        p = p.to_parent(&w.R_PC, w.p_PC);
        i = link.parent.unwrap_or(0);
    }
    let base = &work.links[0].IA;
    let A_0 = if robot.floating {
        solve(base, &SpatialForce { m: -p.m, f: -p.f })
    } else {
        SpatialVelocity::zero()
    };
    response(robot, work, j + 1, &A_0).1
}

/// (3) down to link `i`: its acceleration and its joint's.
fn response(robot: &Robot, work: &Workspace, i: usize, A_0: &SpatialVelocity) -> (SpatialVelocity, f64) {
    if i == 0 {
        return (*A_0, 0.0);
    }
    let (link, w) = (&robot.links[i], &work.links[i]);
    let (A_P, _) = response(robot, work, link.parent.unwrap_or(0), A_0);
    let a = A_P.to_child(&w.R_PC, w.p_PC);
    let qdd = if link.joint.is_free() { w.D_inv * (w.u - a.dot(&w.U)) } else { 0.0 };
    (a.add_scaled(&joint_velocity(link.joint.kind, qdd), 1.0), qdd)
}
