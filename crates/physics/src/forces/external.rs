//! External forces on a robot, such as the pull of a tether, and wrenches that users apply. They
//! are added to the thruster forces for the whole step.
//!
//! # Law
//! ```text
//!   F_Lo = R_WLᵀ F_Lo_W                    (1)
//!   f_Lo = R f_P,  m_Lo = R m_P + p_LoP × f_Lo     (2)
//! ```
//! # Symbols
//! F_Lo_W force and moment at Lo along the axes of the world, as computed by `sim` after the last
//! step. f_P, m_P force and moment of an applied wrench at the point P. R = R_WLᵀ for a wrench
//! along the axes of the world, identity for one along the axes of the link.
//!
//! # Frames
//! In: W, or L for a wrench along the axes of the link. Out: L at the start of the step; the force
//! rotates with the link during the step.
//!
//! # Limits
//! The force is constant over a step. A wrench starts and ends at the first step at or after its
//! time.
//!
//! # Checked by
//! test/analytic/bodies/external.rs

use crate::forces::route::route_force;
use merrow_math::{Mat3, SpatialForce, Vec3};
use merrow_model::scene::Robot;
use merrow_model::state::{AppliedWrench, RobotState, Workspace, WrenchFrame};

/// Adds the external forces, the coupling forces and the force of a route to the thruster forces,
/// at all stages of the step, and the wrenches that act at `now_ns` [ns]. (1), (2)
pub fn add_external_forces(robot: &Robot, state: &RobotState, now_ns: u64, work: &mut Workspace) {
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
    if let Some(route) = &robot.route {
        let F_B = route_force(robot, route, state, now_ns as f64 * 1e-9);
        for stage in &mut work.thrust[0] {
            *stage = stage.plus(&F_B);
        }
    }
    let active = state.applied_wrenches.iter();
    for wrench in active.filter(|wrench| wrench.is_active(now_ns)) {
        let F_L = wrench_at_origin(wrench, &work.links[wrench.link].R_WL);
        for stage in &mut work.thrust[wrench.link] {
            *stage = stage.plus(&F_L);
        }
    }
    for (thrust, coupled) in work.thrust.iter_mut().zip(&work.coupling_wrenches) {
        for (stage, F_L) in thrust.iter_mut().zip(coupled) {
            *stage = stage.plus(F_L);
        }
    }
}

/// Returns an applied wrench at Lo in L. (2)
fn wrench_at_origin(wrench: &AppliedWrench, R_WL: &Mat3) -> SpatialForce {
    let AppliedWrench { F, p_LoP, .. } = wrench;
    let (m, f) = match wrench.frame {
        WrenchFrame::World => (R_WL.tr_mul_vec(F.m), R_WL.tr_mul_vec(F.f)),
        WrenchFrame::Link => (F.m, F.f),
    };
    SpatialForce {
        m: m + p_LoP.cross(f),
        f,
    }
}

/// Removes the wrenches that have ended at `now_ns` [ns].
pub fn remove_ended_wrenches(state: &mut RobotState, now_ns: u64) {
    state
        .applied_wrenches
        .retain(|wrench| now_ns < wrench.end_ns);
}

fn is_zero(F: &SpatialForce) -> bool {
    F.f == Vec3::zero() && F.m == Vec3::zero()
}

/// Returns true if no external force, wrench or coupling acts on the robot.
pub fn has_no_external_force(state: &RobotState, work: &Workspace) -> bool {
    work.coupling_wrenches.is_empty()
        && state.applied_wrenches.is_empty()
        && state.external_force.iter().all(is_zero)
}
