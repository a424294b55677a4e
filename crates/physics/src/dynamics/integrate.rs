//! Time integration of one robot. During a step only this module writes base and joint coordinates;
//! between steps commands and loaded states set them.
//!
//! # Law
//! ```text
//!   q̇ = ½ q ∘ (0, w),  ṗ = R_WB v,  V̇ = A           (1)
//!   RK4:  x₁ = x₀ + h/6 (k₁ + 2k₂ + 2k₃ + k₄)         (2)  [Hairer 1993, table II.1.2]
//!   semi-implicit:  v₁ = v₀ + h v̇₀,  x₁ = x₀ ⊕ h v₁  (3)  [Hairer 2006, §VI.3]
//! ```
//! In (2) the components of the quaternion are integrated independently and normalised at the end
//! of the step, which preserves the order of four. In (3) ⊕ is the exponential map.
//!
//! # Symbols
//! h step [s] · A spatial acceleration of the base at Bo in B.
//!
//! # Frames
//! Base velocity in B, position in W.
//!
//! # Limits
//! The step is fixed. Position drives are integrated like all joints.
//!
//! # Checked by
//! test/convergence/integrators.rs

use merrow_math::{Quat, Real, SpatialVelocity, Vec3};
use merrow_model::scene::Integrator;
use merrow_model::state::{ImpulseAcceleration, Motion, Workspace};

/// Base part of a slope of the Runge-Kutta method.
#[derive(Clone, Copy)]
struct Slope<T> {
    q: Quat<T>,
    p: Vec3<T>,
    V: SpatialVelocity<T>,
}

/// Evaluation of the accelerations inside the integrator.
///
/// A separate trait in addition to `FnMut`, because a closure is compiled for the baseline
/// instruction set, wherever it is called from.
pub trait Evaluate<T: Real> {
    /// Stores all quantities that follow from `motion` in `work`. `stage` is 1 at the midpoint of
    /// the step and 2 at its end.
    fn evaluate(&mut self, motion: &Motion<T>, stage: usize, work: &mut Workspace<T>);
}

impl<T: Real, F: FnMut(&Motion<T>, usize, &mut Workspace<T>)> Evaluate<T> for F {
    #[inline(always)]
    fn evaluate(&mut self, motion: &Motion<T>, stage: usize, work: &mut Workspace<T>) {
        self(motion, stage, work);
    }
}

/// Advances `motion` by `h` seconds. `work` must hold the evaluation of `motion` at the start of
/// the step.
#[inline(always)]
pub fn advance<T: Real>(
    integrator: Integrator,
    h: f64,
    motion: &mut Motion<T>,
    work: &mut Workspace<T>,
    evaluate: impl Evaluate<T>,
) {
    match integrator {
        Integrator::Rk4 => rk4(h, motion, work, evaluate),
        Integrator::SemiImplicit => semi_implicit(h, motion, work),
    }
}

#[inline(always)]
fn rk4<T: Real>(
    h: f64,
    motion: &mut Motion<T>,
    work: &mut Workspace<T>,
    mut evaluate: impl Evaluate<T>,
) {
    let (third, sixth) = (T::splat(h / 3.0), T::splat(h / 6.0));
    let first = slope(motion, work, 0);
    let mut k = first;
    // (2), accumulated as the slopes become available
    let mut q = motion.q_WB.add_scaled(&first.q, sixth);
    let mut V = motion.V_WB_B.add_scaled(&first.V, sixth);
    let mut p = Vec3::zero();
    // only heap allocations are kept from step to step
    let (q_buffer, qd_buffer) = (
        std::mem::take(&mut work.stage.q),
        std::mem::take(&mut work.stage.qd),
    );
    let mut stage = Motion {
        q_WB: motion.q_WB,
        p_WB: motion.p_WB,
        V_WB_B: motion.V_WB_B,
        q: q_buffer,
        qd: qd_buffer,
    };
    // one loop, so that the large evaluation is compiled once
    for i in 0..3 {
        let (fraction, instant, weight) = if i < 2 {
            (0.5, 1, third)
        } else {
            (1.0, 2, sixth)
        };
        displace(motion, &k, h * fraction, work, i, &mut stage);
        evaluate.evaluate(&stage, instant, work);
        k = slope(&stage, work, i + 1);
        q = q.add_scaled(&k.q, weight);
        V = V.add_scaled(&k.V, weight);
        if i < 2 {
            p += k.p;
        }
    }
    (work.stage.q, work.stage.qd) = (stage.q, stage.qd);
    motion.q_WB = q.normalized();
    motion.V_WB_B = V;
    motion.p_WB += (first.p + k.p).scale(sixth) + p.scale(third);
    let [s1, s2, s3, s4] = &work.slopes;
    for j in 0..motion.q.len() {
        motion.q[j] += (s1.0[j] + s4.0[j]) * sixth + (s2.0[j] + s3.0[j]) * third;
        motion.qd[j] += (s1.1[j] + s4.1[j]) * sixth + (s2.1[j] + s3.1[j]) * third;
    }
}

