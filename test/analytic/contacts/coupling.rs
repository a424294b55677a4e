//! Tests couplings against closed-form solutions, and against the same bodies built as one robot.

use crate::common::{advance, aligned, close, close_vectors, period, relative, scene, simulation};
use merrow_math::Vec3;
use merrow_model::kinematics::coupling::end_motion;
use merrow_model::state::Command;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Returns the entry of a robot in air: mass [kg], inertia about the centre of mass [kg m²], then
/// further keys of the entry and of the body.
fn entry(name: &str, mass: f64, [x, y, z]: [f64; 3], place: &str, more: &str) -> String {
    format!(
        "  {name}:\n    {place}\n    model: {{source: test, body: {{source: test, axes: flu, mass_kg: {mass}, \
         inertia_kg_m2: {{xx: {x}, yy: {y}, zz: {z}}}{more}}}}}\n"
    )
}

fn air(dt: f64, gravity: f64) -> String {
    format!("step: {{dt_s: {dt}}}\ngravity_m_s2: {gravity}\nwater: {{density_kg_m3: 0}}\nrobots:\n")
}

const WELDED: &str =
    "couplings: {joint: {kind: weld, a: {robot: a, position_m: [0.2, 0, 0]}, b: {robot: b}}}\n";

/// Returns two tumbling halves that are welded together and, as robot 2, the equivalent single
/// body.
fn halves(dt: f64) -> String {
    let (ma, mb, r) = (2.0, 3.0, Vec3::new(0.5, 0.1, -0.2));
    let (ia, ib) = ([0.05, 0.08, 0.1], [0.2, 0.1, 0.15]);
    let com = r.scale(mb / (ma + mb));
    let mu = ma * mb / (ma + mb);
    let sum: [f64; 3] = std::array::from_fn(|i| {
        let across = r.dot(r) - r.to_array()[i] * r.to_array()[i];
        ia[i] + ib[i] + mu * across
    });
    let (w, v) = (Vec3::new(0.8, -0.5, 1.1), Vec3::new(0.1, 0.2, -0.1));
    let vb = v + w.cross(r);
    let at = |p: Vec3, v: Vec3| {
        format!(
            "position_m: {:?}\n    velocity_m_s: {:?}\n    angular_velocity_rad_s: {:?}",
            p.to_array(),
            v.to_array(),
            w.to_array()
        )
    };
    let whole = format!(
        ", center_of_mass_m: {:?}, inertia_kg_m2: {{xx: {}, yy: {}, zz: {}, xy: {}, xz: {}, yz: {}}}",
        com.to_array(),
        sum[0],
        sum[1],
        sum[2],
        -mu * r.x * r.y,
        -mu * r.x * r.z,
        -mu * r.y * r.z
    );
    let one = format!(
        "  whole:\n    {}\n    model: {{source: test, body: {{source: test, axes: flu, mass_kg: {}{whole}}}}}\n",
        at(Vec3::new(0.0, 50.0, 0.0), v),
        ma + mb
    );
    air(dt, 9.81)
        + &entry("a", ma, ia, &at(Vec3::zero(), v), "")
        + &entry("b", mb, ib, &at(r, vb), "")
        + &one
        + WELDED
}

/// Returns the maximum distance [m] between the welded half and the single body in three seconds.
fn max_separation(dt: f64) -> f64 {
    let mut s = simulation(&halves(dt));
    let mut worst = 0.0_f64;
    for _ in 0..30 {
        advance(&mut s, 0.1);
        let p = |r: usize| s.state.robots[r].motion.p_WB;
        worst = worst.max((p(0) - p(2) + Vec3::new(0.0, 50.0, 0.0)).norm());
    }
    aligned(
        "attitude",
        &s.state.robots[0].motion.q_WB,
        &s.state.robots[2].motion.q_WB,
        20.0 * worst + 1e-9,
    );
    worst
}

