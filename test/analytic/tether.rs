//! Lines between fixed ends against closed solutions: the elastic catenary, waves along and across,
//! energy, the bottom.

use crate::common::worlds::tethered;
use crate::common::{close, relative};
use merrow_math::Vec3;
use merrow_physics::forces::lines::catenary::Span;
use merrow_sim::Simulation;

/// A line of 60 m between two points 40 m apart and 10 m up, in still water, `segments` pieces,
/// after it has settled.
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

/// The same line in closed form.
fn closed() -> Span {
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

// Goal: a hanging line takes the elastic catenary, and the error falls with the square of the
// segments' length. Method: all nodes and both end tensions against the closed solution, at 10, 20
// and 40 segments, 200 s after the start. Tolerance: 1 % at 10 segments; a factor of 4 a doubling
// within 0.5, for the next term of the error.
#[test]
fn a_hanging_line_is_the_elastic_catenary() {
    let span = closed();
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

/// A taut line of 10 m, stretched by 2 %, in empty space.
fn taut(dt: f64, segments: usize) -> Simulation {
    tethered(
        &format!("step: {{dt_s: {dt}}}\ngravity_m_s2: 0\nwater: {{density_kg_m3: 0}}"),
        "diameter_m: 0.01, mass_kg_per_m: 0.1, axial_stiffness_n: 4000",
        &format!(
            "from: {{kind: world, position_m: [0, 0, 0]}}\nto: {{kind: world, position_m: [10.2, 0, 0]}}\nlength_m: 10\nsegments: {segments}"
        ),
    )
}

/// Period of the first mode, started by moving the nodes along `direction` by 1 cm in the middle;
/// followed over ten periods.
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

// Goal: waves run along and across a taut line as they should. Method: first modes; along, 2 L
// sqrt(m/EA); across, 2 D sqrt(m L/(D T)) with the tension T at the stretched length D. Tolerance:
// 40 segments: the line's first mode is slow by (π/40)²/24 = 0.03 %, the heavier nodes beside the
// ends another 0.1 %, the step (ωh)²/12 less; across, an amplitude of 1 cm adds 3π²/16 (a/D)²
// EA/T... = 0.01 %.
#[test]
fn waves_run_at_their_speed() {
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

/// Energy of motion and of stretch [J]; the half segments at the ends hang on the next nodes.
fn energy(sim: &Simulation) -> f64 {
    let (state, line) = (&sim.state.tethers[0], &sim.scene.tethers[0].line);
    let n = state.p.len() - 1;
    let rest = state.length / n as f64;
    let stretch = |w: &[Vec3]| ((w[1] - w[0]).norm() - rest).max(0.0);
    let springs = state
        .p
        .windows(2)
        .map(|w| 0.5 * line.stiffness / rest * stretch(w) * stretch(w));
    let motion = (1..n).map(|i| {
        let share = if i == 1 || i == n - 1 { 1.5 } else { 1.0 };
        0.5 * line.mass * rest * share * state.v[i].dot(state.v[i])
    });
    springs.sum::<f64>() + motion.sum::<f64>()
}

// Goal: nothing makes energy. Method: a line in empty space that is half slack and thrown about at
// up to 5 m/s, and a taut one plucked, at steps from 1 to 10 ms, EA/l up to 2e6 N/m; the energy
// must never exceed that of the start. Tolerance: the highest energy is that of the start within
// 1e-3: a kink found late is a step of implicit Euler late.
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

// Goal: a line laid on the bottom rests there, and lifts off where the catenary does. Method:
// anchor on the bottom 100 m deep, top 95 m above and 120 m beside it, 180 m of rope of 2 kg/m,
// after 400 s; horizontal tension, top tension and lying length against the closed solution without
// friction. Tolerance: tensions 1 %; the lying length to a segment.
#[test]
fn a_line_lies_down_on_the_bottom() {
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
    // it sinks in by a tenth of its diameter
    let deepest = state.p.iter().map(|p| p.z).fold(0.0, f64::min);
    assert!((-100.0035..-100.0025).contains(&deepest), "{deepest}");
}
