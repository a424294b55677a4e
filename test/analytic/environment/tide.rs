//! Tests the water level and its use by hulls and sensors.

use crate::common::meshes::cuboid;
use crate::common::worlds::mesh_hull_scene;
use crate::common::{advance, close, readings, simulation};
use merrow_environment::WaveState;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use std::sync::Arc;

const TIDE: &str = "tide: {level_m: 1.5, constituents: [{name: M2, amplitude_m: 1, phase_deg: 90}, {period_s: 600, amplitude_m: 0.25}]}";

// The level is the sum of the mean and its constituents, including M2 of 12.4206 h. Method: sums of
// cosines calculated here, at times up to a year. Tolerance: 1e-9.
#[test]
fn the_level_is_the_sum_of_its_constituents() {
    let s = simulation(&format!("water: {{{TIDE}}}\nrobots: {{}}\n"));
    for t in [0.0, 1.0, 3000.0, 44_714.0, 1e6, 3.1e7] {
        let now = WaveState::new(&s.scene.sea.waves, t * 1e9);
        let m2 = (std::f64::consts::TAU / (12.420_601_2 * 3600.0) * t
            - std::f64::consts::FRAC_PI_2)
            .cos();
        let fast = 0.25 * (std::f64::consts::TAU / 600.0 * t).cos();
        close(
            &format!("level at {t} s"),
            now.elevation(70.0, -3.0),
            1.5 + m2 + fast,
            1e-9,
        );
    }
}

// Hulls of every kind float at the level, and a pressure sensor 3 m below z = 0 measures the water
// above it. Method: a damped barge by its mesh and by its box, at a level of 1.5 m; the sensor's
// reading. Tolerance: 1e-6 m; 1e-2 of the pressure of 1.5 m of water.
#[test]
fn hulls_and_sensors_use_water_level() {
    let body = "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, center_of_mass_m: [0, 0, -0.3], \
                linear_damping: {kind: diagonal, values: [900, 900, 5000, 900, 900, 900]}";
    let water = ", tide: {level_m: 1.5}";
    let mesh = mesh_hull_scene(
        "tide",
        &cuboid([2.0, 1.0, 1.0], 1),
        body,
        water,
        "position_m: [0, 0, 1]",
    );
    let mut mesh = Simulation::new(Arc::new(mesh), 1).unwrap();
    let mut shape = simulation(&format!(
        "water: {{density_kg_m3: 1000{water}}}
robots:
  hull: {{position_m: [0, 0, 1], model: {{source: test, body: {{source: test, axes: flu, {body}, volume_m3: 2, hull: {{kind: box, size_m: [2, 1, 1]}}}}}}}}
"
    ));
    for s in [&mut mesh, &mut shape] {
        advance(s, 20.0);
        close("height", s.state.robots[0].motion.p_WB.z, 1.5, 1e-6);
    }
    let pressure = |water: &str| {
        let mut s = simulation(&format!(
            "water: {{density_kg_m3: 1000{water}}}
robots:
  r:
    position_m: [0, 0, -3]
    model: {{source: test, base: fixed, body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}},
      sensors: {{p: {{device: bar30}}}}}}
"
        ));
        s.state.robots[0].sensors[0].noise = false;
        let all = readings(&mut s, 0, 1.0);
        let Some(Reading::Pressure(r)) = all.last().map(|r| r.reading) else {
            panic!("{}", all.len())
        };
        r.pressure
    };
    close(
        "pressure",
        (pressure(water) - pressure("")) / (9810.0 * 1.5),
        1.0,
        1e-2,
    );
}

// A tide that leaves no water is rejected. Method: the exact message.
#[test]
fn tide_below_seabed_is_rejected() {
    let text = "water: {tide: {constituents: [{name: S2, amplitude_m: 3}]}}\nseabed: {depth_m: 2}\nrobots: {}\n";
    let found = merrow_world::load_text("w.yaml", text, merrow_world::Overrides::default());
    assert_eq!(
        found.unwrap_err().to_string(),
        "w.yaml:1:15: the water falls to -3 m at the origin; expected it above the seabed at -2 m"
    );
}
