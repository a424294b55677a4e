//! Tests bodies in moving water.

use crate::common::{advance, close, close_vectors, simulation};
use merrow_math::Vec3;

/// Returns a neutral body with very unequal added mass and drag in a current of 0.5 m/s to the
/// north-east that rises at 0.1 m/s.
fn drifter(start: &str) -> String {
    format!(
        "
water: {{current: {{kind: uniform, speed_m_s: 0.5, direction_deg: 45, up_m_s: 0.1}}}}
robots:
  drifter:
    position_m: [0, 0, -80]
    {start}
    model:
      source: test
      body:
        {{source: test, axes: flu, mass_kg: 12, inertia_kg_m2: {{xx: 1, yy: 2, zz: 3}}, net_buoyancy_n: 0,
        added_mass: {{kind: diagonal, values: [2, 20, 30, 0, 3, 4]}},
        linear_damping: {{kind: diagonal, values: [5, 50, 70, 0, 0, 0]}},
        quadratic_damping: {{kind: diagonal, values: [10, 100, 200, 0, 0, 0]}}}}
"
    )
}

fn water() -> Vec3 {
    let c = 0.5 * std::f64::consts::FRAC_1_SQRT_2;
    Vec3::new(c, c, 0.1)
}

// V45: a neutral body that starts at rest reaches the velocity of the water. Method: 60 s in an
// oblique attitude. Tolerance: 1e-5; linear drag and inertia finally leave exp(-5/14 * 60) of the
// slip.
#[test]
fn neutral_body_reaches_water_velocity() {
    let mut s = simulation(&drifter("attitude_deg: [10, 20, 100]"));
    advance(&mut s, 60.0);
    let m = &s.state.robots[0].motion;
    close_vectors(
        "velocity",
        m.q_WB.matrix().mul_vec(m.V_WB_B.v),
        water(),
        1e-5,
    );
}

// V45: a body that moves with the water while it turns at a constant rate experiences no force,
// although the water velocity rotates in its own frame. Method: heading rate 0.4 rad/s, 30 s.
// Tolerance: 1e-9 of the distance; spurious added-mass terms would be of order 1.
#[test]
fn turning_body_moving_with_water_has_no_force() {
    let R = merrow_math::Mat3::from_rpy(0.0, 0.0, 0.3);
    let v = R.tr_mul_vec(water());
    let start = format!(
        "attitude_deg: [0, 0, {}]\n    velocity_m_s: [{}, {}, {}]\n    angular_velocity_rad_s: [0, 0, 0.4]",
        0.3_f64.to_degrees(),
        v.x,
        v.y,
        v.z
    );
    let mut s = simulation(&drifter(&start));
    advance(&mut s, 30.0);
    let m = &s.state.robots[0].motion;
    close_vectors(
        "position",
        m.p_WB,
        water().scale(30.0) + Vec3::new(0.0, 0.0, -80.0),
        1e-9,
    );
    close_vectors("spin", m.V_WB_B.w, Vec3::new(0.0, 0.0, 0.4), 1e-9);
    close(
        "heading",
        m.q_WB.matrix().to_rpy()[2],
        0.3 + 0.4 * 30.0 - 4.0 * std::f64::consts::PI,
        1e-9,
    );
}

// The direction of the current is the direction to which the water flows, clockwise from north.
// Method: four directions. Tolerance: rounding.
#[test]
fn current_direction_is_towards_flow() {
    for (deg, expected) in [
        (0.0, [0.0, 1.0]),
        (90.0, [1.0, 0.0]),
        (180.0, [0.0, -1.0]),
        (-90.0, [-1.0, 0.0]),
    ] {
        let v = merrow_world::build::horizontal_velocity(1.0, deg);
        close_vectors(
            &format!("{deg} deg"),
            v,
            Vec3::new(expected[0], expected[1], 0.0),
            1e-15,
        );
    }
}

// In layered water a body reaches the velocity at its own depth. Method: two bodies, between and
// below two layers. Tolerance: 1e-6 after 100 s.
#[test]
fn layered_current_uses_velocity_at_depth() {
    for (depth, expected) in [(15.0, 0.3), (40.0, 0.2)] {
        let mut s = simulation(&format!(
            "
water: {{current: {{kind: profile, layers: [{{depth_m: 10, speed_m_s: 0.4}}, {{depth_m: 20, speed_m_s: 0.2}}]}}}}
robots:
  drifter:
    position_m: [0, 0, -{depth}]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 12, inertia_kg_m2: {{xx: 1, yy: 2, zz: 3}}, net_buoyancy_n: 0,
        linear_damping: {{kind: diagonal, values: [5, 5, 5, 1, 1, 1]}}}}
"
        ));
        advance(&mut s, 100.0);
        close_vectors(
            &format!("{depth} m"),
            s.state.robots[0].motion.V_WB_B.v,
            Vec3::new(0.0, expected, 0.0),
            1e-6,
        );
    }
}
