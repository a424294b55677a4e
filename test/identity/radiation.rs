//! Tests that the radiation memory of every bundled table takes energy out of the hull.

use crate::common::scene;
use merrow_math::SpatialInertia;
use nalgebra::{Matrix6, SymmetricEigen};

/// Tables of a boundary element program: keys of `radiation`.
const TABLES: [&str; 2] = [
    "kind: wamit, added_mass: meshes/bem/hemisphere_r1.1",
    "kind: capytaine, file: meshes/bem/hemisphere_r1.nc",
];

/// Returns a world with a floating hemisphere with `radiation` tables.
fn hemisphere(radiation: &str) -> String {
    format!(
        "
step: {{dt_s: 0.02, integrator: rk4}}
water: {{density_kg_m3: 1025}}
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

// The radiation memory K is passive at every frequency: Re K(iω) has no negative eigenvalue.
// Method: the loaded filters, for each bundled table and several numbers of filters, from a
// thousandth of the lowest frequency to 10 000 times the highest one; the axes in units of the
// largest damping of each. Tolerance: rounding.
#[test]
fn radiation_is_passive_at_every_frequency() {
    for table in TABLES {
        for filters in [4, 7, 14, 24] {
            let s = scene(&hemisphere(&format!("{table}, filters: {filters}")));
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
