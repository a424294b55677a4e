//! Tests lines between fixed ends against closed-form solutions: the elastic catenary, longitudinal
//! and transverse waves, energy, the seabed.

use crate::common::worlds::tethered;
use crate::common::{close, relative};
use merrow_math::Vec3;
use merrow_physics::forces::lines::catenary::Span;
use merrow_sim::Simulation;

/// Returns a settled line of 60 m in `segments` pieces between two points 40 m apart and 10 m in
/// height, in still water.
fn hanging(segments: usize) -> Simulation {
    let mut sim = tethered(
        "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000}\nseabed: {depth_m: 500}",
        "diameter_m: 0.02, mass_kg_per_m: 1.2, axial_stiffness_n: 20000, axial_damping_n_s: 2000, normal_drag: 100, tangential_drag: 10",
        &format!(
            "from: {{kind: world, position_m: [0, 0, -20]}}\nto: {{kind: world, position_m: [24, 32, -10]}}\nlength_m: 60\nsegments: {segments}"
        ),
    );
    sim.advance(20_000);
    sim
}

/// Returns the same line in closed form.
fn closed_form() -> Span {
    let weight = (1.2 - 1000.0 * 0.25 * std::f64::consts::PI * 0.02 * 0.02) * 9.81;
    Span {
        x: 40.0,
        z: 10.0,
        length: 60.0,
        weight,
        stiffness: 20_000.0,
        seabed_friction: None,
    }
}

// A hanging line takes the shape of the elastic catenary, and the error falls with the square of
// the segment length. Method: all nodes and both end tensions compared with the closed-form
// solution, at 10, 20 and 40 segments, 200 s after the start. Tolerance: 1 % at 10 segments; a
// factor of 4 per doubling, within 0.5 for the next term of the error.
#[test]
fn hanging_line_matches_elastic_catenary() {
    let span = closed_form();
    let exact = span.solve();
    let upper = (exact.H * exact.H + exact.V * exact.V).sqrt();
    let mut errors = Vec::new();
    for segments in [10, 20, 40] {
        let sim = hanging(segments);
        let state = &sim.state.tethers[0];
        let mut worst: f64 = 0.0;
        for (i, p) in state.p.iter().enumerate() {
            let [x, z] = span.point(&exact, 60.0 * i as f64 / segments as f64);
            worst = worst.max((*p - Vec3::new(0.6 * x, 0.8 * x, z - 20.0)).norm());
        }
        let tension = state.end_tensions()[1];
        println!(
            "{segments} segments: {worst:.5} m, {:.3e}",
            tension / upper - 1.0
        );
        assert!(state.v.iter().all(|v| v.norm() < 1e-3), "it still moves");
        errors.push((worst, (tension / upper - 1.0).abs()));
    }
    assert!(errors[0].0 < 0.4 && errors[0].1 < 0.01, "{errors:?}");
    for pair in errors.windows(2) {
        close("order in place", pair[0].0 / pair[1].0, 4.0, 0.125);
        close("order in tension", pair[0].1 / pair[1].1, 4.0, 0.125);
    }
}

/// Returns a taut line of 10 m, stretched by 2 %, in empty space.
fn taut(dt: f64, segments: usize) -> Simulation {
    tethered(
        &format!("step: {{dt_s: {dt}}}\ngravity_m_s2: 0\nwater: {{density_kg_m3: 0}}"),
        "diameter_m: 0.01, mass_kg_per_m: 0.1, axial_stiffness_n: 4000",
        &format!(
            "from: {{kind: world, position_m: [0, 0, 0]}}\nto: {{kind: world, position_m: [10.2, 0, 0]}}\nlength_m: 10\nsegments: {segments}"
        ),
    )
}

/// Returns the period [s] of the first mode over ten periods. It is excited by moving the midpoint
/// by 1 cm along `direction`.
fn period(dt: f64, segments: usize, direction: Vec3, expected: f64) -> f64 {
    let mut sim = taut(dt, segments);
    let middle = segments / 2;
    for (i, p) in sim.state.tethers[0].p.iter_mut().enumerate() {
        let shape = (std::f64::consts::PI * i as f64 / segments as f64).sin();
        *p += direction.scale(0.01 * shape);
    }
    let rest = Vec3::new(5.1, 0.0, 0.0);
    let steps = (10.5 * expected / dt) as usize;
    let track: Vec<f64> = (0..steps)
        .map(|_| {
            sim.advance(1);
            (sim.state.tethers[0].p[middle] - rest).dot(direction)
        })
        .collect();
    crate::common::period(dt, &track)
}

// Longitudinal and transverse waves on a taut line have the correct speed. Method: first modes;
// longitudinal 2 L sqrt(m/EA), transverse 2 D sqrt(m L/(D T)) with the tension T at the stretched
// length D. Tolerance: with 40 segments the first mode is slow by (π/40)²/24 = 0.03 %, by another
// 0.1 % from the heavier nodes next to the ends, and by less than (ωh)²/12 from the step.
// Transverse, an amplitude of 1 cm adds 3π²/16 (a/D)² EA/T = 0.01 %.
#[test]
fn line_wave_speeds_match_theory() {
    let along = 2.0 * 10.0 * (0.1_f64 / 4000.0).sqrt();
    let tension = 4000.0 * 0.02;
    let across = 2.0 * 10.2 * (0.1_f64 * 10.0 / 10.2 / tension).sqrt();
    let measured = period(1e-4, 40, Vec3::new(1.0, 0.0, 0.0), along);
    println!("along {measured} {along}");
    relative("along", measured, along, 2e-3);
    let measured = period(1e-3, 40, Vec3::new(0.0, 0.6, 0.8), across);
    println!("across {measured} {across}");
    relative("across", measured, across, 2e-3);
}

