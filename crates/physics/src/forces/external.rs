//! External forces on a robot, such as the pull of a tether. They are added to the thruster forces
//! for the whole step.
//!
//! # Law
//! ```text
//!   F_Lo = R_WLᵀ F_Lo_W        (1)
//! ```
//! # Symbols
//! F_Lo_W force and moment at Lo along the axes of the world, as computed by `sim` after the last
//! step.
//!
//! # Frames
//! In: W. Out: L at the start of the step; the force rotates with the link during the step.
//!
//! # Limits
//! The force is constant over a step.
//!
//! # Checked by
//! test/analytic/bodies/external.rs

use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::Robot;
use merrow_model::state::{RobotState, Workspace};

/// Adds the external forces and the coupling forces to the thruster forces, at all stages of the
/// step. (1)
pub fn add_external_forces(robot: &Robot, state: &RobotState, work: &mut Workspace) {
    for i in 0..robot.links.len() {
        let F = state.external_force[i];
        if is_zero(&F) {
            continue;
        }
        let R_WL = work.links[i].R_WL;
        let F_L = SpatialForce {
            m: R_WL.tr_mul_vec(F.m),
            f: R_WL.tr_mul_vec(F.f),
        };
        for stage in &mut work.thrust[i] {
            *stage = stage.plus(&F_L);
        }
    }
    for (thrust, coupled) in work.thrust.iter_mut().zip(&work.coupling_wrenches) {
        for (stage, F_L) in thrust.iter_mut().zip(coupled) {
            *stage = stage.plus(F_L);
        }
    }
}

fn is_zero(F: &SpatialForce) -> bool {
    F.f == Vec3::zero() && F.m == Vec3::zero()
}

/// Returns true if no external force and no coupling acts on the robot.
pub fn has_no_external_force(state: &RobotState, work: &Workspace) -> bool {
    work.coupling_wrenches.is_empty() && state.external_force.iter().all(is_zero)
}
