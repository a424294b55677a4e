//! Force that moves an actor along its route.
//!
//! # Law
//! ```text
//!   F = M [ α, a ] + D(v_r) v_r                                           (1)
//!   a = a_r + 2 ω (v_r - v) + ω² (p_r - p),   α = 2 ω (Ω_r - Ω) + ω² e_Θ  (2)  critically damped
//! ```
//! For an actor that floats, the law uses the horizontal components of a and the vertical component
//! of α: height, roll and pitch follow from its hull and the waves.
//!
//! # Symbols
//! M inertia of the base with added mass · D linear and quadratic damping of the base · p_r, v_r,
//! a_r, Ω_r motion on the route (`crates/model/src/scene/robot/route.rs`) · e_Θ rotation vector
//! from the attitude to the attitude of the route · ω = 3 rad/s.
//!
//! # Frames
//! In: W for positions and velocities. Out: B at the start of the step.
//!
//! # Limits
//! The force is constant over a step. It represents the propulsion of a ship or of a swimmer and
//! has no limit; the position error that counts is at most 2 m. A current or a contact displaces
//! the actor by the force that it exerts over M ω².
//!
//! # Checked by
//! test/analytic/bodies/actor.rs

use merrow_math::{Quat, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::kinematics::coupling::rotation_vector;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::body::Damping;
use merrow_model::scene::robot::route::Route;
use merrow_model::state::RobotState;

/// Natural frequency of the control [rad/s].
const FREQUENCY: f64 = 3.0;
/// Position error above which the force does not grow [m].
const MAX_ERROR: f64 = 2.0;

/// Computes the force on the base at Bo in B, by (1), at `t` [s].
pub(crate) fn route_force(
    robot: &Robot,
    route: &Route,
    state: &RobotState,
    t: f64,
) -> SpatialForce {
    let reference = route.reference(t);
    let motion = &state.motion;
    let R = motion.q_WB.matrix();
    let mut e = reference.p - motion.p_WB;
    let distance = e.norm();
    if distance > MAX_ERROR {
        e = e.scale(MAX_ERROR / distance);
    }
    let ev = reference.v - R.mul_vec(motion.V_WB_B.v);
    let mut a = reference.a + ev.scale(2.0 * FREQUENCY) + e.scale(FREQUENCY * FREQUENCY);
    let [roll, pitch, _] = R.to_rpy();
    let target = if route.floats {
        Quat::from_rpy(roll, pitch, reference.yaw)
    } else {
        Quat::from_rpy(0.0, 0.0, reference.yaw)
    };
    let error = R.transpose().mul_mat(&target.matrix());
    let turn = R.mul_vec(rotation_vector(&Quat::from_matrix(&error)));
    let up = Vec3::new(0.0, 0.0, reference.yaw_rate);
    let ew = up - R.mul_vec(motion.V_WB_B.w);
    let mut alpha = ew.scale(2.0 * FREQUENCY) + turn.scale(FREQUENCY * FREQUENCY);
    if route.floats {
        a.z = 0.0;
        (alpha.x, alpha.y) = (0.0, 0.0);
    }
    let acceleration = SpatialVelocity::new(R.tr_mul_vec(alpha), R.tr_mul_vec(a));
    let link = &robot.links[0];
    let mut force = link.total.mul(&acceleration);
    let v = R.tr_mul_vec(reference.v).to_array();
    let drag = |i: usize| {
        let linear = coefficient(&link.linear_damping, i);
        let quadratic = coefficient(&link.quadratic_damping, i);
        (linear + quadratic * v[i].abs()) * v[i]
    };
    force.f += Vec3::new(drag(0), drag(1), drag(2));
    force
}

/// Returns the damping coefficient of linear axis `i`.
fn coefficient(damping: &Damping, i: usize) -> f64 {
    match damping {
        Damping::Zero => 0.0,
        Damping::Diagonal(d) => d[3 + i],
        Damping::Full(d) => d[3 + i][3 + i],
    }
}
