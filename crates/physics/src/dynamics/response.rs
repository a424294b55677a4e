//! Response of a link's acceleration to an additional force on it, after `aba` has run.
//!
//! # Law
//! The articulated-body algorithm is linear in the forces. A single force F on link i has the bias
//! -F there and
//!
//! ```text
//!   u = -Sᵀ p,  p_P = X* (p + U D⁻¹ u),  q̈ = D⁻¹ (u - Uᵀ X a_P),  a = X a_P + S q̈  (1)
//!   W = J M⁻¹ Jᵀ                                                                     (2)
//!   (1) [Featherstone 2008, §7.3]
//! ```
//! from the link to the base and back. (2) collects the responses at a point to unit forces there:
//! the inverse of the effective mass at the point.
//!
//! # Symbols
//! As in `crates/physics/src/dynamics/aba.rs`; J the Jacobian of the point's velocity, M the
//! joint-space inertia with added mass.
//!
//! # Frames
//! In: forces and points in L. Out of [`at_point`]: W.
//!
//! # Limits
//! Joints with prescribed motion are rigid: their drives support any load.
//!
//! # Checked by
//! test/identity/response.rs

use merrow_math::spatial::solve;
use merrow_math::{Mat3, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::Robot;
use merrow_model::state::Workspace;

/// Returns the change of the acceleration of `link` at Lo in L due to the force `F` on it at Lo in
/// L. (1)
pub fn response_to_force(
    robot: &Robot,
    work: &Workspace,
    link: usize,
    F: &SpatialForce,
) -> SpatialVelocity {
    bias_response(robot, work, link, -*F)
}

fn bias_response(robot: &Robot, work: &Workspace, i: usize, p: SpatialForce) -> SpatialVelocity {
    let w = &work.links[i];
    let Some(parent) = robot.links[i].parent else {
        return base_response(robot, work, &p);
    };
    let joint = &robot.links[i].joint;
    let S = joint_velocity(joint.kind, 1.0);
    if !joint.is_free() {
        let a_P = bias_response(robot, work, parent, p.to_parent(&w.R_PC, w.p_PC));
        return a_P.to_child(&w.R_PC, w.p_PC);
    }
    let u = -S.dot(&p);
    let k = w.D_inv * u;
    let transmitted = p + w.U.scale(k);
    let a_P = bias_response(robot, work, parent, transmitted.to_parent(&w.R_PC, w.p_PC));
    let a = a_P.to_child(&w.R_PC, w.p_PC);
    let qdd = w.D_inv * (u - a.dot(&w.U));
    a.add_scaled(&S, qdd)
}

fn base_response(robot: &Robot, work: &Workspace, p: &SpatialForce) -> SpatialVelocity {
    if !robot.floating {
        return SpatialVelocity::zero();
    }
    // a single body is not articulated: its inertia is in `inertia`
    let I = if robot.links.len() == 1 {
        &work.links[0].inertia
    } else {
        &work.links[0].IA
    };
    solve(I, &-*p)
}

/// Returns the acceleration in W of the point Q of `link` per unit force there in W [1/kg], with
/// `p_LoQ` [m] in L. (2)
pub fn point_mobility(robot: &Robot, work: &Workspace, link: usize, p_LoQ: Vec3) -> Mat3 {
    let R_WL = work.links[link].R_WL;
    let column = |e_W: Vec3| {
        let a = response_to_force(
            robot,
            work,
            link,
            &SpatialForce::at_point(R_WL.tr_mul_vec(e_W), p_LoQ),
        );
        R_WL.mul_vec(a.v + a.w.cross(p_LoQ))
    };
    let e = |x, y, z| column(Vec3::new(x, y, z));
    Mat3::from_rows(e(1.0, 0.0, 0.0), e(0.0, 1.0, 0.0), e(0.0, 0.0, 1.0)).transpose()
}
