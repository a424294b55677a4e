//! A force from outside the robot.

use crate::common::simulation;
use merrow_math::{SpatialForce, Vec3};

/// A force along the world's axes on a turned body in empty space: the body is turned by 90 deg about z, so that a mistaken
/// frame shows, and neither spins nor drags. v = F t / m, exact for a constant force.
#[test]
fn an_outside_force_acts_along_the_worlds_axes() {
    let mut sim = simulation(
        "gravity_m_s2: 0\nwater: {density_kg_m3: 0}\nrobots:\n  a:\n    attitude_deg: [0, 0, 90]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 4, inertia_kg_m2: {xx: 1, yy: 2, zz: 2}}}\n",
    );
    sim.state.robots[0].external[0] = SpatialForce {
        m: Vec3::zero(),
        f: Vec3::new(8.0, 2.0, -4.0),
    };
    sim.advance(500);
    let motion = &sim.state.robots[0].motion;
    let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
    assert!((v - Vec3::new(2.0, 0.5, -1.0)).norm() < 1e-12, "{v:?}");
}
