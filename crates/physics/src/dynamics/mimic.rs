//! Mimic joints: an exact gear constraint between two joints of one robot.
//!
//! # Law
//! ```text
//!   q̈_f - k q̈_l = 0                         for each follower f of a leader l           (1)
//!   q̈ = q̈₀ + Σ_j λ_j c_j,   c_j = q̈(τ_f + 1, τ_l - k) - q̈₀                            (2)
//!   K λ = -e₀,   K_ij = c_j,f(i) - k_i c_j,l(i),   e₀ the left side of (1) without gears  (3)
//! ```
//! λ is the effort of the gear on its follower; -k λ acts on the leader, so the gear does no work.
//! Accelerations are affine in the efforts, so one run of the articulated-body algorithm per gear
//! yields c_j. K = G M⁻¹ Gᵀ is symmetric and positive definite [Featherstone 2008, §8.4].
//!
//! # Symbols
//! k multiplier, λ gear effort [N m or N].
//!
//! # Frames
//! Joint coordinates.
//!
//! # Limits
//! The gear has no backlash, no losses and no compliance. Positions satisfy the integral of (1) to
//! rounding, because the integrators are linear.
//!
//! # Checked by
//! test/analytic/joints/mimic.rs

use crate::dynamics::aba;
use merrow_math::Real;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::joint::Mimic;
use merrow_model::state::Workspace;

/// Maximum number of mimic joints of one robot.
pub const MIMICS_MAX: usize = 16;

/// Computes [`aba::accelerations`] with the constraint (1) for mimic joints.
#[inline(always)]
pub fn accelerations<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    aba::accelerations(robot, work);
    if !robot.mimics.is_empty() {
        #[cfg(target_arch = "x86_64")]
        if T::REQUIRES_AVX2 {
            // SAFETY: a value exists that requires these instructions
            return unsafe { apply_gears_avx2(robot, work) };
        }
        apply_gears(robot, work);
    }
}

/// Returns the follower joints and their gears, at most [`MIMICS_MAX`].
fn gears(robot: &Robot) -> impl Iterator<Item = (usize, Mimic)> + '_ {
    let follower_and_gear = |link: &usize| Some((*link - 1, robot.links[*link].joint.mimic?));
    robot
        .mimics
        .iter()
        .filter_map(follower_and_gear)
        .take(MIMICS_MAX)
}

/// Returns the violation of (1) at joint `f`.
#[inline(always)]
fn constraint_error<T: Real>(work: &Workspace<T>, f: usize, gear: &Mimic) -> T {
    work.qdd[f] - work.qdd[gear.leader - 1] * gear.multiplier
}

/// Adds the `effort` of a gear to both of its joints.
#[inline(always)]
fn add_gear_effort<T: Real>(work: &mut Workspace<T>, f: usize, gear: &Mimic, effort: T) {
    work.tau[f] += effort;
    work.tau[gear.leader - 1] -= effort * gear.multiplier;
}

/// Calls [`apply_gear_efforts`], compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn apply_gears_avx2<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    apply_gear_efforts(robot, work);
}

/// Calls [`apply_gear_efforts`], compiled once for all callers.
#[inline(never)]
fn apply_gears<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    apply_gear_efforts(robot, work);
}

/// Applies (2) and (3). Restores the efforts of the drives in `work.tau` afterwards.
#[inline(always)]
fn apply_gear_efforts<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    let n = gears(robot).count();
    let mut target = [T::zero(); MIMICS_MAX];
    let mut K = [[T::zero(); MIMICS_MAX]; MIMICS_MAX];
    for (i, (f, gear)) in gears(robot).enumerate() {
        target[i] = -constraint_error(work, f, &gear);
    }
    for (j, (f, gear)) in gears(robot).enumerate() {
        add_gear_effort(work, f, &gear, T::one());
        aba::accelerations(robot, work);
        add_gear_effort(work, f, &gear, -T::one());
        for (i, (f, gear)) in gears(robot).enumerate() {
            K[i][j] = constraint_error(work, f, &gear) + target[i];
        }
    }
    let efforts = solve(&mut K, target, n);
    for (i, (f, gear)) in gears(robot).enumerate() {
        add_gear_effort(work, f, &gear, efforts[i]);
    }
    aba::accelerations(robot, work);
    for (i, (f, gear)) in gears(robot).enumerate() {
        add_gear_effort(work, f, &gear, -efforts[i]);
        // exact, so that rounding does not accumulate a drift between the joints
        work.qdd[f] = work.qdd[gear.leader - 1] * gear.multiplier;
    }
}

/// Solves `K x = b` of size `n` for a positive definite K, which needs no pivoting.
#[inline(always)]
fn solve<T: Real>(
    K: &mut [[T; MIMICS_MAX]; MIMICS_MAX],
    mut b: [T; MIMICS_MAX],
    n: usize,
) -> [T; MIMICS_MAX] {
    for i in 0..n {
        for r in i + 1..n {
            let factor = K[r][i] / K[i][i];
            for c in i..n {
                let term = factor * K[i][c];
                K[r][c] -= term;
            }
            let term = factor * b[i];
            b[r] -= term;
        }
    }
    for i in (0..n).rev() {
        for c in i + 1..n {
            let term = K[i][c] * b[c];
            b[i] -= term;
        }
        b[i] = b[i] / K[i][i];
    }
    b
}
