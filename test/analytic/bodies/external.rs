//! Tests external forces on a robot.

use crate::common::simulation;
use merrow_math::{SpatialForce, Vec3};

/// A force along the world axes acts on a body in empty space. The body is rotated by 90 deg about
/// z, so that a wrong frame is detected, and has neither spin nor drag. v = F t / m is exact for a
/// constant force.
#[test]
fn external_force_acts_along_world_axes() {
    let mut sim = simulation(
        "gravity_m_s2: 0\nwater: {density_kg_m3: 0}\nrobots:\n  a:\n    attitude_deg: [0, 0, 90]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 4, inertia_kg_m2: {xx: 1, yy: 2, zz: 2}}}\n",
    );
    sim.state.robots[0].external_force[0] = SpatialForce {
        m: Vec3::zero(),
        f: Vec3::new(8.0, 2.0, -4.0),
    };
    sim.advance(500);
    let motion = &sim.state.robots[0].motion;
    let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v);
    assert!((v - Vec3::new(2.0, 0.5, -1.0)).norm() < 1e-12, "{v:?}");
}
