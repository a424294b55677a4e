//! Pose and velocity of the ends of a coupling, and their deviation from the coupled pose.
//!
//! # Law
//! ```text
//!   R_WE = R_WL R_LE,   p_WE = p_WL + R_WL p_LoE,   v_E = v_Lo + w_L × (p_WE - p_WL)   (1)
//!   e = R_WTᵀ (p_WB - p_WT),   θ = rotation vector of R_WTᵀ R_WB                       (2)
//!   hinge:  θ = R_WTᵀ (z_T × z_B) in x and y                                           (3)
//! ```
//! # Symbols
//! E frame of an end, A first end, B second end, T target frame of B, fixed in A.
//!
//! # Frames
//! Ends in W, deviations along and about the axes of T.
//!
//! # Limits
//! A halted robot has zero velocity.
//!
//! # Checked by
//! test/analytic/contacts/coupling.rs

use crate::scene::coupling::{Coupling, CouplingEnd, CouplingKind};
use crate::scene::robot::joint::JointKind;
use crate::scene::{Robot, Scene};
use crate::state::coupling::CouplingState;
use crate::state::{Motion, State};
use merrow_math::real::sin_cos;
use merrow_math::{Mat3, Quat, Vec3};

/// Maximum distance between the ends of a coupling that can be engaged [m].
const MAX_DISTANCE: f64 = 0.02;
/// Maximum angle between the ends of a coupling that can be engaged [rad].
const MAX_ANGLE: f64 = 0.035;

/// Pose and velocity of a frame, expressed in W.
#[derive(Clone, Copy, Debug)]
pub struct FrameMotion {
    /// Rotation of the frame in W.
    pub R_W: Mat3,
    /// Origin of the frame in W [m].
    pub p_W: Vec3,
    /// Angular velocity in W [rad/s].
    pub w_W: Vec3,
    /// Velocity of the origin in W [m/s].
    pub v_W: Vec3,
}

impl FrameMotion {
    /// Returns the velocity [m/s] of the point `p_W` [m] fixed to the frame.
    pub fn velocity_at(&self, p_W: Vec3) -> Vec3 {
        self.v_W + self.w_W.cross(p_W - self.p_W)
    }
}

/// Computes pose and velocity of one link from q and v.
pub(crate) fn link_motion(robot: &Robot, motion: &Motion, link: usize) -> FrameMotion {
    // pose of the link in the current ancestor frame
    let (mut R, mut p) = (Mat3::identity(), Vec3::zero());
    let (mut w, mut v, mut l) = (Vec3::zero(), Vec3::zero(), link);
    while let Some(parent) = robot.links[l].parent {
        let (joint, q, qd) = (&robot.links[l].joint, motion.q[l - 1], motion.qd[l - 1]);
        let joint_velocity = Vec3::new(0.0, 0.0, qd);
        let (mut R_PC, mut p_PC) = (joint.R_PC0, joint.p_PoCo0);
        match joint.kind {
            JointKind::Prismatic => {
                p_PC += R_PC.col(2).scale(q);
                v += joint_velocity;
            }
            JointKind::Fixed => {}
            JointKind::Revolute | JointKind::Continuous => {
                R_PC = crate::kinematics::rotate_about_z(&R_PC, sin_cos(q));
                v += joint_velocity.cross(p);
                w += joint_velocity;
            }
        }
        (p, R) = (p_PC + R_PC.mul_vec(p), R_PC.mul_mat(&R));
        (w, v) = (R_PC.mul_vec(w), R_PC.mul_vec(v));
        l = parent;
    }
    let (R_WB, V) = (motion.q_WB.matrix(), motion.V_WB_B);
    FrameMotion {
        R_W: R_WB.mul_mat(&R),
        p_W: motion.p_WB + R_WB.mul_vec(p),
        w_W: R_WB.mul_vec(V.w + w),
        v_W: R_WB.mul_vec(V.v + V.w.cross(p) + v),
    }
}

/// Returns pose and velocity of a link; the velocity is zero if its robot is halted.
pub fn link_motion_or_rest(scene: &Scene, state: &State, robot: usize, link: usize) -> FrameMotion {
    let own = link_motion(&scene.robots[robot], &state.robots[robot].motion, link);
    match state.robots[robot].halted {
        Some(_) => FrameMotion {
            w_W: Vec3::zero(),
            v_W: Vec3::zero(),
            ..own
        },
        None => own,
    }
}

