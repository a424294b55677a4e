//! A floating hemisphere in waves, against tables of a boundary element method. [V34]
//!
//! The expected figures (`floating_hemisphere.csv`) are of another mesh and without a lid than the tables that the world reads.

use crate::common::{close, relative};
use merrow::environment::{Instant, Variation, WavesNow};
use merrow::math::SpatialVelocity;
use merrow::scene::Scene;
use merrow::sim::{Simulation, step};
use merrow::state::{Motion, Workspace};
use merrow::world::{Overrides, World, load_text};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const RHO_V: f64 = 1000.0 * 2.0 / 3.0 * PI;
const RHO_G_A: f64 = 9810.0 * PI;
const TABLES: &str =
    "kind: wamit, added_mass: meshes/bem/hemisphere_r1.1, hydrostatics: meshes/bem/hemisphere_r1.hst";
const TOTAL: &str = ", excitation: meshes/bem/hemisphere_r1.3";
const SCATTERED: &str = ", scattering: meshes/bem/hemisphere_r1.3sc";

fn world(radiation: &str, ka: f64, amplitude: f64, step: f64) -> World {
    let period = TAU / (ka * 9.81_f64).sqrt();
    let waves = if amplitude > 0.0 {
        format!(
            ", waves: {{kind: regular, height_m: {}, period_s: {period}, direction_deg: 90}}",
            2.0 * amplitude
        )
    } else {
        String::new()
    };
    let text = format!(
        "step: {{dt_s: {step}}}
water: {{density_kg_m3: 1000{waves}}}
seabed: {{depth_m: 1000}}
robots:
  ball:
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: {RHO_V}
        inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}
        hull: {{kind: mesh, file: meshes/ball_2m.obj}}
        radiation: {{{radiation}}}
"
    );
    load_text("test.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

/// Rows of ka, A33, B33, A11, B11, |X3|, |X1|, without dimensions.
fn table() -> Vec<[f64; 7]> {
    let text = include_str!("../data/floating_hemisphere.csv");
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        std::array::from_fn(|i| numbers[i])
    };
    text.lines().skip(1).map(row).collect()
}

/// Added mass and damping over ρV and ρVω that the filters make at ω, heave and surge.
fn fitted(scene: &Scene, omega: f64) -> [f64; 4] {
    let link = &scene.robots[0].links[0];
    let radiation = link.radiation.as_ref().unwrap();
    let of = |gain: &dyn Fn(&merrow::math::SpatialInertia) -> f64| {
        let (mut a, mut b) = (gain(&link.added) * radiation.wet_at_rest, 0.0);
        for f in &radiation.filters {
            let real = f.omega * f.omega - omega * omega;
            let imaginary = f.damping * omega;
            let square = real * real + imaginary * imaginary;
            a += gain(&f.gain) * real / square;
            b += gain(&f.gain) * imaginary / square * omega;
        }
        [a / RHO_V, b / (RHO_V * omega)]
    };
    let [a33, b33] = of(&|i| i.D.zz);
    let [a11, b11] = of(&|i| i.D.xx);
    [a33, b33, a11, b11]
}

// Goal: the filters have the tables' added mass and damping. Method: heave and surge at ten frequencies; the limit of infinite
// frequency is half the displaced mass in heave. Tolerance: 1 % of the largest figure, of which the panels are 0.4 %.
#[test]
fn filters_have_the_tables_added_mass_and_damping() {
    let found = world(TABLES, 1.0, 0.0, 0.01);
    assert_eq!(found.notes, [], "nothing to say");
    close("wet at rest", found.scene.robots[0].links[0].radiation.as_ref().unwrap().wet_at_rest, 0.5, 1e-6);
    for [ka, a33, b33, a11, b11, ..] in table() {
        let [a, b, c, d] = fitted(&found.scene, (ka * 9.81).sqrt());
        for (what, found, expected) in [("A33", a, a33), ("B33", b, b33), ("A11", c, a11), ("B11", d, b11)] {
            assert!((found - expected).abs() < 0.01, "{what} at ka {ka}: {found} instead of {expected}");
        }
    }
    let link = &found.scene.robots[0].links[0];
    relative("infinite frequency", link.added.D.zz * 0.5 / RHO_V, 0.5, 0.03);
}

