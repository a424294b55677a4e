//! The only place where forces meet: the ordered sum on every link.

use super::{
    added_mass, buoyancy, damping, derivatives, fin, joint, rigid_body, slender_body, thruster, wind_load,
};
use crate::environment::{Instant, water_column};
use crate::math::{Mat3, Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use crate::scene::body::SlenderBody;
use crate::scene::{Drive, Link, Robot};
use crate::state::{Motion, Workspace};

/// Sums all forces on every link and all efforts on every joint.
///
/// `stage` says where in the step the evaluation stands: 0 start, 1 middle, 2 end.
#[inline(always)]
pub fn sum<T: Real>(
    robot: &Robot,
    at: &Instant<'_>,
    motion: &Motion<T>,
    joint_commands: &[T],
    stage: usize,
    work: &mut Workspace<T>,
) {
    let (rho, g, still) = (at.sea.density, at.gravity, at.is_still());
    for (i, link) in robot.links.iter().enumerate() {
        let w = &mut work.links[i];
        let up = w.R_WL.r[2];
        let mut F = rigid_body::weight(link, up, g);
        if link.wet {
            let (normal, height) = match at.waves {
                None => (up, w.p_WL.z + up.dot(Vec3::splat(link.hull.p_LoH))),
                Some(_) => (w.surface_normal, w.over_surface),
            };
            let wetness = buoyancy::wetness_under(link, normal, height);
            let mut V_r = w.V;
            V_r.v -= w.water;
            let p_WCb = || w.p_WL + w.R_WL.mul_vec(Vec3::splat(link.p_LoCb) + wetness.shift);
            let rho_here = water_column::density(at.sea, g, p_WCb, at.time);
            F = F.plus(&buoyancy::force(link, &wetness, up, rho_here * g));
            if still && link.munk && is_whole(wetness.wet) {
                F = F.plus(&rigid_body::velocity_product(&link.total, &w.V));
            } else {
                let displaced = wetness.wet * (rho_here * link.volume);
                F = F.plus(&rigid_body::velocity_product(&link.rigid, &w.V));
                F = F.plus(&added_mass::force(
                    link,
                    &w.V,
                    &V_r,
                    w.water,
                    w.water_acceleration,
                    (wetness.wet, displaced),
                    Vec3::splat(link.p_LoCb) + wetness.shift,
                ));
            }
            F = F.plus(&damping::force(link, &V_r, wetness.wet));
            if !link.derivatives.is_empty() {
                F = F.plus(&derivatives::force(link, &V_r, wetness.wet));
            }
            if let Some(body) = &link.slender {
                F = F.plus(&slender(link, body, &V_r, wetness.wet, rho));
            }
            w.wet = wetness.wet;
        } else {
            F = F.plus(&rigid_body::velocity_product(&link.rigid, &w.V));
        }
        if link.trim.force != 0.0 || link.trim.moment_arm != Vec3::new(0.0, 0.0, 0.0) {
            let arm = Vec3::splat(link.trim.moment_arm);
            F = F.plus(&SpatialForce { m: arm.cross(up), f: up * link.trim.force });
        }
        if let Some(load) = &link.wind {
            F = F.plus(&wind_load::force(link, load, at, w));
        }
        F = F.plus(&work.thrust[i][stage]);
        w.F = F;
        w.inertia = inertia(link, w.wet);
        if robot.inflow {
            let F = thruster::inflow(robot, i, work, stage, at);
            work.links[i].F = work.links[i].F.plus(&F);
        }
        if !robot.fins.is_empty() && link.wet {
            let F = fin::force(robot, i, work, stage, at);
            work.links[i].F = work.links[i].F.plus(&F);
        }
    }
    efforts(robot, motion, joint_commands, work);
}

/// All efforts on the joints, and the accelerations of those that are prescribed.
#[inline(always)]
pub fn efforts<T: Real>(robot: &Robot, motion: &Motion<T>, joint_commands: &[T], work: &mut Workspace<T>) {
    for (j, link) in robot.links[1..].iter().enumerate() {
        work.tau[j] = joint::effort(link, joint_commands[j], motion.q[j], motion.qd[j]);
        if let Drive::Position { .. } = link.joint.drive {
            work.qdd[j] = joint::prescribed_acceleration(link, joint_commands[j], motion.q[j], motion.qd[j]);
        }
    }
}

/// True if the link is wholly under water in every lane.
#[inline(always)]
fn is_whole<T: Real>(wet: T) -> bool {
    (0..T::LANES).all(|i| wet.lane(i) == 1.0)
}

/// The slender body's force, which is defined along the user's axes.
#[inline(always)]
fn slender<T: Real>(
    link: &Link,
    body: &SlenderBody,
    V_r: &SpatialVelocity<T>,
    wet: T,
    rho: f64,
) -> SpatialForce<T> {
    let R_LU = Mat3::splat(&link.R_LU);
    let V_U = SpatialVelocity { w: R_LU.tr_mul_vec(V_r.w), v: R_LU.tr_mul_vec(V_r.v) };
    let F_U = slender_body::force(body, &V_U, wet, rho);
    SpatialForce { m: R_LU.mul_vec(F_U.m), f: R_LU.mul_vec(F_U.f) }
}

/// Rigid inertia plus the wet part of the added mass.
#[inline(always)]
fn inertia<T: Real>(link: &Link, wet: T) -> SpatialInertia<T> {
    if is_whole(wet) {
        return SpatialInertia::splat(&link.total);
    }
    SpatialInertia::splat(&link.rigid).plus(&SpatialInertia::splat(&link.added).scale(wet))
}
