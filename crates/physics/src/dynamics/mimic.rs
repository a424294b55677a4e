//! Joints that follow others: a gear between two joints of one robot, exactly.
//!
//! # Law
//! ```text
//!   q̈_f - k q̈_l = 0                         for each follower f of a leader l                      (1)
//!   q̈ = q̈₀ + Σ_j λ_j c_j,   c_j = q̈(τ_f + 1, τ_l - k) - q̈₀                                        (2)
//!   K λ = -e₀,   K_ij = c_j,f(i) - k_i c_j,l(i),   e₀ the left side of (1) without gears            (3)
//! ```
//! λ is the effort that the gear puts on its follower; -k λ acts on the leader, so that it does no work. Accelerations are
//! affine in efforts, so that one run of the articulated-body algorithm a gear gives c_j. K = G M⁻¹ Gᵀ is symmetric and
//! positive definite [Featherstone 2008, §8.4].
//!
//! # Symbols
//! k multiplier, λ gear effort [N m or N].
//!
//! # Frames
//! Joint coordinates.
//!
//! # Limits
//! No play, no loss, no spring in the gear. Positions keep (1)'s integral by the linearity of the integrators, to rounding.
//!
//! # Checked by
//! test/analytic/mimic.rs

use crate::dynamics::aba;
use merrow_math::Real;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::joint::Mimic;
use merrow_model::state::Workspace;

/// Most followers of one robot.
pub const MIMICS_MAX: usize = 16;

/// [`aba::accelerations`] with (1) for the joints that follow others.
#[inline(always)]
pub fn accelerations<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    aba::accelerations(robot, work);
    if !robot.mimics.is_empty() {
        tie(robot, work);
    }
}

/// Followers and their gears, as many as there is room for.
fn gears(robot: &Robot) -> impl Iterator<Item = (usize, Mimic)> + '_ {
    let of = |link: &usize| Some((*link - 1, robot.links[*link].joint.mimic?));
    robot.mimics.iter().filter_map(of).take(MIMICS_MAX)
}

/// How far joint `f` is from following, in acceleration.
fn error<T: Real>(work: &Workspace<T>, f: usize, gear: &Mimic) -> T {
    work.qdd[f] - work.qdd[gear.leader - 1] * gear.multiplier
}

/// Adds the effort `effort` of a gear on both its joints.
fn push<T: Real>(work: &mut Workspace<T>, f: usize, gear: &Mimic, effort: T) {
    work.tau[f] += effort;
    work.tau[gear.leader - 1] -= effort * gear.multiplier;
}

/// (2) and (3). The efforts of the drives stand in `work.tau` afterwards as they did before.
fn tie<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    let n = gears(robot).count();
    let mut wanted = [T::zero(); MIMICS_MAX];
    let mut K = [[T::zero(); MIMICS_MAX]; MIMICS_MAX];
    for (i, (f, gear)) in gears(robot).enumerate() {
        wanted[i] = -error(work, f, &gear);
    }
    for (j, (f, gear)) in gears(robot).enumerate() {
        push(work, f, &gear, T::one());
        aba::accelerations(robot, work);
        push(work, f, &gear, -T::one());
        for (i, (f, gear)) in gears(robot).enumerate() {
            K[i][j] = error(work, f, &gear) + wanted[i];
        }
    }
    let efforts = solve(&mut K, wanted, n);
    for (i, (f, gear)) in gears(robot).enumerate() {
        push(work, f, &gear, efforts[i]);
    }
    aba::accelerations(robot, work);
    for (i, (f, gear)) in gears(robot).enumerate() {
        push(work, f, &gear, -efforts[i]);
        // to the last digit, so that rounding cannot drive the two apart
        work.qdd[f] = work.qdd[gear.leader - 1] * gear.multiplier;
    }
}

/// Solves `K x = b` of size `n` for a positive definite K, which needs no exchange of rows.
fn solve<T: Real>(
    K: &mut [[T; MIMICS_MAX]; MIMICS_MAX],
    mut b: [T; MIMICS_MAX],
    n: usize,
) -> [T; MIMICS_MAX] {
    for i in 0..n {
        for r in i + 1..n {
            let factor = K[r][i] / K[i][i];
            for c in i..n {
                let part = factor * K[i][c];
                K[r][c] -= part;
            }
            let part = factor * b[i];
            b[r] -= part;
        }
    }
    for i in (0..n).rev() {
        for c in i + 1..n {
            let part = K[i][c] * b[c];
            b[i] -= part;
        }
        b[i] = b[i] / K[i][i];
    }
    b
}
