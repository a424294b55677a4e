//! Test of the ball that carries the sensors of these tests.

use crate::common::simulation;
use crate::common::turntable::{ball, set_motion};
use merrow_math::{Quat, Vec3};

// The ball of these tests keeps its initial motion, as the tests assume. Method: 2 s at a given
// velocity and spin. Tolerance: RK4 on a circle.
#[test]
fn ball_keeps_its_motion() {
    let mut s = simulation(&ball("", "", ""));
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, -50.0),
        [0.0; 3],
        Vec3::zero(),
        Vec3::new(0.0, 0.0, 1.5),
    );
    s.advance(1000);
    let m = &s.state.robots[0].motion;
    crate::common::close_vectors("position", m.p_WB, Vec3::new(0.0, 0.0, -50.0), 1e-9);
    crate::common::aligned("attitude", &m.q_WB, &Quat::from_rpy(0.0, 0.0, 3.0), 1e-9);
}
