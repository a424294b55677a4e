//! Tests lines in moving water against closed-form solutions.

use crate::common::worlds::tethered;
use crate::common::{close, relative};
use std::f64::consts::PI;

// A heavy line with a free lower end, towed or in a uniform current, is straight at the critical
// angle φ to the flow, where w cos φ = ½ ρ C_n d U² sin² φ. Its tension is the tension of its
// weight and tangential drag along it [Berteaux 1976]. Method: 100 m of line in a current of 1 m/s,
// after 1000 s; the angle of every segment, and the top tension. Tolerance: 1e-4 rad and 1e-4: drag
// along nodes is exact for a straight line; the residual is the remaining motion.
#[test]
fn towed_line_has_critical_angle() {
    let mut sim = tethered(
        "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000, current: {kind: uniform, speed_m_s: 1, direction_deg: 90}}\nseabed: {depth_m: 500}",
        "diameter_m: 0.02, mass_kg_per_m: 1.2, axial_stiffness_n: 1e+6, axial_damping_n_s: 1e+4, normal_drag: 1.2, tangential_drag: 0.02",
        "from: {kind: world, position_m: [0, 0, -1]}\nto: {kind: free, position_m: [70, 0, -71]}\nlength_m: 100\nsegments: 25",
    );
    sim.advance(100_000);
    let weight = (1.2 - 1000.0 * 0.25 * PI * 4e-4) * 9.81;
    let drag = 0.5 * 1000.0 * 1.2 * 0.02;
    // w cos φ = drag (1 - cos² φ).
    let cos = (-weight + (weight * weight + 4.0 * drag * drag).sqrt()) / (2.0 * drag);
    let phi = cos.acos();
    let state = &sim.state.tethers[0];
    for pair in state.p.windows(2) {
        let d = pair[1] - pair[0];
        close("critical angle", (-d.z).atan2(d.x), phi, 1e-4);
    }
    let along = 0.5 * 1000.0 * PI * 0.02 * 0.02 * cos * cos;
    let tension = 100.0 * (weight * phi.sin() + along);
    println!(
        "critical angle {} deg, tension {tension} {:?}",
        phi.to_degrees(),
        state.end_tensions()
    );
    relative("top tension", state.end_tensions()[0], tension, 1e-4);
}

// A neutrally buoyant line across a current takes the shape of a parabola downstream, sag = q D²/(8
// T), under a load q = ½ ρ C_n d U² per metre. Method: 20 m between two points, pretensioned, with
// a small sag, so that the load acts across the chord. Tolerance: 2 %: where the line slopes the
// load across it falls with cos², 0.9 %, and acts on the unstretched 19.9 m, 0.9 %.
#[test]
fn a_line_across_a_current_is_a_parabola() {
    let mut sim = tethered(
        "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000, current: {kind: uniform, speed_m_s: 0.5, direction_deg: 0}}\nseabed: {depth_m: 500}",
        "diameter_m: 0.01, mass_kg_per_m: 0.0785398, axial_stiffness_n: 10000, normal_drag: 1.2",
        "from: {kind: world, position_m: [0, 0, -10]}\nto: {kind: world, position_m: [20, 0, -10]}\nlength_m: 19.9\nsegments: 40",
    );
    sim.advance(10_000);
    let state = &sim.state.tethers[0];
    let load = 0.5 * 1000.0 * 1.2 * 0.01 * 0.25;
    let horizontal = state.end_force[0].x;
    let sag = load * 400.0 / (8.0 * horizontal);
    println!("sag {} {sag}, tension {horizontal}", state.p[20].y);
    relative("sag", state.p[20].y, sag, 0.02);
    relative(
        "load",
        (state.end_force[0].y + state.end_force[1].y) / 20.0,
        load,
        0.02,
    );
    assert!(state.p.iter().all(|p| (p.z + 10.0).abs() < 1e-3));
}

// A falling line reaches its terminal speed, √(2 w/(ρ C_n d)) when horizontal and √(2 w/(ρ π C_t
// d)) when vertical. Method: both ends free, after 60 s. Tolerance: 1e-6; the approach is
// exponential.
#[test]
fn free_line_falls_at_terminal_speed() {
    for (to, coefficient) in [("[10, 0, -10]", 1.2), ("[0, 0, -20]", PI * 0.05)] {
        let mut sim = tethered(
            "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000}\nseabed: {depth_m: 5000}",
            "diameter_m: 0.01, mass_kg_per_m: 0.2, axial_stiffness_n: 1e+5, axial_damping_n_s: 1000, tangential_drag: 0.05",
            &format!(
                "from: {{kind: free, position_m: [0, 0, -10]}}\nto: {{kind: free, position_m: {to}}}\nlength_m: 10\nsegments: 20"
            ),
        );
        sim.advance(6000);
        let weight = (0.2 - 1000.0 * 0.25 * PI * 1e-4) * 9.81;
        let speed = (2.0 * weight / (1000.0 * coefficient * 0.01)).sqrt();
        for v in &sim.state.tethers[0].v {
            relative("speed", -v.z, speed, 1e-6);
        }
    }
}

// Each part of the line is loaded by the current at its own depth. Method: a light vertical line
// through a current profile whose first half is still water; the load is half of that with current
// over the whole line. Tolerance: 2 %: the taut line deviates slightly from the vertical.
#[test]
fn line_nodes_use_current_at_their_depth() {
    let world = |layers: &str| {
        format!(
            "step: {{dt_s: 0.01}}\nwater: {{density_kg_m3: 1000, current: {{kind: profile, layers: {layers}}}}}\nseabed: {{depth_m: 500}}"
        )
    };
    let total = |layers: &str| {
        let mut sim = tethered(
            &world(layers),
            "diameter_m: 0.01, mass_kg_per_m: 0.0785398, axial_stiffness_n: 1e+5",
            "from: {kind: world, position_m: [0, 0, -5]}\nto: {kind: world, position_m: [0, 0, -25]}\nlength_m: 19.9\nsegments: 40",
        );
        sim.advance(3000);
        let state = &sim.state.tethers[0];
        state.end_force[0].y + state.end_force[1].y
    };
    let all = total("[{depth_m: 0, speed_m_s: 0.5}]");
    let half = total("[{depth_m: 14.999, speed_m_s: 0}, {depth_m: 15.001, speed_m_s: 0.5}]");
    relative("load", all, 0.5 * 1000.0 * 1.2 * 0.01 * 0.25 * 20.0, 0.02);
    // The node at the edge is in half the current: a quarter of its load.
    relative("half the load", half, 0.5 * all, 0.03);
}

// A floating line rests at the surface. Method: a line lighter than water with free ends, released
// 5 m deep. After 60 s its wetted part carries it, s = m/(ρ A), z = d (½ - s). Tolerance: 1e-4 m of
// a diameter of 20 mm.
#[test]
fn a_light_line_floats() {
    let mut sim = tethered(
        "step: {dt_s: 0.005}\nwater: {density_kg_m3: 1000}",
        "diameter_m: 0.02, mass_kg_per_m: 0.22, axial_stiffness_n: 1e+5, axial_damping_n_s: 1000",
        "from: {kind: free, position_m: [0, 0, -5]}\nto: {kind: free, position_m: [10, 0, -5]}\nlength_m: 10\nsegments: 10",
    );
    sim.advance(12_000);
    let wet = 0.22 / (1000.0 * 0.25 * PI * 4e-4);
    for p in &sim.state.tethers[0].p {
        assert!((p.z - 0.02 * (0.5 - wet)).abs() < 1e-4, "{}", p.z);
    }
}
