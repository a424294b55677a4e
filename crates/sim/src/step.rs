//! Dynamics of one step of one robot: evaluation, acceleration and integration.

use merrow_environment as environment;
use merrow_environment::EnvironmentState;
use merrow_math::{Real, f64x4};
use merrow_model::kinematics;
use merrow_model::scene::{Integrator, Robot};
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_physics::dynamics::integrate::Evaluate;
use merrow_physics::{dynamics, forces};

/// Evaluates all quantities that follow from one motion: once per step, and again inside
/// multi-stage integrators.
///
/// `stage` is the position within the step: 0 start, 1 midpoint, 2 end.
#[inline(always)]
pub fn evaluate<T: Real>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    motion: &Motion<T>,
    joint_commands: &[T],
    stage: usize,
    work: &mut Workspace<T>,
) {
    kinematics::poses(robot, motion, &mut work.links); //        q          -> R_WL, p_WL
    kinematics::velocities(robot, motion, &mut work.links); //   q, v       -> V, c
    environment::sample_water_motion(robot, environment, &mut work.links); //          pose, time -> water
    forces::sum(robot, environment, motion, joint_commands, stage, work); // all above -> F, inertia, tau
    dynamics::mimic::accelerations(robot, work); //              F, tau     -> A, qdd
}

/// Evaluates poses and thrusts of a SIMD batch at the start of a step, if all thrusters are fixed
/// and independent of the inflow; one state per lane.
#[inline(always)]
pub fn drive<T: Real>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    motion: &Motion<T>,
    states: &mut [RobotState],
    work: &mut Workspace<T>,
) {
    kinematics::poses(robot, motion, &mut work.links);
    forces::actuators::thruster::prepare_step_lanes(robot, states, environment, work);
}

/// Computes the accelerations again after [`evaluate`] of the same motion, for other joint
/// commands.
#[inline(always)]
pub(crate) fn accelerate<T: Real>(
    robot: &Robot,
    motion: &Motion<T>,
    joint_commands: &[T],
    work: &mut Workspace<T>,
) {
    forces::sum::joint_efforts(robot, motion, joint_commands, work);
    dynamics::aba::accelerations(robot, work);
}

/// Advances `motion` over one step of `dt` [s] whose start has been evaluated in `work`.
#[inline(always)]
pub fn advance<T: Real>(
    robot: &Robot,
    integrator: Integrator,
    dt: f64,
    at: &[EnvironmentState<'_>; 3],
    motion: &mut Motion<T>,
    joint_commands: &[T],
    work: &mut Workspace<T>,
) {
    dynamics::integrate::advance(
        integrator,
        dt,
        motion,
        work,
        StageEvaluator {
            robot,
            at,
            joint_commands,
        },
    );
}

/// Calls [`evaluate`] for the stages of the integrator.
struct StageEvaluator<'a, T> {
    robot: &'a Robot,
    at: &'a [EnvironmentState<'a>; 3],
    joint_commands: &'a [T],
}

impl<T: Real> Evaluate<T> for StageEvaluator<'_, T> {
    #[inline(always)]
    fn evaluate(&mut self, motion: &Motion<T>, stage: usize, work: &mut Workspace<T>) {
        evaluate(
            self.robot,
            &self.at[stage],
            motion,
            self.joint_commands,
            stage,
            work,
        );
    }
}

/// [`evaluate`] and [`advance`] compiled for the processor that runs them.
///
/// With AVX2 the compiler may use wider registers, but never a fused multiply-add: Rust does not
/// contract floating-point expressions, so the results are bit-identical to the results of the
/// portable build.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    has_avx2: bool,
}

impl Kernel {
    /// Selects the fastest kernel that this processor supports.
    pub fn new() -> Self {
        let has_avx2 = f64x4::is_supported();
        Self { has_avx2 }
    }

    /// Returns the kernel that every processor supports.
    pub fn portable() -> Self {
        Self { has_avx2: false }
    }

    /// Calls [`drive`] with the selected instruction set.
    pub fn drive<T: Real>(
        self,
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        states: &mut [RobotState],
        work: &mut Workspace<T>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 || T::REQUIRES_AVX2 {
            // SAFETY: as in `evaluate`
            return unsafe { avx2::drive(robot, environment, motion, states, work) };
        }
        drive(robot, environment, motion, states, work);
    }

    /// Calls [`evaluate`] at the start of a step with the selected instruction set.
    pub fn evaluate<T: Real>(
        self,
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 || T::REQUIRES_AVX2 {
            // SAFETY: `new` has checked that the processor supports these instructions, or a value
            // exists that requires them
            return unsafe { avx2::evaluate(robot, environment, motion, joint_commands, work) };
        }
        evaluate(robot, environment, motion, joint_commands, 0, work);
    }

    /// Calls [`accelerate`] with the selected instruction set.
    pub(crate) fn accelerate<T: Real>(
        self,
        robot: &Robot,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 || T::REQUIRES_AVX2 {
            // SAFETY: as in `evaluate`
            return unsafe { avx2::accelerate(robot, motion, joint_commands, work) };
        }
        accelerate(robot, motion, joint_commands, work);
    }

    /// Calls [`advance`] with the selected instruction set.
    pub fn advance<T: Real>(
        self,
        robot: &Robot,
        (integrator, dt): (Integrator, f64),
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 || T::REQUIRES_AVX2 {
            // SAFETY: as in `evaluate`
            return unsafe {
                avx2::advance(robot, integrator, dt, at, motion, joint_commands, work)
            };
        }
        advance(robot, integrator, dt, at, motion, joint_commands, work);
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{EnvironmentState, Integrator, Motion, Real, Robot, RobotState, Workspace};

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn drive<T: Real>(
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        states: &mut [RobotState],
        work: &mut Workspace<T>,
    ) {
        super::drive(robot, environment, motion, states, work);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn evaluate<T: Real>(
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        super::evaluate(robot, environment, motion, joint_commands, 0, work);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(crate) fn accelerate<T: Real>(
        robot: &Robot,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        super::accelerate(robot, motion, joint_commands, work);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn advance<T: Real>(
        robot: &Robot,
        integrator: Integrator,
        dt: f64,
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        super::advance(robot, integrator, dt, at, motion, joint_commands, work);
    }
}
