//! One step of one robot, on one screen.

use crate::environment::{self, Instant};
use crate::math::Real;
use crate::scene::{Integrator, Robot};
use crate::state::{Motion, Workspace};
use crate::{dynamics, forces, kinematics};

/// Everything that follows from one motion: once per step, and again inside multi-stage integrators.
///
/// `stage` says where in the step it stands: 0 start, 1 middle, 2 end.
#[inline(always)]
pub fn evaluate<T: Real>(
    robot: &Robot,
    at: &Instant<'_>,
    motion: &Motion<T>,
    joint_commands: &[T],
    stage: usize,
    work: &mut Workspace<T>,
) {
    kinematics::poses(robot, motion, &mut work.links); //        q          -> R_WL, p_WL
    kinematics::velocities(robot, motion, &mut work.links); //   q, v       -> V, c
    environment::sample(robot, at, &mut work.links); //          pose, time -> water
    forces::sum(robot, at, motion, joint_commands, stage, work); // all above -> F, inertia, tau
    dynamics::aba::accelerations(robot, work); //                F, tau     -> A, qdd
}

/// Advances `motion` over one step whose start stands evaluated in `work`.
#[inline(always)]
pub fn advance<T: Real>(
    robot: &Robot,
    integrator: Integrator,
    dt: f64,
    at: &[Instant<'_>; 3],
    motion: &mut Motion<T>,
    joint_commands: &[T],
    work: &mut Workspace<T>,
) {
    dynamics::integrate::advance(integrator, dt, motion, work, |motion, stage, work| {
        evaluate(robot, &at[stage], motion, joint_commands, stage, work);
    });
}
