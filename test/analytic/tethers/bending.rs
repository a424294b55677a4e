//! Tests lines with bending stiffness against closed-form solutions for beams.

use crate::common::worlds::tethered;
use crate::common::{close, period, relative};
use merrow_math::Vec3;
use merrow_sim::Simulation;
use std::f64::consts::PI;

const EI: f64 = 20.0;

fn rod(dt: f64, world: &str, stiffness: f64, tether: &str) -> Simulation {
    tethered(
        &format!("step: {{dt_s: {dt}}}\nwater: {{density_kg_m3: 0}}\n{world}"),
        &format!(
            "diameter_m: 0.01, mass_kg_per_m: 0.3, axial_stiffness_n: {stiffness}, bending_stiffness_nm2: {EI}"
        ),
        tether,
    )
}

/// Returns a rod of 1 m, clamped horizontally at one end and free at the other.
fn cantilever(dt: f64, world: &str, segments: usize) -> Simulation {
    let ends = "from: {kind: world, position_m: [0, 0, 5], direction: [2, 0, 0]}\nto: {kind: free, position_m: [1, 0, 5]}";
    rod(
        dt,
        world,
        1e5,
        &format!("{ends}\nlength_m: 1\nsegments: {segments}"),
    )
}

// The deflection of a cantilever under its weight, clamped at either end. Method: the tip of a rod
// of 3 N/m and 20 N m² under q = m g, q L⁴/(8 EI) = 18.4 mm, with 10, 20 and 40 segments, 30 s
// after the start. Tolerance: the error falls by four with the segment length, up to the difference
// between the true length of the rod and the linear beam, (δ/L)²/2 = 2e-4, and is 1.2 % at 10
// segments.
#[test]
fn cantilever_deflection_matches_beam() {
    let linear = 0.3 * 9.81 / (8.0 * EI);
    let mut errors = Vec::new();
    for segments in [10, 20, 40] {
        let mut sim = cantilever(0.01, "", segments);
        sim.advance(3000);
        let state = &sim.state.tethers[0];
        assert!(
            state.v.iter().all(|v| v.norm() < 1e-7),
            "the rod still moves"
        );
        let sag = 5.0 - state.p[segments].z;
        println!("{segments}: {sag} of {linear}, {:e}", sag / linear - 1.0);
        errors.push(sag / linear - 1.0);
    }
    assert!(
        errors[0].abs() < 0.015 && errors[2].abs() < 1e-3,
        "{errors:?}"
    );
    close(
        "order two",
        (errors[0] - errors[1]) / (errors[1] - errors[2]),
        4.0,
        0.15,
    );
    // Clamped at the second end, the line arrives against its direction.
    let ends = "from: {kind: free, position_m: [0, 0, 5]}\nto: {kind: world, position_m: [1, 0, 5], direction: [-1, 0, 0]}";
    let mut sim = rod(0.01, "", 1e5, &format!("{ends}\nlength_m: 1\nsegments: 20"));
    sim.advance(3000);
    close(
        "from the other end",
        5.0 - sim.state.tethers[0].p[0].z,
        linear * (1.0 + errors[1]),
        1e-9,
    );
}

// A cantilever vibrates with the frequency of a beam. Method: the first mode of the same rod
// without weight, plucked by 1 cm at the tip, ω = 3.5160 √(EI/(m L⁴)). Tolerance: 1 % at 20
// segments, because the mass of the half segment at the root is slightly further out.
#[test]
fn cantilever_frequency_matches_beam() {
    let mut sim = cantilever(2e-4, "gravity_m_s2: 0", 20);
    for (i, p) in sim.state.tethers[0].p.iter_mut().enumerate() {
        let x = i as f64 / 20.0;
        // The shape under a uniform load.
        p.z += 0.01 * (x * x * (6.0 - 4.0 * x + x * x)) / 3.0;
    }
    let expected = 2.0 * PI / (3.516_015 * (EI / 0.3_f64).sqrt());
    let track: Vec<f64> = (0..(10.5 * expected / 2e-4) as usize)
        .map(|_| {
            sim.advance(1);
            sim.state.tethers[0].p[20].z - 5.0
        })
        .collect();
    let measured = period(2e-4, &track);
    println!("{measured} of {expected}");
    relative("period", measured, expected, 0.01);
}

