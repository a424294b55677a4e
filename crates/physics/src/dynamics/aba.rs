//! Forward dynamics by the articulated-body algorithm.
//!
//! # Law
//! ```text
//!   U = IA S,  D = Sᵀ U + armature,  u = tau - Sᵀ pA       (1)  [Featherstone 2008, eq. 7.43-7.45]
//!   Ia = IA - U D⁻¹ Uᵀ,  pa = pA + Ia c + U D⁻¹ u          (2)  [eq. 7.47, 7.48]
//!   q̈ = D⁻¹ (u - Uᵀ a'),  a' = X a_P + c,  a = a' + S q̈  (3)  [eq. 7.41, 7.42]
//!   a_0 = -IA_0⁻¹ pA_0                                     (4)  [table 9.4]
//! ```
//! A joint with prescribed acceleration transmits its full inertia: Ia = IA, pa = pA + IA (c + S
//! q̈) [Featherstone 2008, §9.2, hybrid dynamics].
//!
//! # Symbols
//! IA articulated inertia, pA bias force, S joint axis (z of the child), c velocity product, tau
//! joint effort. The inertia of a link includes its added mass: 21 numbers instead of the 10 of a
//! rigid body.
//!
//! # Frames
//! Every link in its own frame L at Lo. Gravity is an applied force, so `a` is the true
//! acceleration.
//!
//! # Limits
//! Tree structure. D must be positive, which a positive-definite link inertia guarantees.
//!
//! # Checked by
//! test/witness/vehicles/pinocchio.rs (V38), test/identity/algorithms.rs (rnea, crba)

use merrow_math::spatial::{Factor, solve};
use merrow_math::{
    LaneCondition, Mat3, Real, SpatialForce, SpatialInertia, SpatialVelocity, Sym3, Vec3,
};
use merrow_model::kinematics::joint_velocity;
use merrow_model::scene::{JointKind, Robot};
use merrow_model::state::Workspace;
use merrow_model::state::workspace::{LinkWork, fully_submerged_lanes};

/// Computes the accelerations of base and joints from `F`, `inertia`, `c` and `tau` in `work`, and
/// stores them there.
///
/// `work.qdd` is an input for joints with a position drive.
#[inline(always)]
pub fn accelerations<T: Real>(robot: &Robot, work: &mut Workspace<T>) {
    let n = robot.links.len();
    let submerged_lanes = match &robot.base_factor {
        Some(_) if !work.flooded => fully_submerged_lanes(work.links[0].submerged_fraction),
        _ => LaneCondition::None,
    };
    if let (LaneCondition::All, Some(factor)) = (submerged_lanes, &robot.base_factor) {
        work.links[0].A = factor.solve_lanes(&work.links[0].F);
        return;
    }
    for w in &mut work.links {
        w.IA = w.inertia;
        w.pA = -w.F;
    }
    for i in (1..n).rev() {
        let link = &robot.links[i];
        let (head, tail) = work.links.split_at_mut(i);
        let w = &mut tail[0];
        let (Ia, pa) = if link.joint.is_free() {
            articulate_free_joint(w, link.joint.kind, link.joint.armature, work.tau[i - 1])
        } else {
            articulate_prescribed_joint(w, link.joint.kind, work.qdd[i - 1])
        };
        let parent = &mut head[link.parent.unwrap_or(0)];
        parent.IA += Ia.to_parent(&w.R_PC, w.p_PC);
        parent.pA += pa.to_parent(&w.R_PC, w.p_PC);
    }
    work.links[0].A = base_acceleration(robot, &work.links[0]);
    if let (LaneCondition::Some, Some(factor)) = (submerged_lanes, &robot.base_factor) {
        base_acceleration_mixed_lanes(factor, &mut work.links[0]);
    }
    for i in 1..n {
        let link = &robot.links[i];
        let A_P = work.links[link.parent.unwrap_or(0)].A;
        let w = &mut work.links[i];
        let a = A_P.to_child(&w.R_PC, w.p_PC).add_scaled(&w.c, T::one());
        if link.joint.is_free() {
            work.qdd[i - 1] = w.D_inv * (w.u - a.dot(&w.U)); // (3)
        }
        w.A = a.add_scaled(&joint_velocity(link.joint.kind, work.qdd[i - 1]), T::one());
    }
}

/// Evaluates (4) if only some lanes are fully submerged: these lanes use the factor, with the same
/// result as on their own.
#[cold]
#[inline(never)]
fn base_acceleration_mixed_lanes<T: Real>(factor: &Factor, base: &mut LinkWork<T>) {
    base.A = factor
        .solve_lanes(&base.F)
        .select_lanes(base.A, |i| base.submerged_fraction.lane(i) == 1.0);
}

/// Returns the acceleration of the base by (4).
#[inline(always)]
fn base_acceleration<T: Real>(robot: &Robot, base: &LinkWork<T>) -> SpatialVelocity<T> {
    if !robot.floating {
        return SpatialVelocity::zero();
    }
    solve(&base.IA, &-base.pA)
}

/// Returns (1) and (2) for a joint that moves freely about or along z.
#[inline(always)]
fn articulate_free_joint<T: Real>(
    w: &mut LinkWork<T>,
    kind: JointKind,
    armature: f64,
    tau: T,
) -> (SpatialInertia<T>, SpatialForce<T>) {
    let IA = &w.IA;
    let (U, D, Sp) = match kind {
        JointKind::Prismatic => {
            let U = SpatialForce::new(IA.B.col(2), Vec3::new(IA.D.xz, IA.D.yz, IA.D.zz));
            (U, IA.D.zz, w.pA.f.z)
        }
        _ => {
            let U = SpatialForce::new(Vec3::new(IA.A.xz, IA.A.yz, IA.A.zz), IA.B.r[2]);
            (U, IA.A.zz, w.pA.m.z)
        }
    };
    let D_inv = T::one() / (D + T::splat(armature));
    let u = tau - Sp;
    let Ia = minus_outer(IA, &U, D_inv);
    let Ia_c = Ia.mul(&w.c);
    let k = D_inv * u;
    let pa = w.pA + Ia_c + U.scale(k);
    (w.U, w.D_inv, w.u) = (U, D_inv, u);
    (Ia, pa)
}

/// Returns the bias and inertia of a joint with prescribed acceleration, which transmits both in
/// full.
#[inline(always)]
fn articulate_prescribed_joint<T: Real>(
    w: &LinkWork<T>,
    kind: JointKind,
    qdd: T,
) -> (SpatialInertia<T>, SpatialForce<T>) {
    let a = w.c.add_scaled(&joint_velocity(kind, qdd), T::one());
    (w.IA, w.pA + w.IA.mul(&a))
}

/// Computes `IA - k U Uᵀ`.
#[inline(always)]
fn minus_outer<T: Real>(IA: &SpatialInertia<T>, U: &SpatialForce<T>, k: T) -> SpatialInertia<T> {
    let m = U.m.scale(k);
    let B = Mat3::from_rows(
        IA.B.r[0] - U.f.scale(m.x),
        IA.B.r[1] - U.f.scale(m.y),
        IA.B.r[2] - U.f.scale(m.z),
    );
    let A: Sym3<T> = IA.A.minus_outer(U.m, k);
    SpatialInertia {
        A,
        B,
        D: IA.D.minus_outer(U.f, k),
    }
}