/// Returns the slope (1) at `motion`, whose evaluation is in `work`; joint slopes are stored in
/// `work.slopes[k]`.
#[inline(always)]
fn slope<T: Real>(motion: &Motion<T>, work: &mut Workspace<T>, k: usize) -> Slope<T> {
    let base = &work.links[0];
    let out = Slope {
        q: motion.q_WB.rate(motion.V_WB_B.w),
        p: base.R_WL.mul_vec(motion.V_WB_B.v),
        V: base.A,
    };
    work.slopes[k].0.copy_from_slice(&motion.qd);
    work.slopes[k].1.copy_from_slice(&work.qdd);
    out
}

/// Computes `out = from + h * slope`.
#[inline(always)]
fn displace<T: Real>(
    from: &Motion<T>,
    k: &Slope<T>,
    h: f64,
    work: &Workspace<T>,
    idx: usize,
    out: &mut Motion<T>,
) {
    let h = T::splat(h);
    out.q_WB = from.q_WB.add_scaled(&k.q, h);
    out.p_WB = from.p_WB + k.p.scale(h);
    out.V_WB_B = from.V_WB_B.add_scaled(&k.V, h);
    let (qd, qdd) = &work.slopes[idx];
    for j in 0..from.q.len() {
        out.q[j] = from.q[j] + qd[j] * h;
        out.qd[j] = from.qd[j] + qdd[j] * h;
    }
}

/// Makes a semi-implicit Euler step by (3).
#[inline(always)]
fn semi_implicit<T: Real>(h: f64, motion: &mut Motion<T>, work: &mut Workspace<T>) {
    let ht = T::splat(h);
    let base = &work.links[0];
    motion.V_WB_B = motion.V_WB_B.add_scaled(&base.A, ht);
    let V = motion.V_WB_B;
    let rotation = Quat::from_rotation_vector(V.w * h);
    // the velocity is rotated by the attitude at half of the rotation, so that a steady turn stays
    // on its circle
    let half_rotation = Quat::from_rotation_vector(V.w * (0.5 * h));
    let R_mid = motion.q_WB.mul(&half_rotation).matrix();
    motion.p_WB += R_mid.mul_vec(V.v).scale(ht);
    motion.q_WB = motion.q_WB.mul(&rotation).normalized();
    for j in 0..motion.q.len() {
        motion.qd[j] += work.qdd[j] * ht;
        motion.q[j] += motion.qd[j] * ht;
    }
}

/// Applies the result of the impulses of a step of `h` seconds to `motion`.
///
/// `v` are the new velocities of the free coordinates and `x` their displacements, with the six
/// base coordinates first if the base floats. `joints[j]` is the index of the coordinate of joint j
/// and the ratio of the joint to the coordinate. The equivalent acceleration is stored in
/// `impulse_acceleration`. `work` holds the state at the start of the step.
pub(crate) fn apply_impulses(
    motion: &mut Motion,
    is_floating: bool,
    joints: &[Option<(usize, f64)>],
    (v, x): (&[f64], &[f64]),
    (h, work): (f64, &Workspace),
    impulse_acceleration: &mut ImpulseAcceleration,
) {
    let rate = 1.0 / h;
    if is_floating {
        let vector_at = |s: &[f64], at: usize| Vec3::new(s[at], s[at + 1], s[at + 2]);
        let V = SpatialVelocity::new(vector_at(v, 0), vector_at(v, 3));
        impulse_acceleration.is_nonzero |= V != motion.V_WB_B;
        let change = V.add_scaled(&work.V_start, -1.0);
        let mean = change.scale(rate);
        impulse_acceleration.A_WB_B = mean.add_scaled(&work.A_start, -0.5);
        let rotation = Quat::from_rotation_vector(vector_at(x, 0));
        // the axes rotate while the velocity in the world is unchanged
        let R = rotation.matrix();
        motion.V_WB_B = SpatialVelocity::new(R.tr_mul_vec(V.w), R.tr_mul_vec(V.v));
        motion.p_WB += motion.q_WB.matrix().mul_vec(vector_at(x, 3));
        motion.q_WB = motion.q_WB.mul(&rotation).normalized();
    }
    for (j, c) in joints.iter().enumerate() {
        if let Some((c, ratio)) = c {
            let qd = ratio * v[*c];
            impulse_acceleration.is_nonzero |= qd != motion.qd[j];
            impulse_acceleration.qdd[j] = (qd - work.qd_start[j]) * rate - 0.5 * work.qdd_start[j];
            motion.qd[j] = qd;
            motion.q[j] += ratio * x[*c];
        }
    }
}
