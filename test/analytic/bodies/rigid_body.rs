//! Tests rigid bodies under only weight.

use crate::common::{advance, close, close_vectors, relative, simulation};
use merrow_math::Vec3;

fn body(inertia: &str, spin: &str, more: &str) -> String {
    format!(
        "
gravity_m_s2: 9.81
water: {{density_kg_m3: 0}}
step: {{dt_s: 0.001}}
robots:
  top:
    angular_velocity_rad_s: {spin}
    velocity_m_s: [1, -2, 3]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 2, inertia_kg_m2: {inertia}{more}}}
"
    )
}

// A torque-free symmetric top: the transverse spin rotates at (I3 - I1) / I1 times the axial spin.
// Method: 10 s from a general initial spin. Tolerance: RK4's 1e-9.
#[test]
fn symmetric_top_precesses() {
    let mut s = simulation(&body("{xx: 0.4, yy: 0.4, zz: 0.7}", "[0.3, 0.5, 1.1]", ""));
    advance(&mut s, 10.0);
    let angle = (0.7 - 0.4) / 0.4 * 1.1 * 10.0;
    let (sn, cs) = f64::sin_cos(angle);
    let expected = Vec3::new(0.3 * cs - 0.5 * sn, 0.3 * sn + 0.5 * cs, 1.1);
    close_vectors("spin", s.state.robots[0].motion.V_WB_B.w, expected, 1e-9);
}

// A torque-free general body conserves energy and angular momentum in W, also when it flips.
// Method: spin about its intermediate axis, 20 s. Tolerance: RK4's 1e-9.
#[test]
fn tumbling_body_conserves_angular_momentum() {
    let mut s = simulation(&body(
        "{xx: 0.3, yy: 0.5, zz: 0.7, xy: 0.05}",
        "[0.01, 2, 0.02]",
        "",
    ));
    let momentum = |s: &merrow_sim::Simulation| {
        let m = &s.state.robots[0].motion;
        let h = s.scene.robots[0].links[0].rigid.A.mul_vec(m.V_WB_B.w);
        (m.q_WB.matrix().mul_vec(h), 0.5 * h.dot(m.V_WB_B.w))
    };
    let (before, energy) = momentum(&s);
    let mut turned = false;
    for _ in 0..20 {
        advance(&mut s, 1.0);
        let (now, e) = momentum(&s);
        close_vectors("angular momentum", now, before, 1e-9);
        relative("energy", e, energy, 1e-9);
        turned |= s.state.robots[0].motion.V_WB_B.w.y < 0.0;
    }
    assert!(turned, "the body did not turn over");
}

// The centre of mass of a rotating body falls on a parabola. Method: an eccentric, spinning body in
// air, 2 s. Tolerance: RK4's 1e-9.
#[test]
fn centre_of_mass_falls_on_a_parabola() {
    let text = body(
        "{xx: 0.3, yy: 0.5, zz: 0.6}",
        "[1, -2, 3]",
        ", center_of_mass_m: [0.2, -0.1, 0.3]",
    );
    let mut s = simulation(&text);
    let com = |s: &merrow_sim::Simulation| {
        let m = &s.state.robots[0].motion;
        let R = m.q_WB.matrix();
        let c = Vec3::new(0.2, -0.1, 0.3);
        (
            m.p_WB + R.mul_vec(c),
            R.mul_vec(m.V_WB_B.v + m.V_WB_B.w.cross(c)),
        )
    };
    let (p, v) = com(&s);
    advance(&mut s, 2.0);
    close_vectors(
        "centre of mass",
        com(&s).0,
        p + v.scale(2.0) - Vec3::new(0.0, 0.0, 0.5 * 9.81 * 4.0),
        1e-9,
    );
}

// Added mass has no effect in air; a body with added mass falls with g. Method: 1 s. Tolerance:
// rounding.
#[test]
fn added_mass_acts_only_in_water() {
    let more = ", added_mass: {kind: diagonal, values: [1, 2, 3, 0.1, 0.1, 0.1]}";
    let mut s = simulation(&body("{xx: 0.4, yy: 0.4, zz: 0.7}", "[0, 0, 0]", more));
    advance(&mut s, 1.0);
    close(
        "fall",
        s.state.robots[0].motion.p_WB.z,
        3.0 - 0.5 * 9.81,
        1e-12,
    );
}
