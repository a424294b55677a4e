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

use crate::forces::contributions::{Law, Sink};
use crate::forces::route::route_force;
use merrow_math::{Mat3, SpatialForce, Vec3};
use merrow_model::scene::Robot;
use merrow_model::state::{AppliedWrench, RobotState, Workspace, WrenchFrame};

/// Adds the external forces, the coupling forces and the force of a route to the thruster forces,
/// at all stages of the step, and the wrenches that act at `now_ns` [ns]. Passes the forces at the
/// start of the step to `sink`. (1), (2)
pub fn add_external_forces(
    robot: &Robot,
    state: &RobotState,
    now_ns: u64,
    work: &mut Workspace,
    sink: &mut impl Sink,
) {
    let Workspace {
        links,
        thrust,
        coupling_wrenches,
        ..
    } = work;
    let mut add = |law: Law, link: usize, stages: &[SpatialForce; 3]| {
        sink.add(law, None, link, || stages[0]);
        for (sum, F_L) in thrust[link].iter_mut().zip(stages) {
            *sum += *F_L;
        }
    };
    for (i, F) in state.external_force.iter().enumerate() {
        if is_zero(F) {
            continue;
        }
        let R_WL = links[i].R_WL;
        let F_L = SpatialForce::new(R_WL.tr_mul_vec(F.m), R_WL.tr_mul_vec(F.f));
        add(Law::Tether, i, &[F_L; 3]);
    }
    if let Some(route) = &robot.route {
        let F_B = route_force(robot, route, state, now_ns as f64 * 1e-9);
        add(Law::Route, 0, &[F_B; 3]);
    }
    let active = state.applied_wrenches.iter();
    for wrench in active.filter(|wrench| wrench.is_active(now_ns)) {
        let F_L = wrench_at_origin(wrench, &links[wrench.link].R_WL);
        add(Law::Wrench, wrench.link, &[F_L; 3]);
    }
    for (i, coupled) in coupling_wrenches.iter().enumerate() {
        add(Law::Coupling, i, coupled);
    }
}

/// Returns an applied wrench at Lo in L. (2)
fn wrench_at_origin(wrench: &AppliedWrench, R_WL: &Mat3) -> SpatialForce {
    let AppliedWrench { F, p_LoP, .. } = wrench;
    let (m, f) = match wrench.frame {
        WrenchFrame::World => (R_WL.tr_mul_vec(F.m), R_WL.tr_mul_vec(F.f)),
        WrenchFrame::Link => (F.m, F.f),
    };
    SpatialForce::new(m + p_LoP.cross(f), f)
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
