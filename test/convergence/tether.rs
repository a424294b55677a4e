//! Tests the convergence of tethers with the step.

use crate::common::worlds::tethered;

/// Returns the position [m, W] of the centre node of a taut, resolved line after 0.2 s, plucked in
/// a general direction.
fn middle(dt: f64) -> merrow_math::Vec3 {
    let mut sim = tethered(
        &format!("step: {{dt_s: {dt}}}\nwater: {{density_kg_m3: 1000}}\nseabed: {{depth_m: 500}}"),
        "diameter_m: 0.01, mass_kg_per_m: 0.5, axial_stiffness_n: 200, axial_damping_n_s: 0.5, added_mass: 0, normal_drag: 0, tangential_drag: 0",
        "from: {kind: world, position_m: [0, 0, -50]}\nto: {kind: world, position_m: [12, 0, -50]}\nlength_m: 10\nsegments: 6",
    );
    for (i, v) in sim.state.tethers[0]
        .v
        .iter_mut()
        .enumerate()
        .take(6)
        .skip(1)
    {
        *v = merrow_math::Vec3::new(0.3, 0.2 * i as f64, -0.4);
    }
    sim.advance((0.2 / dt).round() as u64);
    sim.state.tethers[0].p[3]
}

// The rule has order two where the step resolves the waves of the line (ωh ≤ 0.1) and no segment
// turns slack. Method: three halvings of the step from 2 ms, compared with 31 us. The line has no
// drag and no added mass, which use the tangents at the start of the step and are of order one in
// the rotation of the line. Tolerance: slope 2 ± 0.2; the damping of high-frequency waves is of the
// next order.
#[test]
fn resolved_line_converges_with_order_two() {
    let exact = middle(0.2 / 6400.0);
    let errors: Vec<f64> = [100, 200, 400]
        .map(|n| (middle(0.2 / f64::from(n)) - exact).norm())
        .into();
    let slopes: Vec<f64> = errors.windows(2).map(|e| libm::log2(e[0] / e[1])).collect();
    println!("errors {errors:?}, slopes {slopes:?}");
    assert!(
        slopes.iter().all(|s| (s - 2.0).abs() < 0.2),
        "{slopes:?} from {errors:?}"
    );
}