// Euler's buckling load, below which a rod stays straight and above which it buckles with little
// more load. Method: 2 m, hinged at both ends, compressed. P = π² EI/L² = 49.3 N. With EA = 1e4 N a
// shortening by 0.4 % is 40 N, and the rod stays straight for any initial bend. With EA = 1e6 N and
// 1 % it is bowed and its load is P (1 + δ/(2 L)) [Timoshenko 1961]. Tolerance: with 40 segments
// (π/40)²/12 = 5e-4 from the polygon, and the next order in δ, 1e-4.
#[test]
fn a_rod_buckles_at_eulers_load() {
    let between = |d: f64, stiffness: f64| {
        let ends = format!(
            "from: {{kind: world, position_m: [0, 0, 5]}}\nto: {{kind: world, position_m: [{d}, 0, 5]}}"
        );
        let mut sim = rod(
            0.01,
            "gravity_m_s2: 0",
            stiffness,
            &format!("{ends}\nlength_m: 2\nsegments: 40"),
        );
        sim.advance(20_000);
        let state = sim.state.tethers[0].clone();
        assert!(
            state.v.iter().all(|v| v.norm() < 1e-6),
            "the rod still moves"
        );
        // The outward load and the maximum deflection.
        (
            -state.end_force[0].x,
            state
                .p
                .iter()
                .map(|p| (p.z - 5.0).abs())
                .fold(0.0, f64::max),
        )
    };
    let euler = PI * PI * EI / 4.0;
    let (push, bow) = between(2.0 * (1.0 - 0.004), 1e4);
    println!("below: {push} N, {bow:e} m");
    relative("a straight rod", push, 1e4 * 0.004, 1e-6);
    assert!(bow < 1e-6, "it stands off by {bow} m");
    let (push, bow) = between(1.98, 1e6);
    println!("above: {push} N of {euler}, {bow} m");
    relative("a bowed rod", push, euler * (1.0 + 0.01 / 2.0), 1e-3);
    // The length of the sine: π² a²/(4 L²) = 1 %.
    relative("its bow", bow, 2.0 * (0.04 / (PI * PI)).sqrt(), 0.02);
}

// Bending generates neither momentum nor energy, at any step. Method: a free rod bent to a half
// circle of 0.32 m radius springs open in empty space; bending is 500 times faster than the largest
// step. Tolerance: momentum and centre of mass to rounding. The kinetic and bending energy never
// exceeds the initial energy by more than 1e-3, the residual of the last Newton iteration.
#[test]
fn free_rod_conserves_momentum_and_gains_no_energy() {
    for dt in [1e-4, 1e-3, 1e-2] {
        let ends =
            "from: {kind: free, position_m: [0, 0, 5]}\nto: {kind: free, position_m: [1, 0, 5]}";
        let mut sim = rod(
            dt,
            "gravity_m_s2: 0",
            1e5,
            &format!("{ends}\nlength_m: 1\nsegments: 20"),
        );
        let radius = 1.0 / PI;
        for (i, p) in sim.state.tethers[0].p.iter_mut().enumerate() {
            let angle = PI * i as f64 / 20.0;
            *p = Vec3::new(
                radius * (1.0 - angle.cos()),
                0.0,
                5.0 + radius * angle.sin(),
            );
        }
        let l = 0.05;
        let mass = |i: usize| 0.3 * l * if i == 0 || i == 20 { 0.5 } else { 1.0 };
        let moments = |sim: &Simulation| {
            let t = &sim.state.tethers[0];
            let sum = |f: &dyn Fn(usize) -> Vec3| {
                (0..=20).fold(Vec3::zero(), |s, i| s + f(i).scale(mass(i)))
            };
            (sum(&|i| t.p[i]).scale(1.0 / 0.3), sum(&|i| t.v[i]))
        };
        let energy = |sim: &Simulation| {
            let t = &sim.state.tethers[0];
            let d: Vec<Vec3> = t.p.windows(2).map(|w| w[1] - w[0]).collect();
            let motion: f64 = (0..=20).map(|i| 0.5 * mass(i) * t.v[i].dot(t.v[i])).sum();
            let stretch: f64 = d
                .iter()
                .map(|d| 0.5 * 1e5 / l * (d.norm() - l) * (d.norm() - l))
                .sum();
            let bend = |w: &[Vec3]| EI / l * (1.0 - w[0].unit().unwrap().dot(w[1].unit().unwrap()));
            motion + stretch + d.windows(2).map(bend).sum::<f64>()
        };
        let (middle, start) = (moments(&sim).0, energy(&sim));
        let mut highest = start;
        for _ in 0..(1.0 / dt).min(2000.0) as usize {
            sim.advance(1);
            highest = highest.max(energy(&sim));
        }
        let (now, momentum) = moments(&sim);
        println!(
            "{dt}: {start} J, highest {highest}, now {}, momentum {:e}",
            energy(&sim),
            momentum.norm()
        );
        assert!(highest < start * 1.001, "{dt}: {start} to {highest} J");
        assert!(
            momentum.norm() < 1e-10 && (now - middle).norm() < 1e-10,
            "{momentum:?} {now:?} {middle:?}"
        );
    }
}