// A weld makes two bodies one. Method: two halves tumble and fall next to the body with their
// combined inertia. Tolerance: 1e-6 m over 3 s, and second order in the step, because the force of
// the previous step is applied.
#[test]
fn welded_halves_are_one_body() {
    let (coarse, fine) = (max_separation(2e-3), max_separation(1e-3));
    assert!(
        max_separation(2.5e-4) < 1e-6,
        "{:e}, {coarse:e} with 2 ms",
        max_separation(2.5e-4)
    );
    assert!(
        coarse / fine > 3.4,
        "{coarse:e} with 2 ms, {fine:e} with 1 ms"
    );
}

// Coupled bodies conserve momentum, and the weld does not drift. Method: the halves without gravity
// for 60 s. Tolerance: linear momentum to 1e-9 (measured: 2e-10; the halves rotate equally except
// for the gap); the positions of the ends to 1e-7 m, by which one step can separate them.
#[test]
fn weld_conserves_momentum_and_does_not_drift() {
    let mut world = scene(&halves(0.002));
    world.gravity = 0.0;
    let mut s = Simulation::new(Arc::new(world), 1).unwrap();
    let momentum = |s: &Simulation| {
        let one = |r: usize, m: f64| {
            let motion = &s.state.robots[r].motion;
            motion.q_WB.matrix().mul_vec(motion.V_WB_B.v).scale(m)
        };
        one(0, 2.0) + one(1, 3.0)
    };
    let before = momentum(&s);
    advance(&mut s, 60.0);
    close_vectors("momentum", momentum(&s), before, 1e-9);
    let c = &s.scene.couplings[0];
    let [a, b] = [c.a, c.b.unwrap()].map(|end| end_motion(&s.scene, &s.state, &end));
    close_vectors("ends", a.p_W, b.p_W, 1e-7 / a.p_W.norm());
}

/// Returns the angle [rad] of a body that swings about y, at every step.
fn swing(s: &mut Simulation, robot: usize, seconds: f64) -> Vec<f64> {
    let steps = (seconds / s.scene.dt()).round() as usize;
    (0..steps)
        .map(|_| {
            s.advance(1);
            let q = s.state.robots[robot].motion.q_WB;
            2.0 * q.y.atan2(q.w)
        })
        .collect()
}

// A body hinged to the world is a compound pendulum. Method: a bar released at 0.5 rad, with the
// hinge along y, 0.4 m above its centre. Closed solution: T = 2π √(I/(m g d)) / agm(1, cos(a/2)).
// Tolerance: 1e-6 with steps of 1 ms.
#[test]
fn a_hinged_body_is_a_compound_pendulum() {
    let (m, iyy, d, amplitude) = (3.0, 0.2, 0.4, 0.5_f64);
    // Rotated about its hinge at the origin by the amplitude: the centre is at (-d sin a, -d cos
    // a).
    let place = format!(
        "position_m: [{}, 0, {}]\n    attitude_deg: [0, {}, 0]",
        -d * amplitude.sin(),
        -d * amplitude.cos(),
        amplitude.to_degrees()
    );
    let hinge = format!(
        "couplings: {{h: {{kind: hinge, a: {{robot: bar, position_m: [0, 0, {d}], attitude_deg: [90, 0, 0]}}, b: {{}}}}}}\n"
    );
    let mut s =
        simulation(&(air(0.001, 9.81) + &entry("bar", m, [0.3, iyy, 0.25], &place, "") + &hinge));
    let angles = swing(&mut s, 0, 12.0);
    let (mut a, mut g) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let expected = 2.0 * std::f64::consts::PI * ((iyy + m * d * d) / (m * 9.81 * d)).sqrt() / a;
    relative("period", period(0.001, &angles), expected, 1e-6);
    let highest = angles
        .iter()
        .rev()
        .take(2000)
        .fold(0.0_f64, |x, a| x.max(a.abs()));
    close("amplitude after six swings", highest, amplitude, 1e-5);
}

