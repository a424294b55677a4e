//! Dynamics of one step of one robot: evaluation, acceleration and integration.

use merrow_environment as environment;
use merrow_environment::EnvironmentState;
use merrow_math::{F64x4, Real, f64x4};
use merrow_model::kinematics;
use merrow_model::scene::{Integrator, Robot};
use merrow_model::state::{Motion, RobotState, Workspace};
use merrow_physics::dynamics::integrate::Evaluate;
use merrow_physics::{dynamics, forces};

/// Evaluates all quantities that follow from the motion at the start of a step.
#[inline(always)]
fn evaluate<T: Real>(
    robot: &Robot,
    environment: &EnvironmentState<'_>,
    motion: &Motion<T>,
    joint_commands: &[T],
    work: &mut Workspace<T>,
) {
    evaluate_stage(robot, environment, motion, joint_commands, 0, work);
}

/// Evaluates all quantities that follow from one motion: once per step, and again inside
/// multi-stage integrators.
///
/// `stage` is the position within the step: 0 start, 1 midpoint, 2 end.
#[inline(always)]
fn evaluate_stage<T: Real>(
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
fn drive<T: Real>(
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
fn accelerate<T: Real>(
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
fn advance<T: Real>(
    robot: &Robot,
    (integrator, dt): (Integrator, f64),
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
        evaluate_stage(
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

/// Calls the function compiled for AVX2 if the kernel or the number type has it, else the portable
/// function.
macro_rules! select_kernel {
    ($kernel:ident, $real:ty, $function:ident($($argument:ident),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if $kernel.has_avx2 || <$real>::REQUIRES_AVX2 {
            // SAFETY: `Kernel::new` has checked that the processor supports these instructions, or
            // a value exists that requires them
            return unsafe { avx2::$function($($argument),*) };
        }
        $function($($argument),*)
    }};
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

    /// Evaluates poses and thrusts of a SIMD batch at the start of a step, if all thrusters are
    /// fixed and independent of the inflow; one state per lane.
    pub(crate) fn drive<T: Real>(
        self,
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        states: &mut [RobotState],
        work: &mut Workspace<T>,
    ) {
        select_kernel!(self, T, drive(robot, environment, motion, states, work))
    }

    /// Evaluates all quantities that follow from `motion` at the start of a step: poses,
    /// velocities, forces and accelerations in `work`, in SI units. `joint_commands` are efforts
    /// [N m or N].
    pub fn evaluate<T: KernelReal>(
        self,
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        T::evaluate(self, robot, environment, motion, joint_commands, work);
    }

    /// Computes the accelerations again after [`Kernel::evaluate`] of the same motion, for other
    /// joint commands.
    pub(crate) fn accelerate<T: Real>(
        self,
        robot: &Robot,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        select_kernel!(self, T, accelerate(robot, motion, joint_commands, work))
    }

    /// Advances `motion` over one step whose start has been evaluated in `work`. `how`: integrator
    /// and length of the step [s]; `at`: environment at the start, the midpoint and the end of the
    /// step.
    pub fn advance<T: KernelReal>(
        self,
        robot: &Robot,
        how: (Integrator, f64),
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        T::advance(self, robot, how, at, motion, joint_commands, work);
    }
}

/// Number types for which this crate compiles [`Kernel::evaluate`] and [`Kernel::advance`], so that
/// other crates do not compile them again.
pub trait KernelReal: Real {
    #[doc(hidden)]
    fn evaluate(
        kernel: Kernel,
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<Self>,
        joint_commands: &[Self],
        work: &mut Workspace<Self>,
    );
    #[doc(hidden)]
    fn advance(
        kernel: Kernel,
        robot: &Robot,
        how: (Integrator, f64),
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<Self>,
        joint_commands: &[Self],
        work: &mut Workspace<Self>,
    );
}

macro_rules! compile_kernels {
    ($real:ty) => {
        impl KernelReal for $real {
            fn evaluate(
                kernel: Kernel,
                robot: &Robot,
                environment: &EnvironmentState<'_>,
                motion: &Motion<Self>,
                joint_commands: &[Self],
                work: &mut Workspace<Self>,
            ) {
                select_kernel!(
                    kernel,
                    Self,
                    evaluate(robot, environment, motion, joint_commands, work)
                )
            }

            fn advance(
                kernel: Kernel,
                robot: &Robot,
                how: (Integrator, f64),
                at: &[EnvironmentState<'_>; 3],
                motion: &mut Motion<Self>,
                joint_commands: &[Self],
                work: &mut Workspace<Self>,
            ) {
                select_kernel!(
                    kernel,
                    Self,
                    advance(robot, how, at, motion, joint_commands, work)
                )
            }
        }
    };
}
compile_kernels!(f64);
compile_kernels!(F64x4);

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
        super::evaluate(robot, environment, motion, joint_commands, work);
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub(super) fn accelerate<T: Real>(
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
        how: (Integrator, f64),
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        super::advance(robot, how, at, motion, joint_commands, work);
    }
}
