//! Tests pendulums: a heavy sphere in ideal fluid, a bar in air.

use crate::common::{period, relative, simulation};

/// Returns the period of a pendulum at `amplitude` [rad], relative to its small-swing period: 1 /
/// agm(1, cos(amplitude / 2)).
fn swing_factor(amplitude: f64) -> f64 {
    let (mut a, mut g) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    1.0 / a
}

/// Returns the period [s] of the hinge of a world with one fixed robot of two links.
fn measured(text: &str) -> f64 {
    let mut s = simulation(text);
    let mut q = Vec::new();
    for _ in 0..14_000 {
        q.push(s.state.robots[0].motion.q[0]);
        s.advance(1);
    }
    period(s.scene.dt(), &q)
}

/// Returns a sphere of 0.1 m radius with twice the density of water on a weightless arm of 1 m,
/// with an added mass of half its displaced mass; the hinge is along y.
fn sphere(amplitude: f64) -> String {
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let (mass, added) = (2000.0 * volume, 500.0 * volume);
    let inertia = 0.4 * mass * 0.01;
    format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  pendulum:
    position_m: [0, 0, -10]
    joint_positions: {{bob_joint: {amplitude}}}
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      links:
        bob:
          parent: base_link
          joint: {{kind: continuous, axis: [0, 1, 0]}}
          body:
            {{source: test, axes: flu, mass_kg: {mass}, center_of_mass_m: [0, 0, -1], volume_m3: {volume},
            inertia_kg_m2: {{xx: {inertia}, yy: {inertia}, zz: {inertia}}}, center_of_buoyancy_m: [0, 0, -1],
            added_mass: {{kind: matrix, rows: [[{added},0,0,0,{},0], [0,{added},0,{added},0,0], [0,0,{added},0,0,0],
              [0,{added},0,{added},0,0], [{},0,0,0,{added},0], [0,0,0,0,0,0]]}}}}
",
        -added, -added
    )
}

// The factor used here equals the complete elliptic integral. Method: the series 1 + a²/16 + 11
// a⁴/3072. Tolerance: the next term of the series.
#[test]
fn swing_factor_matches_series() {
    let a = 0.1_f64;
    relative(
        "factor",
        swing_factor(a),
        1.0 + a * a / 16.0 + 11.0 * a.powi(4) / 3072.0,
        1e-8,
    );
}

// V39: period of a sphere that swings in ideal fluid, by 0.01 rad and by 30 degrees. Method: upward
// zero crossings of the hinge angle over 28 s. Tolerance: 1e-5 (V39 requires 1e-4); the
// interpolation error is below 1e-9.
#[test]
fn sphere_swings_in_ideal_fluid() {
    relative(
        "0.01 rad",
        measured(&sphere(0.01)),
        3.176_940_862_978_605 * swing_factor(0.01),
        1e-7,
    );
    let amplitude = 30_f64.to_radians();
    relative(
        "30 deg",
        measured(&sphere(amplitude)),
        3.232_247_583_436_521_4,
        1e-5,
    );
    relative(
        "factor",
        swing_factor(amplitude),
        3.232_247_583_436_521_4 / 3.176_940_862_978_605,
        1e-5,
    );
}

// A physical pendulum in air, T = 2 pi sqrt(I / (m g d)) times the amplitude factor. Method: a bar
// of 3 kg whose centre is 0.4 m from a hinge along an oblique horizontal axis, with an armature.
// Tolerance: 1e-7.
#[test]
fn bar_swings_in_air() {
    let text = "
water: {density_kg_m3: 0}
robots:
  pendulum:
    joint_positions: {bar_joint: 1.2}
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      links:
        bar:
          parent: base_link
          joint: {kind: continuous, axis: [3, 4, 0], armature: 0.02}
          body: {source: test, axes: flu, mass_kg: 3, center_of_mass_m: [0, 0, -0.4],
            inertia_kg_m2: {xx: 0.1, yy: 0.2, zz: 0.15, xy: 0.03}}
";
    // About the unit axis (0.6, 0.8, 0).
    let inertia: f64 = 0.36 * 0.1 + 0.64 * 0.2 + 2.0 * 0.48 * 0.03 + 3.0 * 0.16 + 0.02;
    let small = std::f64::consts::TAU * (inertia / (3.0 * 9.81 * 0.4)).sqrt();
    relative("period", measured(text), small * swing_factor(1.2), 1e-7);
}
