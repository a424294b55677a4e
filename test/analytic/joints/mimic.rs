//! Tests joints that mimic others: geared masses accelerate together.
//!
//! The gear is exact for both drives of its leader, and the constraint does not drift. Method:
//! closed-form solutions of two masses on one coordinate, m₁ + k² m₂; conservation of momentum and
//! energy of a gripper on a floating body. Tolerance: rounding, except for the energy: fourth order
//! at 2 ms.

use crate::common::{close, evaluate, run, scene, start};
use merrow_model::scene::Scene;

/// Returns a world with a base and two links, each on a slide or hinge, the second following the
/// first; in vacuum without weight.
fn world(base: &str, lead: &str, follow: &str, mimic: &str) -> String {
    let link = |joint: &str, mass: f64| {
        format!(
            "{{parent: base_link, joint: {joint}, body: {{source: test, axes: flu, mass_kg: {mass}, inertia_kg_m2: {{xx: 1, yy: 1, zz: 0.5}}}}}}"
        )
    };
    format!(
        "gravity_m_s2: 0
water: {{density_kg_m3: 0}}
robots:
  r:
    joint_positions: {{lead: 0.1}}
    model:
      source: test
      base: {base}
      body: {{source: test, axes: flu, mass_kg: 3, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      links:
        a: {}
        b: {}
",
        link(&format!("{{name: lead, {lead}}}"), 2.0),
        link(
            &format!("{{name: follow, {follow}, mimic: {{joint: lead, {mimic}}}}}"),
            5.0
        ),
    )
}

const SLIDE: &str = "kind: prismatic, lower_m: -9, upper_m: 9, axis: [1, 0, 0]";
const HINGE: &str = "kind: continuous, axis: [0, 0, 1]";

/// Returns the joint accelerations [m/s² or rad/s²] at the start, when `effort` [N or N m] acts on
/// the leader.
fn accelerations(scene: &Scene, effort: f64) -> Vec<f64> {
    let motion = start(scene, 0);
    let robot = &scene.robots[0];
    let mut work = merrow_model::state::Workspace::new(robot);
    let commands = [effort, 0.0];
    merrow_sim::step::Kernel::new().evaluate(
        robot,
        &crate::common::initial_environment(scene),
        &motion,
        &commands,
        &mut work,
    );
    work.qdd.clone()
}

#[test]
fn geared_slides_and_rack_and_pinion() {
    // Two masses of 2 and 5 kg, the second at -1.5 times the speed: 10 N move 2 + 2.25 * 5 kg.
    let scene_1 = scene(&world(
        "fixed",
        SLIDE,
        SLIDE,
        "multiplier: -1.5, offset: 0.3",
    ));
    let qdd = accelerations(&scene_1, 10.0);
    close("leader", qdd[0], 10.0 / (2.0 + 2.25 * 5.0), 1e-14);
    close("follower", qdd[1], -1.5 * qdd[0], 1e-15);
    assert_eq!(start(&scene_1, 0).q, [0.1, -1.5 * 0.1 + 0.3]);
    // A wheel of 0.5 kg m2 and a rack of 5 kg at 0.2 m/rad.
    let scene_2 = scene(&world("fixed", HINGE, SLIDE, "multiplier: 0.2"));
    close(
        "wheel",
        accelerations(&scene_2, 3.0)[0],
        3.0 / (0.5 + 0.04 * 5.0),
        1e-14,
    );
    // The load on a follower acts on the leader: a spring on the follower pulls the leader.
    let spring = format!("{SLIDE}, drive: {{kind: effort, stiffness: 7}}");
    let scene_3 = scene(&world("fixed", SLIDE, &spring, "multiplier: 2"));
    // At 0.2 m the spring pulls with 1.4 N, which is twice that on the leader.
    close(
        "spring",
        accelerations(&scene_3, 0.0)[0],
        -2.8 / (2.0 + 4.0 * 5.0),
        1e-14,
    );
}

#[test]
fn a_driven_leader_carries_its_follower() {
    let lead = format!("{SLIDE}, drive: {{kind: position, max_speed: 1, max_acceleration: 4}}");
    let text = world("floating", &lead, SLIDE, "multiplier: -0.5, offset: 0.25");
    let simulation = run(&text, 2.0);
    let motion = &simulation.state.robots[0].motion;
    close("held", motion.q[0], 0.1, 1e-12);
    let scene = scene(&text);
    let qdd = accelerations(&scene, 0.5);
    close("follower", qdd[1], -0.5 * qdd[0], 1e-15);
    assert!(qdd[0] > 0.0, "towards its command");
    // All along x: the base's share of the momentum, 2 q̈ - 0.5 * 5 q̈ + 10 a = 0.
    let work = {
        let robot = &scene.robots[0];
        let mut work = merrow_model::state::Workspace::new(robot);
        let motion = start(&scene, 0);
        merrow_sim::step::Kernel::new().evaluate(
            robot,
            &crate::common::initial_environment(&scene),
            &motion,
            &[0.5, 0.0],
            &mut work,
        );
        work
    };
    close(
        "base",
        work.links[0].A.v.x,
        (2.5 - 2.0) * qdd[0] / 10.0,
        1e-14,
    );
}

#[test]
fn mimic_constraint_holds_and_conserves_energy() {
    // A spring on the leader, a hinge and a slide perpendicular to each other, on a rotating
    // floating base.
    let lead = format!("{HINGE}, drive: {{kind: effort, stiffness: 3}}, position_m: [0.5, 0, 0]");
    let follow =
        "kind: prismatic, lower_m: -9, upper_m: 9, axis: [0, 1, 0], position_m: [0, 0.3, 0]";
    let text = world("floating", &lead, follow, "multiplier: 0.7, offset: -0.2").replace(
        "joint_positions: {lead: 0.1}",
        "joint_positions: {lead: 0.4}\n    angular_velocity_rad_s: [0.3, 0.2, 0.1]",
    );
    let energy = |scene: &Scene, motion: &merrow_model::state::Motion| {
        let work = evaluate(scene, motion);
        let kinetic: f64 = work
            .links
            .iter()
            .map(|l| 0.5 * l.V.dot(&l.inertia.mul(&l.V)))
            .sum();
        kinetic + 0.5 * 3.0 * motion.q[0] * motion.q[0]
    };
    let before = scene(&text);
    let first = energy(&before, &start(&before, 0));
    let simulation = run(&text, 20.0);
    let motion = &simulation.state.robots[0].motion;
    assert!(
        (motion.q[0] - 0.4).abs() > 1e-3,
        "it moves: {}",
        motion.q[0]
    );
    // Rounding of 10 000 steps.
    close("follows", motion.q[1], 0.7 * motion.q[0] - 0.2, 1e-12);
    close("rate", motion.qd[1], 0.7 * motion.qd[0], 1e-12);
    // Fourth order at 2 ms.
    close("energy", energy(&simulation.scene, motion), first, 1e-9);
}
