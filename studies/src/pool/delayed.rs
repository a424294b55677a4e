//! Stability of added mass applied as a force that uses the acceleration of the previous step.
//!
//! # Law
//! A body of inertia M and added mass M_A, where each step uses the acceleration of the previous
//! one:
//! ```text
//!   M a_n = F - M_A a_{n-1}                                     (1)  [Kolano 2022, eq. 3]
//!   a_n = M⁻¹ F - (M⁻¹ M_A) a_{n-1}   stable  ⇔  ρ(M⁻¹ M_A) < 1  (2)
//! ```
//! The condition does not depend on the step length; a shorter step only diverges sooner. On one
//! axis the limit is M_A / M = 1.
//!
//! # Symbols
//! ρ spectral radius · the limits are given as the factor on M_A at which the spectral radius in
//! (2) becomes 1.
//!
//! # Frames
//! Base frame B at its origin; the arm is held, so that the whole vehicle is one body.
//!
//! # Limits
//! Without drag and weight (2) is exact; with them it holds to the order of the step.
//!
//! # Checked by
//! test/witness/vehicles/uvms.rs

use crate::pool::joints::JointState;
use crate::pool::model::Model;
use crate::pool::recording::JOINTS;
use crate::pool::replay::Replay;
use merrow_math::{Quat, SpatialInertia};
use merrow_model::scene::{Integrator, Link};
use merrow_model::state::Workspace;

/// Duration for which a run must stay bounded to count as stable [s].
const DURATION: f64 = 10.0;

/// Acceleration that counts as divergence [rad/s² or m/s²]: a thousand times the possible effect of
/// weight and buoyancy here.
const DIVERGENCE_LIMIT: f64 = 1e4;

/// Returns rigid inertia and added mass of the vehicle with the arm held at `q` [rad], angular part
/// first.
pub fn composite_inertias(model: &Model, q: [f64; JOINTS]) -> [SpatialInertia; 2] {
    let mut replay = Replay::new(model, Quat::identity());
    replay.hold(q);
    let sum = |inertia: &dyn Fn(&Link) -> SpatialInertia| total(model, &replay.work, inertia);
    [sum(&|l| l.rigid), sum(&|l| l.added)]
}

/// Sums one inertia over all links, at the base.
fn total(
    model: &Model,
    work: &Workspace,
    inertia: &dyn Fn(&Link) -> SpatialInertia,
) -> SpatialInertia {
    let links = &model.robot.links;
    let mut all: Vec<SpatialInertia> = links.iter().map(inertia).collect();
    for i in (1..links.len()).rev() {
        let moved = all[i].to_parent(&work.links[i].R_PC, work.links[i].p_PC);
        all[links[i].parent.unwrap_or(0)] += moved;
    }
    all[0]
}

/// Returns the factor [-] on the added mass at which the spectral radius in (2) becomes 1.
pub fn theoretical_limit(rigid: &SpatialInertia, added: &SpatialInertia) -> f64 {
    let m = |i: &SpatialInertia| {
        let m = i.to_matrix();
        nalgebra::SMatrix::<f64, 6, 6>::from_fn(|r, c| m[r][c])
    };
    let Some(factor) = m(rigid).cholesky() else {
        return f64::NAN;
    };
    let half = factor.l();
    let Some(inverse) = half.try_inverse() else {
        return f64::NAN;
    };
    let similar = inverse * m(added) * inverse.transpose();
    1.0 / similar.symmetric_eigenvalues().max()
}

/// Returns the largest acceleration of the vehicle [rad/s² or m/s²] at every step of a run with the
/// arm held, up to the step at which it diverges.
pub(crate) fn acceleration_history(
    model: &Model,
    q: [f64; JOINTS],
    integrator: Integrator,
    duration: f64,
) -> Vec<f64> {
    let mut model = model.clone();
    model.scene.integrator = integrator;
    model.delayed_added_mass = true;
    // start away from the rest attitude, so that every axis is excited
    let mut replay = Replay::new(&model, Quat::from_rpy(0.2, 0.1, 0.0));
    replay.hold(q);
    let held = |_: f64| JointState {
        q,
        ..JointState::default()
    };
    let mut sizes = Vec::new();
    for _ in 0..libm::round(duration / model.dt()) as u64 {
        replay.step(0.0, Some(&held));
        let A = replay.last_base_acceleration();
        let size = A.w.dot(A.w).sqrt().max(A.v.dot(A.v).sqrt());
        sizes.push(size);
        // false for NaN too
        let bounded = size < DIVERGENCE_LIMIT;
        if !bounded {
            break;
        }
    }
    sizes
}

/// Returns the factor [-] on the added mass at which a run of 10 s starts to diverge, by bisection.
/// `q` are the joint angles [rad].
pub fn simulated_limit(model: &Model, q: [f64; JOINTS], integrator: Integrator) -> f64 {
    let steps = libm::round(DURATION / model.dt()) as usize;
    let unstable = |factor: f64| {
        let scaled = model
            .clone()
            .with_added_mass(|link| link.added.scale(factor));
        let sizes = acceleration_history(&scaled, q, integrator, DURATION);
        let bounded = sizes.last().is_some_and(|s| *s < DIVERGENCE_LIMIT);
        sizes.len() < steps || !bounded
    };
    let (mut low, mut high) = (0.0, 1.0);
    while !unstable(high) {
        (low, high) = (high, 2.0 * high);
        if high > 1e6 {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-3 * high {
        let midpoint = 0.5 * (low + high);
        if unstable(midpoint) {
            high = midpoint
        } else {
            low = midpoint
        }
    }
    0.5 * (low + high)
}

/// Returns the model with added mass on one axis of the vehicle only, equal to the inertia of this
/// axis in the free vehicle, for the joint angles `q` [rad]. The spectral radius in (2) is then 1
/// at the factor 1.
pub fn on_one_axis(model: &Model, q: [f64; JOINTS], axis: usize) -> Model {
    let [rigid, _] = composite_inertias(model, q);
    let m = rigid.to_matrix();
    let inverse = nalgebra::SMatrix::<f64, 6, 6>::from_fn(|r, c| m[r][c]).try_inverse();
    let mobility = inverse.map_or(f64::NAN, |i| i[(axis, axis)]);
    let mut only = [[0.0; 6]; 6];
    only[axis][axis] = 1.0 / mobility;
    let only = SpatialInertia::from_matrix(&only);
    model.clone().with_added_mass(|link| {
        if link.parent.is_none() {
            only
        } else {
            SpatialInertia::zero()
        }
    })
}
