//! Tests that Runge-Kutta keeps its order in waves: each stage uses the sea at its own time.

use crate::common::scene;
use merrow_math::Vec3;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns the position [m, W] of a submerged body after 4 s of steep waves.
fn end(steps: u64) -> Vec3 {
    let mut world = scene(
        "
water: {waves: {kind: jonswap, hs_m: 2, tp_s: 6, components: 40}}
robots:
  r:
    position_m: [0, 0, -6]
    velocity_m_s: [3, 2, 1]
    model: {source: test, body: {source: test, axes: flu, mass_kg: 20, volume_m3: 0.0195, inertia_kg_m2: {xx: 1, yy: 1, zz: 1},
      added_mass: {kind: diagonal, values: [5, 12, 20, 0.1, 0.1, 0.1]}, linear_damping: {kind: diagonal, values: [9, 9, 9, 9, 9, 9]}}}
",
    );
    world.dt_ns = 4_000_000_000 / steps;
    let mut s = Simulation::new(Arc::new(world), 1).unwrap();
    s.advance(steps);
    s.state.robots[0].motion.p_WB
}

// The error falls with the fourth power of the step. Method: 100, 200 and 400 steps compared with
// 3200. Tolerance: the ratio of two errors, 16, within 3.
#[test]
fn rk4_has_order_four_in_waves() {
    let exact = end(3200);
    let errors = [100, 200, 400].map(|n| (end(n) - exact).norm());
    for w in errors.windows(2) {
        let ratio = w[0] / w[1];
        assert!((13.0..19.0).contains(&ratio), "{errors:?}");
    }
}