/// Force on the hull held at the origin at `t`, less what it is without waves.
fn held(scene: &Scene, t: f64) -> [f64; 2] {
    let force = |waves: Option<&WavesNow>| {
        let at =
            Instant { sea: &scene.sea, gravity: scene.gravity, time: t, variation: Variation::NONE, waves };
        let mut work = Workspace::new(&scene.robots[0]);
        step::evaluate(&scene.robots[0], &at, &Motion::rest(0), &[], 0, &mut work);
        work.links[0].F.f
    };
    let f = force(Some(&WavesNow::new(&scene.sea.waves, t * 1e9))) - force(None);
    [f.z, f.x]
}

/// Complex amplitudes of heave and surge, Re[X exp(iωt)], for a wave of 1 m.
fn excitation(scene: &Scene, ka: f64, amplitude: f64) -> [[f64; 2]; 2] {
    let period = TAU / (ka * 9.81_f64).sqrt();
    let (start, quarter) = (held(scene, 0.0), held(scene, 0.75 * period));
    [0, 1].map(|i| [start[i] / amplitude, quarter[i] / amplitude])
}

// Goal: the waves' own pressure on the mesh and what it scatters are together the tables' force. Method: 1 mm of wave on the hull
// at rest, heave and surge. Tolerance: 2 % of the figure, which is that of both meshes.
#[test]
fn held_in_waves_it_feels_the_tables_force() {
    for [ka, .., x3, x1] in table() {
        let scene = world(&format!("{TABLES}{TOTAL}"), ka, 1e-3, 0.01).scene;
        let [heave, surge] = excitation(&scene, ka, 1e-3).map(|[re, im]| re.hypot(im) / RHO_G_A);
        relative(&format!("heave at ka {ka}"), heave, x3, 0.02);
        relative(&format!("surge at ka {ka}"), surge, x1, 0.02);
    }
}

// Goal: the total force less our own pressure is the program's scattered force, and its NetCDF says what its WAMIT files say. Method:
// the loaded diffraction by three ways. Tolerance: 1 % of the largest total force (two meshes); 1e-5, the text's digits.
#[test]
fn scattered_forces_agree_however_they_are_given() {
    let netcdf = "kind: capytaine, file: meshes/bem/hemisphere_r1.nc";
    let [total, scattered, binary] =
        [format!("{TABLES}{TOTAL}"), format!("{TABLES}{SCATTERED}"), netcdf.into()]
            .map(|text| world(&text, 1.0, 0.0, 0.01).scene.robots[0].links[0].radiation.clone().unwrap());
    let [a, b, c] = [&total, &scattered, &binary].map(|r| r.diffraction.as_ref().expect("diffraction"));
    assert_eq!((a.omega.len(), a.headings.len(), a.mirrored), (21, 5, true));
    for (k, force) in b.force.iter().enumerate() {
        for (i, [re, im]) in force.iter().enumerate() {
            for (part, value) in [re, im].into_iter().enumerate() {
                assert!((a.force[k][i][part] - value).abs() < 0.01 * RHO_G_A, "{k} {i} {part}");
                assert!((c.force[k][i][part] - value).abs() < 1e-5 * RHO_G_A, "{k} {i} {part}");
            }
        }
    }
    for (one, other) in scattered.filters.iter().zip(&binary.filters) {
        relative("gain", one.gain.D.zz, other.gain.D.zz, 1e-3);
    }
}

/// Complex amplitude of `x` sampled every `dt` from `t0` over whole periods.
fn amplitude(omega: f64, t0: f64, dt: f64, x: &[f64]) -> [f64; 2] {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let mut sum = [0.0; 2];
    for (k, x) in x.iter().enumerate() {
        let phase = omega * (t0 + k as f64 * dt);
        sum[0] += 2.0 * (x - mean) * phase.cos() / x_len(omega, dt);
        sum[1] -= 2.0 * (x - mean) * phase.sin() / x_len(omega, dt);
    }
    sum
}

/// Samples in the four periods that are looked at.
fn x_len(omega: f64, dt: f64) -> f64 {
    (4.0 * TAU / (omega * dt)).round()
}

