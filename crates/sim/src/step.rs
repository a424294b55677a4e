//! Dynamics of one step of one robot: evaluation, acceleration and integration.

use merrow_environment as environment;
use merrow_environment::EnvironmentState;
use merrow_math::{F64x4, Real, f64x4};
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

/// Calls [`evaluate_stage`] for the stages of the integrator.
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

/// Evaluation and integration of a step, compiled for the processor that runs them.
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
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

/// Number types for which this crate compiles the methods of [`Kernel`], so that other crates do
/// not compile them again.
pub trait KernelReal: Compiled<Self> {}
impl<T: Compiled<T>> KernelReal for T {}

/// Compiles each function as a portable one and with AVX2, for both number types, and makes it a
/// method of [`Kernel`].
macro_rules! compile_kernels {
    ($(
        $(#[doc = $doc:literal])*
        $vis:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => {
        impl Kernel {$(
            $(#[doc = $doc])*
            $vis fn $name<T: KernelReal>(self, $($argument: $type),*) {
                T::$name(self, $($argument),*);
            }
        )*}

        /// Methods of [`Kernel`] for a number type, which is `T`.
        #[doc(hidden)]
        pub trait Compiled<T>: Real {
            $(#[doc(hidden)] fn $name(kernel: Kernel, $($argument: $type),*);)*
        }

        $(
            #[inline(always)]
            fn $name<T: Real>($($argument: $type),*) $body
        )*

        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;
            $(
                #[target_feature(enable = "avx2,bmi1,bmi2")]
                pub(super) fn $name<T: Real>($($argument: $type),*) {
                    super::$name($($argument),*);
                }
            )*
        }

        const _: () = {
            type T = f64;
            compile_kernels!(@for T: $($name($($argument: $type),*))*);
        };
        const _: () = {
            type T = F64x4;
            compile_kernels!(@for T: $($name($($argument: $type),*))*);
        };
    };
    (@for $real:ty: $($name:ident($($argument:ident: $type:ty),*))*) => {
        impl Compiled<$real> for $real {$(
            fn $name(kernel: Kernel, $($argument: $type),*) {
                #[cfg(target_arch = "x86_64")]
                if kernel.has_avx2 || <$real>::REQUIRES_AVX2 {
                    // SAFETY: `Kernel::new` has checked that the processor supports these
                    // instructions, or a value exists that requires them
                    return unsafe { avx2::$name($($argument),*) };
                }
                $name($($argument),*)
            }
        )*}
    };
}

compile_kernels! {
    /// Evaluates all quantities that follow from `motion` at the start of a step: poses,
    /// velocities, forces and accelerations in `work`, in SI units. `joint_commands` are efforts
    /// [N m or N].
    pub fn evaluate(
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        evaluate_stage(robot, environment, motion, joint_commands, 0, work);
    }

    /// Evaluates poses and thrusts of a SIMD batch at the start of a step, if all thrusters are
    /// fixed and independent of the inflow; one state per lane.
    pub(crate) fn drive(
        robot: &Robot,
        environment: &EnvironmentState<'_>,
        motion: &Motion<T>,
        states: &mut [RobotState],
        work: &mut Workspace<T>,
    ) {
        kinematics::poses(robot, motion, &mut work.links);
        forces::actuators::thruster::prepare_step_lanes(robot, states, environment, work);
    }

    /// Computes the accelerations again after [`Kernel::evaluate`] of the same motion, for other
    /// joint commands.
    pub(crate) fn accelerate(
        robot: &Robot,
        motion: &Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        forces::sum::joint_efforts(robot, motion, joint_commands, work);
        dynamics::aba::accelerations(robot, work);
    }

    /// Advances `motion` over one step whose start has been evaluated in `work`. `how`: integrator
    /// and length of the step [s]; `at`: environment at the start, the midpoint and the end of the
    /// step.
    pub fn advance(
        robot: &Robot,
        how: (Integrator, f64),
        at: &[EnvironmentState<'_>; 3],
        motion: &mut Motion<T>,
        joint_commands: &[T],
        work: &mut Workspace<T>,
    ) {
        let evaluator = StageEvaluator { robot, at, joint_commands };
        dynamics::integrate::advance(how.0, how.1, motion, work, evaluator);
    }
}
