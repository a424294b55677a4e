//! Forward kinematics: pose and velocity of every link from joint and base coordinates.

pub mod coupling;

use crate::scene::robot::joint::{Joint, JointKind};
use crate::scene::{Link, Robot};
use crate::state::Motion;
use crate::state::workspace::LinkWork;
use merrow_math::{Mat3, Real, SpatialVelocity, Vec3};

/// Computes the poses of all links in W from q.
#[inline(always)]
pub fn poses<T: Real>(robot: &Robot, motion: &Motion<T>, links: &mut [LinkWork<T>]) {
    links[0].R_WL = motion.q_WB.matrix();
    links[0].p_WL = motion.p_WB;
    let mut sines_cosines = [(T::zero(), T::one()); 4];
    for i in 1..links.len() {
        let link = &robot.links[i];
        let group = (i - 1) % 4;
        if group == 0 {
            sines_cosines = T::sin_cos_all(&motion.q[i - 1..]);
        }
        let (R_PC, p_PC) = joint_pose(&link.joint, motion.q[i - 1], sines_cosines[group]);
        // the base has no parent; every other link comes after its parent
        let parent = link.parent.unwrap_or(0);
        let (R_WP, p_WP) = (links[parent].R_WL, links[parent].p_WL);
        let work = &mut links[i];
        work.R_WL = R_WP.mul_mat(&R_PC);
        work.p_WL = p_WP + R_WP.mul_vec(p_PC);
        work.R_PC = R_PC;
        work.p_PC = p_PC;
    }
}

/// Returns the links of a robot with their poses in W; their other values are zero.
pub fn link_poses(robot: &Robot, motion: &Motion) -> Vec<LinkWork> {
    let mut links = vec![LinkWork::default(); robot.links.len()];
    poses(robot, motion, &mut links);
    links
}

/// Returns axes and origin [m] of the child frame in the parent frame with the joint at `q` [rad or
/// m]. `sin_cos` is the sine and cosine of `q`.
#[inline(always)]
pub fn joint_pose<T: Real>(joint: &Joint, q: T, sin_cos: (T, T)) -> (Mat3<T>, Vec3<T>) {
    match joint.kind {
        JointKind::Prismatic => {
            let axis = Vec3::splat(joint.R_PC0.col(2));
            (
                Mat3::splat(joint.R_PC0),
                Vec3::splat(joint.p_PoCo0) + axis.scale(q),
            )
        }
        _ => (
            rotate_about_z(&joint.R_PC0, sin_cos),
            Vec3::splat(joint.p_PoCo0),
        ),
    }
}

/// Computes the rotation `R0 Rz(q)`.
#[inline(always)]
fn rotate_about_z<T: Real>(R0: &Mat3<f64>, (s, c): (T, T)) -> Mat3<T> {
    Mat3 {
        r: R0.r.map(|row| {
            Vec3::new(
                c * row.x + s * row.y,
                c * row.y - s * row.x,
                T::splat(row.z),
            )
        }),
    }
}

/// Computes the velocities of all links in their own frames from q and v [Featherstone 2008, eq.
/// 7.35].
#[inline(always)]
pub fn velocities<T: Real>(robot: &Robot, motion: &Motion<T>, links: &mut [LinkWork<T>]) {
    links[0].V = motion.V_WB_B;
    for i in 1..links.len() {
        let link = &robot.links[i];
        let parent = link.parent.unwrap_or(0);
        let V_P = links[parent].V;
        let work = &mut links[i];
        let mut V = V_P.to_child(&work.R_PC, work.p_PC);
        let S_qd = joint_velocity(link.joint.kind, motion.qd[i - 1]);
        V = V.add_scaled(&S_qd, T::one());
        work.c = V.cross(&S_qd);
        work.V = V;
    }
}

/// Returns `S q̇`: the velocity of the child relative to its parent at Lo, in L of the child, along
/// or about its z axis. The unit of `qd` is [rad/s], or [m/s] for a prismatic joint.
#[inline(always)]
pub fn joint_velocity<T: Real>(kind: JointKind, qd: T) -> SpatialVelocity<T> {
    let along_z = Vec3::new(T::zero(), T::zero(), qd);
    match kind {
        JointKind::Prismatic => SpatialVelocity::new(Vec3::zero(), along_z),
        JointKind::Fixed => SpatialVelocity::zero(),
        JointKind::Revolute | JointKind::Continuous => SpatialVelocity::new(along_z, Vec3::zero()),
    }
}

/// Returns rotation and position [m] of every link relative to the base, with all joints at zero.
pub fn poses_at_rest(links: &[Link]) -> Vec<(Mat3, Vec3)> {
    let mut poses: Vec<(Mat3, Vec3)> = vec![(Mat3::identity(), Vec3::zero())];
    for link in &links[1..] {
        let (R_BP, p_BP) = poses[link.parent.unwrap_or(0)];
        poses.push((
            R_BP.mul_mat(&link.joint.R_PC0),
            p_BP + R_BP.mul_vec(link.joint.p_PoCo0),
        ));
    }
    poses
}