// Goal: afloat in waves it answers as the tables say: heave X/(C - ω²(m+A) + iωB), speed of surge X/(iω(m+A) + B); and takes as
// much power from the waves as it radiates. Method: 5 mm of wave, twelve periods to settle, four measured, with 200 steps a
// period. Tolerance: 3 % (V34) of the answers; 4 % of the power, 10 % at
// the highest frequency, where it is a small part of what the force does to and fro.
#[test]
fn afloat_in_waves_it_answers_as_the_tables_say() {
    for row in table().iter().filter(|row| [0.4, 1.0, 2.0].contains(&row[0])) {
        let [ka, a33, b33, a11, b11, x3, x1] = *row;
        let omega = (ka * 9.81_f64).sqrt();
        let (height, dt) = (0.005, (TAU / omega / 200.0 * 1e9).round() * 1e-9);
        let scene = world(&format!("{TABLES}{TOTAL}"), ka, height, dt).scene;
        let [force, _] = excitation(&scene, ka, height);
        let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
        s.advance(12 * 200);
        let start = s.time_ns() as f64 * 1e-9;
        // adrift, it meets the waves later: their phase at its mean place
        let (mut z, mut u, mut x) = (Vec::new(), Vec::new(), 0.0);
        for _ in 0..800 {
            z.push(s.state.robots[0].motion.p_WB.z);
            u.push(s.state.robots[0].motion.V_WB_B.v.x);
            x += s.state.robots[0].motion.p_WB.x / 800.0;
            s.advance(1);
        }
        let heave = amplitude(omega, start, dt, &z).map(|x| x / height);
        let surge = amplitude(omega, start, dt, &u).map(|x| x / height);
        let stands = RHO_G_A - omega * omega * RHO_V * (1.0 + a33);
        let expected = x3 * RHO_G_A / stands.hypot(omega * omega * b33 * RHO_V);
        relative(&format!("heave at ka {ka}"), heave[0].hypot(heave[1]), expected, 0.03);
        let expected = x1 * RHO_G_A / (omega * RHO_V * (1.0 + a11).hypot(b11));
        relative(&format!("surge at ka {ka}"), surge[0].hypot(surge[1]), expected, 0.03);
        // heave's velocity is iω z; mean power ½ Re(X v*), radiated ½ B |v|²
        let speed = [-omega * heave[1], omega * heave[0]];
        let (c, s) = ((ka * x).cos(), (ka * x).sin());
        let force = [force[0] * c + force[1] * s, force[1] * c - force[0] * s];
        let taken = 0.5 * (force[0] * speed[0] + force[1] * speed[1]);
        let radiated = 0.5 * b33 * RHO_V * omega * (speed[0] * speed[0] + speed[1] * speed[1]);
        relative(&format!("power at ka {ka}"), taken, radiated, if ka < 2.0 { 0.04 } else { 0.1 });
    }
}

// Goal: the memory is of motion through the water: carried by a current, or at rest in still water, the hull feels none; and it
// belongs to the state. Method: 20 s adrift in 1 m/s; a run resumed half-way. Tolerance: 1e-9; none.
#[test]
fn the_memory_moves_with_the_water_and_lies_in_the_state() {
    let mut scene = world(TABLES, 1.0, 0.0, 0.02).scene;
    scene.sea.current.profile[0].1.x = 1.0;
    scene.robots[0].start.v_WB_B.x = 1.0;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    s.advance(1000);
    close("speed", s.state.robots[0].motion.V_WB_B.v.x, 1.0, 1e-9);

    let mut scene = world(TABLES, 1.0, 0.0, 0.02).scene;
    scene.robots[0].start.p_WB.z = 0.3;
    let scene = Arc::new(scene);
    let mut whole = Simulation::new(Arc::clone(&scene), 1).unwrap();
    whole.advance(100);
    let mut resumed = Simulation::new(scene, 1).unwrap();
    resumed.state = whole.state.clone();
    assert!(resumed.state.robots[0].memory.iter().any(|x| x[1].v.z.abs() > 1e-6));
    let mut forgetful = resumed.state.clone();
    forgetful.robots[0].memory.fill([SpatialVelocity::zero(); 2]);
    assert_ne!(forgetful.hash(), resumed.state.hash(), "the memory is part of the hash");
    whole.advance(100);
    resumed.advance(100);
    assert_eq!(whole.state.hash(), resumed.state.hash());
}