/// Returns a double pendulum of two robots on hinges and, next to it, the same pendulum as one
/// robot of two links.
fn double(dt: f64, q: [f64; 2]) -> String {
    let (d, l) = (0.4, 0.9);
    let total = q[0] + q[1];
    let along = |a: f64, r: f64| Vec3::new(-r * a.sin(), 0.0, -r * a.cos());
    let (p1, p2) = (along(q[0], d), along(q[0], l) + along(total, d));
    let place = |p: Vec3, a: f64| {
        format!(
            "position_m: {:?}\n    attitude_deg: [0, {}, 0]",
            p.to_array(),
            a.to_degrees()
        )
    };
    let tree = format!(
        "  tree:
    position_m: [0, 20, 0]
    joint_positions: {{one_joint: {}, two_joint: {}}}
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      links:
        one: {{parent: base_link, joint: {{kind: continuous, axis: [0, 1, 0]}}, body: {{source: test, axes: flu, \
          mass_kg: 3, center_of_mass_m: [0, 0, -{d}], inertia_kg_m2: {{xx: 0.3, yy: 0.2, zz: 0.25}}}}}}
        two: {{parent: one, joint: {{kind: continuous, axis: [0, 1, 0], position_m: [0, 0, -{l}]}}, body: {{source: test, \
          axes: flu, mass_kg: 2, center_of_mass_m: [0, 0, -{d}], inertia_kg_m2: {{xx: 0.3, yy: 0.1, zz: 0.25}}}}}}
",
        q[0], q[1]
    );
    let hinges = format!(
        "couplings:
  upper: {{kind: hinge, a: {{robot: one, position_m: [0, 0, {d}], attitude_deg: [90, 0, 0]}}, b: {{}}}}
  lower: {{kind: hinge, a: {{robot: two, position_m: [0, 0, {d}], attitude_deg: [90, 0, 0]}}, b: {{robot: one}}}}
"
    );
    air(dt, 9.81)
        + &entry("one", 3.0, [0.3, 0.2, 0.25], &place(p1, q[0]), "")
        + &entry("two", 2.0, [0.3, 0.1, 0.25], &place(p2, total), "")
        + &tree
        + &hinges
}

// Hinges between robots are equivalent to the joints of a tree. Method: a double pendulum released
// at 0.6 and 0.4 rad, as two robots on hinges and as one robot. Tolerance: 2e-5 m after 4 s with 1
// ms; a quarter of the error with half the step.
#[test]
fn hinged_robots_are_a_double_pendulum() {
    let error = |dt: f64| {
        let mut s = simulation(&double(dt, [0.6, 0.4]));
        advance(&mut s, 4.0);
        let tree = &s.state.robots[2].motion.q;
        let q = s.state.robots[0].motion.q_WB;
        (2.0 * q.y.atan2(q.w) - tree[0]).abs()
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    assert!(fine < 2e-5, "{fine:e} rad");
    assert!(
        coarse / fine > 3.0,
        "{coarse:e} with 2 ms, {fine:e} with 1 ms"
    );
}

// The slow mode of that double pendulum. Method: started in the shape of the mode with 0.004 rad.
// The closed-form solution is the smaller root of det(K - ω² M) with M and K about rest. Tolerance:
// 3e-6, of which the amplitude contributes a²/16, 1e-6.
#[test]
fn double_pendulum_slow_mode_period() {
    let (d, l, g) = (0.4_f64, 0.9, 9.81);
    let (m1, m2, i1, i2) = (3.0, 2.0, 0.2, 0.1);
    // In absolute angles.
    let (a, b, c) = (i1 + m1 * d * d + m2 * l * l, m2 * l * d, i2 + m2 * d * d);
    let (k1, k2) = ((m1 * d + m2 * l) * g, m2 * d * g);
    let (qa, qb, qc) = (a * c - b * b, -(a * k2 + c * k1), k1 * k2);
    let w2 = (-qb - (qb * qb - 4.0 * qa * qc).sqrt()) / (2.0 * qa);
    let shape = (k1 - w2 * a) / (w2 * b);
    let first = 0.004;
    let mut s = simulation(&double(0.001, [first, first * (shape - 1.0)]));
    let angles = swing(&mut s, 0, 12.0);
    relative(
        "period",
        period(0.001, &angles),
        2.0 * std::f64::consts::PI / w2.sqrt(),
        3e-6,
    );
}

// A body on a slide fixed to the world accelerates along it with g sin a. Method: a rail 30 degrees
// below the horizon, two seconds. Tolerance: rounding, because the acceleration is constant and the
// step mean is therefore exact.
#[test]
fn a_body_falls_along_its_slide() {
    let slide =
        "couplings: {s: {kind: slide, a: {attitude_deg: [0, 120, 0]}, b: {robot: block}}}\n";
    let mut s = simulation(
        &(air(0.002, 9.81)
            + &entry("block", 4.0, [0.1, 0.2, 0.3], "position_m: [0, 0, 0]", "")
            + slide),
    );
    advance(&mut s, 2.0);
    let angle = 30_f64.to_radians();
    let way = 0.5 * 9.81 * angle.sin() * 4.0;
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(way * angle.cos(), 0.0, -way * angle.sin()),
        1e-9,
    );
}

