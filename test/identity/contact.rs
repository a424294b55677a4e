//! Tests invariants of impulses: momentum with added mass, energy at joint limits; and dry friction
//! against hand calculations.

use crate::common::physics::kinetic_energy;
use crate::common::shapes::{collider, start};
use crate::common::{advance, close, evaluate, scene};
use merrow_model::scene::{Geometry, Primitive};

/// Two balls in still water without drag collide head-on, each with its added mass: 2 kg + 1.5 kg
/// at 1.2 m/s, 5 kg + 0.5 kg at -0.4 m/s. The momentum including the added masses is conserved, and
/// the relative velocity is reversed by the restitution. Tolerance: rounding, because one contact
/// is solved exactly.
#[test]
fn submerged_balls_exchange_momentum_with_their_added_masses() {
    let body = |mass: f64, added: f64| {
        format!(
            "{{source: test, body: {{source: test, axes: flu, mass_kg: {mass}, inertia_kg_m2: {{xx: 0.02, yy: 0.02, zz: 0.02}}, \
             added_mass: {{kind: diagonal, values: [{added}, {added}, {added}, 0, 0, 0]}}, munk_moment: false}}}}"
        )
    };
    let mut world = scene(&format!(
        "gravity_m_s2: 0\nstep: {{dt_s: 0.001}}\nrobots:\n  a: {{position_m: [-0.5, 0, -9], velocity_m_s: [1.2, 0, 0], model: {}}}\n  \
         b: {{position_m: [0.5, 0, -9], velocity_m_s: [-0.4, 0, 0], model: {}}}\n",
        body(2.0, 1.5),
        body(5.0, 0.5)
    ));
    let e = 0.6;
    for robot in &mut world.robots {
        robot.colliders.push(collider(
            0,
            Geometry::Primitive(Primitive::Sphere { radius: 0.1 }),
            0.3,
            e,
        ));
    }
    let mut sim = start(world);
    advance(&mut sim, 1.0);
    let v = |r: usize| sim.state.robots[r].motion.V_WB_B.v;
    let (a, b) = (v(0), v(1));
    close(
        "momentum",
        3.5 * a.x + 5.5 * b.x,
        3.5 * 1.2 - 5.5 * 0.4,
        1e-9,
    );
    close("relative velocity", b.x - a.x, e * 1.6, 1e-9);
    assert!(a.y.abs() + a.z.abs() + b.y.abs() + b.z.abs() < 1e-12);
    // They collided after 0.8 m at 1.6 m/s, at x = 0.1 between their centres; the final positions
    // follow.
    let met = 0.5_f64;
    close(
        "place of a",
        sim.state.robots[0].motion.p_WB.x,
        -0.5 + 1.2 * met + a.x * (1.0 - met),
        1e-9,
    );
    assert_eq!(sim.state.contacts.collisions, 1);
}

const ARM: &str = "
gravity_m_s2: 9.81
water: {density_kg_m3: 0}
step: {dt_s: 0.001}
robots:
  arm:
    position_m: [0, 0, 5]
    joint_positions: {hinge: 0}
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      links:
        link:
          parent: base_link
          joint: {name: hinge, kind: revolute, axis: [0, 1, 0], lower_rad: -2, upper_rad: 1.1, friction: FRICTION}
          body: {source: test, axes: flu, mass_kg: 2, center_of_mass_m: [0.5, 0, 0], inertia_kg_m2: {xx: 0.01, yy: 0.1, zz: 0.1}}
";

/// A pendulum falls from the horizontal onto its limit 1.1 rad below. It stops there, never exceeds
/// the limit by more than the motion of a step, and its energy never increases.
#[test]
fn joint_limit_adds_no_energy() {
    let mut sim = start(scene(&ARM.replace("FRICTION", "0")));
    let energy = |sim: &merrow_sim::Simulation| {
        let motion = &sim.state.robots[0].motion;
        let work = evaluate(&sim.scene, motion);
        let height = -0.5 * motion.q[0].sin();
        kinetic_energy(&sim.scene.robots[0], motion, &work) + 2.0 * 9.81 * height
    };
    let mut last = energy(&sim);
    for _ in 0..3000 {
        sim.advance(1);
        let now = energy(&sim);
        assert!(now < last + 1e-8, "{last} to {now} J");
        last = now;
        assert!(sim.state.robots[0].motion.q[0] < 1.1 + 1e-5);
    }
    close("at the limit", sim.state.robots[0].motion.q[0], 1.1, 1e-5);
    assert!(sim.state.robots[0].motion.qd[0].abs() < 1e-9);
}

/// Dry friction decelerates a spinning joint uniformly, w = w0 - (f/I) t, and holds it at rest: no
/// creep under a load below the friction. With I = 0.1 + 2 * 0.25 = 0.6 kg m2, f = 0.3 N m and w0 =
/// 1 rad/s it stops after 2 s and 1 rad.
#[test]
fn dry_friction_decelerates_and_holds() {
    let text = ARM
        .replace("FRICTION", "0.3")
        .replace("gravity_m_s2: 9.81", "gravity_m_s2: 0")
        .replace("-2, upper_rad: 1.1", "-9, upper_rad: 9");
    let mut sim = start(scene(&text));
    sim.state.robots[0].motion.qd[0] = 1.0;
    advance(&mut sim, 1.0);
    close("half way", sim.state.robots[0].motion.qd[0], 0.5, 1e-9);
    close("half way", sim.state.robots[0].motion.q[0], 0.75, 1e-9);
    advance(&mut sim, 2.0);
    close("standing", sim.state.robots[0].motion.q[0], 1.0, 1e-6);
    let before = sim.state.robots[0].motion.q[0];
    sim.state.robots[0].joint_commands[0] = 0.29;
    advance(&mut sim, 2.0);
    assert!((sim.state.robots[0].motion.q[0] - before).abs() < 1e-12);
}