/// Computes pose and velocity of the frame E of an end by (1).
pub fn end_motion(scene: &Scene, state: &State, end: &CouplingEnd) -> FrameMotion {
    match end {
        CouplingEnd::World { R_WE, p_WE } => FrameMotion {
            R_W: *R_WE,
            p_W: *p_WE,
            w_W: Vec3::zero(),
            v_W: Vec3::zero(),
        },
        CouplingEnd::Link {
            robot,
            link,
            R_LE,
            p_LoE,
        } => {
            let own = link_motion_or_rest(scene, state, *robot, *link);
            let p_W = own.p_W + own.R_W.mul_vec(*p_LoE);
            FrameMotion {
                R_W: own.R_W.mul_mat(R_LE),
                p_W,
                w_W: own.w_W,
                v_W: own.velocity_at(p_W),
            }
        }
    }
}

/// Returns the current second end: the end in the world file, or the link that a grasp holds.
pub fn second_end(coupling: &Coupling, memory: &CouplingState) -> Option<CouplingEnd> {
    match (&coupling.kind, memory.partner) {
        (CouplingKind::Grasp { .. }, partner) => partner.map(|(robot, link)| CouplingEnd::Link {
            robot,
            link,
            R_LE: Mat3::identity(),
            p_LoE: Vec3::zero(),
        }),
        _ => coupling.b,
    }
}

/// Returns the target frame T of the second end, which moves with the first end A. `p_AT` [m] and
/// `q_AT` are its pose in A.
pub fn target_frame(A: &FrameMotion, p_AT: Vec3, q_AT: &Quat) -> FrameMotion {
    let p_W = A.p_W + A.R_W.mul_vec(p_AT);
    FrameMotion {
        R_W: A.R_W.mul_mat(&q_AT.matrix()),
        p_W,
        w_W: A.w_W,
        v_W: A.velocity_at(p_W),
    }
}

/// Computes the deviation of B from T in the constrained directions [m, rad] and its rate [m/s,
/// rad/s] by (2) and (3).
pub fn deviation(kind: &CouplingKind, T: &FrameMotion, B: &FrameMotion) -> ([f64; 6], [f64; 6]) {
    let in_target = |v: Vec3| T.R_W.tr_mul_vec(v).to_array();
    let rotation_error = match kind {
        CouplingKind::Hinge => in_target(T.R_W.col(2).cross(B.R_W.col(2))),
        _ => rotation_vector(&Quat::from_matrix(&T.R_W.transpose().mul_mat(&B.R_W))).to_array(),
    };
    let (e, v, w) = (
        in_target(B.p_W - T.p_W),
        in_target(B.v_W - T.velocity_at(B.p_W)),
        in_target(B.w_W - T.w_W),
    );
    let constrained = kind.constrained_directions();
    let select_constrained = |linear: [f64; 3], angular: [f64; 3]| {
        std::array::from_fn(|i| match (constrained[i], i < 3) {
            (false, _) => 0.0,
            (true, true) => linear[i],
            (true, false) => angular[i - 3],
        })
    };
    (
        select_constrained(e, rotation_error),
        select_constrained(v, w),
    )
}

/// Returns why ends with this misfit [m, rad] cannot be joined, or `None` if they can.
pub fn misfit_error(misfit: &[f64; 6]) -> Option<String> {
    let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (distance, angle) = (size(&misfit[..3]), size(&misfit[3..]));
    if distance > MAX_DISTANCE {
        return Some(format!(
            "its ends are {distance:.3} m apart; expected at most {MAX_DISTANCE} m"
        ));
    }
    let (angle, max_angle) = (angle.to_degrees(), MAX_ANGLE.to_degrees());
    (angle > max_angle).then(|| {
        format!("the angle between its ends is {angle:.1} deg; expected at most {max_angle:.0} deg")
    })
}

/// Returns position [m] and attitude of B in A.
pub fn relative_pose(A: &FrameMotion, B: &FrameMotion) -> (Vec3, Quat) {
    let p_AB = A.R_W.tr_mul_vec(B.p_W - A.p_W);
    (p_AB, Quat::from_matrix(&A.R_W.transpose().mul_mat(&B.R_W)))
}

/// Returns the rotation vector of an attitude with the smaller angle [rad].
pub fn rotation_vector(q: &Quat) -> Vec3 {
    let k = if q.w < 0.0 { -1.0 } else { 1.0 };
    let (w, v) = (k * q.w, Vec3::new(q.x, q.y, q.z).scale(k));
    let sine = v.norm();
    // limit for small angles
    v.scale(if sine < 1e-9 {
        2.0
    } else {
        2.0 * libm::atan2(sine, w) / sine
    })
}

/// Returns the rotation angle about z of an attitude (swing-twist decomposition) [rad].
pub fn twist(q: &Quat) -> f64 {
    let k = if q.w < 0.0 { -1.0 } else { 1.0 };
    2.0 * libm::atan2(k * q.z, k * q.w)
}