// A body on a ball joint precesses as a symmetric top without spin: Ω² (I - I_a) cos θ = m g d.
// Method: started in steady precession at 0.5 rad, compared with its expected position after three
// turns. Tolerance: 1e-5 of the arm.
#[test]
fn a_body_on_a_ball_joint_precesses() {
    let (m, across, axial, d, tilt) = (2.0, 0.1, 0.03, 0.6, 0.5_f64);
    let rate = (m * 9.81 * d / ((across + m * d * d - axial) * tilt.cos())).sqrt();
    let (s, c) = tilt.sin_cos();
    // The body's z axis is tilted about y, so the vertical is (-sin, 0, cos) in the body frame; the
    // pivot at the origin is d above.
    let place = format!(
        "position_m: [{}, 0, {}]\n    attitude_deg: [0, {}, 0]\n    velocity_m_s: [0, {}, 0]\n    angular_velocity_rad_s: [{}, 0, {}]",
        -d * s,
        -d * c,
        tilt.to_degrees(),
        -rate * d * s,
        -rate * s,
        rate * c
    );
    let ball = format!(
        "couplings: {{j: {{kind: ball, a: {{robot: bob, position_m: [0, 0, {d}]}}, b: {{}}}}}}\n"
    );
    let turn = 2.0 * std::f64::consts::PI / rate;
    let dt = 0.001;
    let mut sim = simulation(
        &(air(dt, 9.81) + &entry("bob", m, [across, across, axial], &place, "") + &ball),
    );
    let start = sim.state.robots[0].motion.p_WB;
    let steps = (3.0 * turn / dt).floor();
    sim.advance(steps as u64);
    let left = rate * (3.0 * turn - steps * dt);
    let (s, c) = (-left).sin_cos();
    let expected = Vec3::new(start.x * c, start.x * s, start.z);
    close_vectors(
        "after three turns",
        sim.state.robots[0].motion.p_WB,
        expected,
        1e-5,
    );
}

// A coupling breaks at its strength and not below. Method: a body of 2 kg hangs from the world on a
// ball joint of 19 and of 20 N; it weighs 19.62 N.
#[test]
fn a_coupling_breaks_at_its_strength() {
    for (strength, holds) in [(20.0, true), (19.0, false)] {
        let ball = format!(
            "couplings: {{j: {{kind: ball, break_force_n: {strength}, a: {{robot: bob}}, b: {{}}}}}}\n"
        );
        let mut s = simulation(
            &(air(0.002, 9.81) + &entry("bob", 2.0, [1.0; 3], "position_m: [0, 0, 0]", "") + &ball),
        );
        advance(&mut s, 1.0);
        assert_eq!(s.state.couplings[0].engaged, holds, "{strength} N");
        let fallen = if holds { 0.0 } else { -0.5 * 9.81 };
        close("height", s.state.robots[0].motion.p_WB.z, fallen, 0.03);
        if holds {
            close_vectors(
                "force",
                s.state.couplings[0].force_W,
                Vec3::new(0.0, 0.0, -19.62),
                1e-9,
            );
        }
    }
}

