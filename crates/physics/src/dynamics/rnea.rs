//! Inverse dynamics by the recursive Newton-Euler algorithm. Tests use it to check `aba`.
//!
//! # Law
//! ```text
//!   f_i = I_i a_i - F_i + Σ_children X* f_c,   tau_i = Sᵀ f_i  (1)  [Featherstone 2008, table 5.1]
//! ```
//! F holds weight, hydrodynamic forces and velocity products as computed by `forces::sum`.
//!
//! # Symbols
//! As in `aba`.
//!
//! # Frames
//! Every link in its own frame.
//!
//! # Limits
//! For tests, gravity terms and controllers; not part of the kernel.
//!
//! # Checked by
//! test/identity/algorithms.rs, test/identity/galileo.rs

use merrow_math::{SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::{JointKind, Robot};
use merrow_model::state::Workspace;

/// Returns the base wrench at Bo in B [N m, N] and joint efforts [N m or N] for the base
/// acceleration `A0` at Bo in B [rad/s², m/s²] and the joint accelerations `qdd` [rad/s² or m/s²],
/// one per joint.
///
/// Uses the velocities, forces and inertias in `work`. The base wrench is zero for a free body that
/// follows its own dynamics.
pub fn inverse(
    robot: &Robot,
    A0: &SpatialVelocity,
    qdd: &[f64],
    work: &Workspace,
) -> (SpatialForce, Vec<f64>) {
    let n = robot.links.len();
    let mut A = vec![*A0; n];
    let mut f = vec![SpatialForce::zero(); n];
    for i in 0..n {
        let w = &work.links[i];
        if i > 0 {
            let link = &robot.links[i];
            let a = A[link.parent.unwrap_or(0)].to_child(&w.R_PC, w.p_PC);
            A[i] = a
                .add_scaled(&w.c, 1.0)
                .add_scaled(&joint_velocity(link.joint.kind, qdd[i - 1]), 1.0);
        }
        f[i] = w.inertia.mul(&A[i]) - w.F;
    }
    let mut tau = vec![0.0; n - 1];
    for i in (1..n).rev() {
        let (link, w) = (&robot.links[i], &work.links[i]);
        tau[i - 1] = axis_component(link.joint.kind, &f[i]) + link.joint.armature * qdd[i - 1];
        let moved = f[i].to_parent(&w.R_PC, w.p_PC);
        f[link.parent.unwrap_or(0)] += moved;
    }
    (f[0], tau)
}

/// Computes the joint efforts [N m], or [N] for a prismatic joint, that keep base and joints
/// without acceleration. Passes them to `store`, from the last joint to the first.
///
/// This is [`inverse`] with zero joint accelerations and a base whose velocity in the world is
/// constant, so the efforts do not depend on the motion of the vehicle as a whole. The function
/// allocates no memory. It overwrites `A` and `pA` in `work`, as the next run of `aba` does.
pub fn bias_efforts(robot: &Robot, work: &mut Workspace, mut store: impl FnMut(usize, f64)) {
    let n = robot.links.len();
    for i in 0..n {
        let (head, tail) = work.links.split_at_mut(i);
        let w = &mut tail[0];
        w.A = match robot.links[i].parent {
            Some(parent) => head[parent]
                .A
                .to_child(&w.R_PC, w.p_PC)
                .add_scaled(&w.c, 1.0),
            // rate of a constant vector expressed in rotating axes
            None => SpatialVelocity::new(Vec3::zero(), w.V.v.cross(w.V.w)),
        };
        w.pA = w.inertia.mul(&w.A) - w.F;
    }
    for i in (1..n).rev() {
        let link = &robot.links[i];
        let (head, tail) = work.links.split_at_mut(i);
        let w = &tail[0];
        store(i - 1, axis_component(link.joint.kind, &w.pA));
        let parent = &mut head[link.parent.unwrap_or(0)];
        parent.pA += w.pA.to_parent(&w.R_PC, w.p_PC);
    }
}

/// Returns the component of the wrench `f` along the joint axis, `Sᵀ f`.
pub(crate) fn axis_component(kind: JointKind, f: &SpatialForce) -> f64 {
    match kind {
        JointKind::Prismatic => f.f.z,
        JointKind::Fixed => 0.0,
        JointKind::Revolute | JointKind::Continuous => f.m.z,
    }
}
