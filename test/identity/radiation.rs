//! Tests that the radiation memory of every bundled table takes energy out of the hull, and that
//! waves neither turn a body of revolution nor drive it faster than the water.

use crate::common::{advance, scene, simulation};
use merrow_math::SpatialInertia;
use nalgebra::{Matrix6, SymmetricEigen};
use std::f64::consts::TAU;

/// Tables of a boundary element program: keys of `radiation`.
const TABLES: [&str; 2] = [
    "kind: wamit, added_mass: meshes/bem/hemisphere_r1.1",
    "kind: capytaine, file: meshes/bem/hemisphere_r1.nc",
];

/// Returns a world with a floating hemisphere with `radiation` tables in waves of the height
/// `height` [m] that travel to the east.
fn hemisphere(radiation: &str, height: f64) -> String {
    format!(
        "
step: {{dt_s: 0.02, integrator: rk4}}
water: {{density_kg_m3: 1025, waves: {{kind: regular, height_m: {height}, period_s: 6, direction_deg: 90}}}}
seabed: {{depth_m: 300}}
robots:
  ball:
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 2146.755
        inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}
        center_of_mass_m: [0, 0, -0.25]
        hull: {{kind: mesh, file: meshes/ball_2m.obj}}
        radiation: {{{radiation}}}
        linear_damping: {{kind: diagonal, values: [200, 200, 0, 100, 100, 0]}}
"
    )
}

// Goal: the radiation memory K is passive at every frequency: Re K(iω) has no negative eigenvalue.
// Method: the loaded filters, for each bundled table and several numbers of filters, from a
// thousandth of the lowest frequency to 10 000 times the highest one; the axes in units of the
// largest damping of each. Tolerance: rounding.
#[test]
fn radiation_is_passive_at_every_frequency() {
    for table in TABLES {
        for filters in [4, 7, 14, 24] {
            let s = scene(&hemisphere(&format!("{table}, filters: {filters}"), 0.1));
            let radiation = s.robots[0].links[0].radiation.as_ref().unwrap();
            let all = &radiation.filters;
            let (first, last) = (all[0].omega, all[all.len() - 1].omega);
            let matrix = |gain: &SpatialInertia| {
                let m = gain.to_matrix();
                Matrix6::from_fn(|i, j| m[i][j])
            };
            let real_part = |omega: f64| {
                all.iter().fold(Matrix6::zeros(), |sum, f| {
                    let (re, im) = (f.omega * f.omega - omega * omega, f.damping * omega);
                    sum + matrix(&f.gain) * (f.damping * omega * omega / (re * re + im * im))
                })
            };
            let omegas = |n: i32| {
                let span = 1e7 * last / first;
                (0..n).map(move |k| 1e-3 * first * libm::pow(span, f64::from(k) / f64::from(n)))
            };
            let mut largest = [1e-300_f64; 6];
            for omega in omegas(200) {
                let damping = real_part(omega);
                for (i, largest) in largest.iter_mut().enumerate() {
                    *largest = largest.max(damping[(i, i)]);
                }
            }
            for omega in omegas(3000) {
                let damping = real_part(omega);
                let scaled = Matrix6::from_fn(|i, j| {
                    0.5 * (damping[(i, j)] + damping[(j, i)]) / (largest[i] * largest[j]).sqrt()
                });
                let eigen = SymmetricEigen::new(scaled).eigenvalues;
                let floor = -1e-12 * eigen.max().max(1e-30);
                assert!(
                    eigen.min() >= floor,
                    "{table}, {filters}: {eigen} at {omega}"
                );
            }
        }
    }
}

// Goal: regular waves do not turn a body of revolution about its axis, and drive it as fast as
// water at the surface drifts, ω k a² (Stokes). Method: 8 min in waves of 2 m and 6 s, 56 times as
// long as the radius of the hemisphere. Tolerance: yaw 1e-6 rad; 20 % of the drift, whose
// decrease over the depth of the hull is 10 %.
#[test]
fn waves_do_not_turn_a_body_of_revolution_and_carry_it_with_the_water() {
    let tables = format!(
        "{}, excitation: meshes/bem/hemisphere_r1.3, filters: 24",
        TABLES[0]
    );
    let mut s = simulation(&hemisphere(&tables, 2.0));
    let (mut yaw, mut x) = (0.0_f64, 0.0);
    for second in 0..480 {
        if second == 360 {
            x = s.state.robots[0].motion.p_WB.x;
        }
        advance(&mut s, 1.0);
        let motion = &s.state.robots[0].motion;
        yaw = yaw.max(motion.q_WB.matrix().to_rpy()[2].abs());
    }
    let omega = TAU / 6.0;
    let stokes = omega * omega * omega / 9.81;
    let drift = (s.state.robots[0].motion.p_WB.x - x) / 120.0;
    println!("yaw {yaw:e} rad, drift {drift:.4} m/s, Stokes {stokes:.4} m/s");
    assert!(yaw < 1e-6, "{yaw}");
    assert!((drift / stokes - 1.0).abs() < 0.2, "{drift} {stokes}");
}