// A released drop weight takes only its own momentum; then the vehicle rises. Method: a neutral
// pair of a buoyant vehicle and a weight sinks at 0.2 m/s and is released. Tolerance: momentum to
// rounding across the release.
#[test]
fn vehicle_rises_after_drop_weight_release() {
    let text = "
robots:
  glider:
    position_m: [0, 0, -50]
    velocity_m_s: [0.3, 0, -0.2]
    model: {source: test, body: {source: test, axes: flu, mass_kg: 100, net_buoyancy_n: 50, \
      inertia_kg_m2: {xx: 5, yy: 9, zz: 9}, quadratic_damping: {kind: diagonal, values: [50, 200, 200, 20, 50, 50]}, \
      added_mass: {kind: diagonal, values: [10, 90, 90, 1, 5, 5]}, center_of_buoyancy_m: [0, 0, 0.05]}}
props:
  weight:
    position_m: [0, 0, -50.3]
    velocity_m_s: [0.3, 0, -0.2]
    body: {source: test, axes: flu, mass_kg: 8, net_buoyancy_n: -70, inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}, \
      quadratic_damping: {kind: diagonal, values: [8, 8, 8, 0, 0, 0]}, collisions: {ball: {kind: sphere, radius_m: 0.05}}}
couplings: {ballast: {kind: weld, a: {robot: glider}, b: {robot: weight}}}
";
    let mut s = simulation(text);
    advance(&mut s, 5.0);
    let sinks = s.state.robots[0].motion.V_WB_B.v.z;
    assert!(sinks < -0.05, "{sinks}");
    let velocities = |s: &Simulation| [0, 1].map(|r| s.state.robots[r].motion.V_WB_B);
    let before = velocities(&s);
    s.apply(&Command::SetCoupling {
        coupling: 0,
        engage: false,
        partner: None,
    })
    .unwrap();
    assert_eq!(velocities(&s), before, "the release changes no velocity");
    let h = s.scene.dt();
    s.advance(1);
    // In the step after the release only weight, buoyancy and drag act, bounded by 8 kg at (70 +
    // drag) N.
    let jump = (s.state.robots[1].motion.V_WB_B.v - before[1].v).norm();
    assert!(jump < 1.2 * 70.0 / 8.0 * h, "{jump} m/s in a step");
    advance(&mut s, 10.0);
    let [glider, weight] = velocities(&s);
    assert!(glider.v.z > 0.2, "the vehicle rises: {}", glider.v.z);
    assert!(weight.v.z < -1.0, "the weight sinks: {}", weight.v.z);
}

// An accelerometer on a welded body measures the same as on the single body. Method: the halves of
// the tumble test carry an IMU each at the same position. Tolerance: the force is the mean of the
// last step: 1e-3 of 10 m/s2.
#[test]
fn an_imu_on_a_welded_half_reads_the_whole_body() {
    let text = halves(0.001);
    let imu = "sensors: {imu: {device: {source: test, kind: imu, rate_hz: 500}}}";
    let with = text.replace(
        "model: {source: test,",
        &format!("model: {{source: test, {imu},"),
    );
    let mut s = simulation(&with);
    advance(&mut s, 0.5);
    let read = |r: usize| {
        s.runners[r]
            .outbox
            .iter()
            .rev()
            .find_map(|d| match d.stamped.reading {
                merrow_model::state::reading::Reading::Imu(r) => Some(r.linear_acceleration),
                _ => None,
            })
    };
    let (half, whole) = (read(0).unwrap(), read(2).unwrap());
    close_vectors("specific force", half, whole, 2e-3);
}
