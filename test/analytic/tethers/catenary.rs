//! Tests quasi-static lines: end forces at rest, and a moored robot.

use crate::common::worlds::tethered;
use crate::common::{close_vectors, relative, simulation};
use merrow_math::Vec3;
use merrow_physics::forces::lines::catenary::{CatenarySolution, Span};

// The end forces balance the weight of the line in water, for a line heavier and one lighter than
// water, with either end up. Method: ends at rest. Tolerance: rounding.
#[test]
fn end_forces_balance_line_weight() {
    for (mass, from, to) in [
        (1.2, -20.0, -10.0),
        (1.2, -10.0, -20.0),
        (0.1, -20.0, -10.0),
        (0.1, -10.0, -10.0),
    ] {
        let mut sim = tethered(
            "water: {density_kg_m3: 1000}\nseabed: {depth_m: 500}",
            &format!("diameter_m: 0.02, mass_kg_per_m: {mass}, axial_stiffness_n: 20000"),
            &format!(
                "from: {{kind: world, position_m: [0, 0, {from}]}}\nto: {{kind: world, position_m: [24, 32, {to}]}}\nlength_m: 60\nmethod: catenary"
            ),
        );
        sim.advance(1);
        let state = &sim.state.tethers[0];
        let weight = sim.scene.tethers[0].line.weight_in_water(1000.0, 9.81) * 60.0;
        close_vectors(
            "sum of the pulls",
            state.end_force[0] + state.end_force[1],
            Vec3::new(0.0, 0.0, -weight),
            1e-9,
        );
        close_vectors("last node", state.p[20], Vec3::new(24.0, 32.0, to), 1e-8);
        close_vectors("first node", state.p[0], Vec3::new(0.0, 0.0, from), 1e-8);
        assert!(state.end_force[0].x > 0.0 && state.end_force[1].x < 0.0);
    }
}

// Lines have the gravity of the world. Method: a line between fixed ends at 3.7 m/s², both methods,
// at rest; the sum of the end forces compared with the weight in water. Tolerance: 1e-6.
#[test]
fn line_weight_follows_gravity() {
    for (method, steps) in [("catenary", 1), ("lumped", 20_000)] {
        let mut sim = tethered(
            "step: {dt_s: 0.01}\ngravity_m_s2: 3.7\nwater: {density_kg_m3: 1000}\nseabed: {depth_m: 500}",
            "diameter_m: 0.02, mass_kg_per_m: 1.2, axial_stiffness_n: 20000, axial_damping_n_s: 2000, normal_drag: 100, tangential_drag: 10",
            &format!(
                "from: {{kind: world, position_m: [0, 0, -20]}}\nto: {{kind: world, position_m: [24, 32, -10]}}\nlength_m: 60\nmethod: {method}"
            ),
        );
        sim.advance(steps);
        let forces = sim.state.tethers[0].end_force;
        let area = 0.25 * std::f64::consts::PI * 0.02 * 0.02;
        let weight = (1.2 - 1000.0 * area) * 60.0 * 3.7;
        relative(method, -(forces[0] + forces[1]).z, weight, 1e-6);
    }
}

// A buoy on a slack chain under a steady force moves to the offset at which the closed solution has
// that force. Method: a submerged buoy of 200 kg whose net lift is only its own, with the drag in a
// current of 0.5 m/s as the force; a chain with touch-down. Tolerance: 1e-6: the reference is the
// same closed-form solution, so this checks coupling and signs.
#[test]
fn moored_robot_reaches_closed_form_offset() {
    let mut sim = simulation(
        "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000, current: {kind: uniform, speed_m_s: 0.5, direction_deg: 90}}\nseabed: {depth_m: 50}\nrobots:\n  buoy:\n    position_m: [30, 0, -10]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 200, inertia_kg_m2: {xx: 20, yy: 20, zz: 20}, net_buoyancy_n: 500, quadratic_damping: {kind: diagonal, values: [400, 400, 400, 9, 9, 9]}, linear_damping: {kind: diagonal, values: [0, 0, 300, 90, 90, 90]}}}\ntethers:\n  chain:\n    line: {source: test, diameter_m: 0.02, mass_kg_per_m: 3, axial_stiffness_n: 1e+6, seabed_friction: 0}\n    from: {kind: seabed, position_m: [0, 0]}\n    to: {kind: robot, robot: buoy}\n    length_m: 60\n    method: catenary\n",
    );
    sim.advance(60_000);
    let p = sim.state.robots[0].motion.p_WB;
    let weight = sim.scene.tethers[0].line.weight_in_water(1000.0, 9.81);
    let hanging = CatenarySolution {
        H: 400.0 * 0.25,
        V: 500.0,
        flexibility: [[0.0; 2]; 2],
    };
    let span = Span {
        x: 0.0,
        z: 0.0,
        length: 60.0,
        weight,
        stiffness: 1e6,
        seabed_friction: Some(0.0),
    };
    let [x, z] = span.point(&hanging, 60.0);
    println!(
        "{p:?}, closed {x} {}; lying {}",
        z - 50.0,
        span.length_on_seabed(500.0)
    );
    relative("offset", p.x, x, 1e-6);
    relative("height", p.z, z - 50.0, 1e-6);
    assert!(span.length_on_seabed(500.0) > 10.0);
}