/// Returns kinetic and elastic energy [J]; the mass of the half segments at the ends is added to
/// the next nodes.
fn energy(sim: &Simulation) -> f64 {
    let (state, line) = (&sim.state.tethers[0], &sim.scene.tethers[0].line);
    let n = state.p.len() - 1;
    let rest = state.length / n as f64;
    let stretch = |w: &[Vec3]| ((w[1] - w[0]).norm() - rest).max(0.0);
    let springs = state
        .p
        .windows(2)
        .map(|w| 0.5 * line.axial_stiffness_n / rest * stretch(w) * stretch(w));
    let motion = (1..n).map(|i| {
        let share = if i == 1 || i == n - 1 { 1.5 } else { 1.0 };
        0.5 * line.mass_kg_per_m * rest * share * state.v[i].dot(state.v[i])
    });
    springs.sum::<f64>() + motion.sum::<f64>()
}

// No energy is generated. Method: a half-slack line in empty space with velocities of up to 5 m/s,
// and a taut plucked one, at steps from 1 to 10 ms, EA/l up to 2e6 N/m; the energy never exceeds
// the initial energy. Tolerance: the maximum energy is the initial energy within 1e-3: a change
// between slack and taut that is detected late costs one implicit Euler step.
#[test]
fn energy_only_decays() {
    for (dt, stiffness, distance) in [
        (0.001, 1e5, 6.0),
        (0.002, 1e6, 6.0),
        (0.01, 1e6, 6.0),
        (0.002, 1e5, 10.1),
    ] {
        let mut sim = tethered(
            &format!("step: {{dt_s: {dt}}}\ngravity_m_s2: 0\nwater: {{density_kg_m3: 0}}"),
            &format!("diameter_m: 0.01, mass_kg_per_m: 0.1, axial_stiffness_n: {stiffness}"),
            &format!(
                "from: {{kind: world, position_m: [0, 0, 0]}}\nto: {{kind: world, position_m: [{distance}, 0, 0]}}\nlength_m: 10\nsegments: 20"
            ),
        );
        let mut random = crate::common::tree::Random::new(5);
        let inner = 1..20;
        for v in &mut sim.state.tethers[0].v[inner] {
            *v = random.vector(5.0);
        }
        let start = energy(&sim);
        let mut highest = start;
        for _ in 0..2000 {
            sim.advance(1);
            highest = energy(&sim).max(highest);
        }
        println!(
            "dt {dt}, EA {stiffness}: {start} J, highest {highest}, at the end {}",
            energy(&sim)
        );
        assert!(highest <= start * 1.001, "{highest} J from {start} J");
        assert!(energy(&sim) < 0.9 * start);
    }
}

// A line on the seabed rests there and lifts off where the catenary does. Method: an anchor on the
// seabed 100 m deep, the top 95 m above it and 120 m away, 180 m of rope of 2 kg/m, after 400 s.
// Horizontal tension, top tension and length on the seabed are compared with the closed solution
// without friction. Tolerance: tensions 1 %; the length on the seabed to a segment.
#[test]
fn line_on_seabed_matches_catenary() {
    let mut sim = tethered(
        "step: {dt_s: 0.01}\nwater: {density_kg_m3: 1000}\nseabed: {depth_m: 100}",
        "diameter_m: 0.03, mass_kg_per_m: 2.7, axial_stiffness_n: 1e+6, axial_damping_n_s: 1e+4, seabed_friction: 0",
        "from: {kind: seabed, position_m: [0, 0]}\nto: {kind: world, position_m: [120, 0, -5]}\nlength_m: 180\nsegments: 90",
    );
    sim.advance(40_000);
    let state = &sim.state.tethers[0];
    let weight = sim.scene.tethers[0].line.weight_in_water(1000.0, 9.81);
    let span = Span {
        x: 120.0,
        z: 95.0,
        length: 180.0,
        weight,
        stiffness: 1e6,
        seabed_friction: Some(0.0),
    };
    let exact = span.solve();
    let lying = state.p.iter().filter(|p| p.z < -99.99).skip(1).count() as f64 * 2.0;
    println!(
        "H {} {}, T {:?}, lying {lying} {}",
        state.end_force[1].x,
        exact.H,
        state.end_tensions(),
        span.length_on_seabed(exact.V)
    );
    println!(
        "fastest {}",
        state.v.iter().map(|v| v.norm()).fold(0.0, f64::max)
    );
    relative("horizontal tension", -state.end_force[1].x, exact.H, 0.01);
    relative(
        "top tension",
        state.end_tensions()[1],
        (exact.H * exact.H + exact.V * exact.V).sqrt(),
        0.01,
    );
    assert!((lying - span.length_on_seabed(exact.V)).abs() <= 2.0);
    // The line penetrates the seabed by a tenth of its diameter.
    let deepest = state.p.iter().map(|p| p.z).fold(0.0, f64::min);
    assert!((-100.0035..-100.0025).contains(&deepest), "{deepest}");
}
