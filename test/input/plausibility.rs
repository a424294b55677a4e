//! Tests of the warnings about implausible values.
//!
//! Each kind of wrong unit is reported at its position, and no bundled world has a warning. Method:
//! a plausible body with one wrong value, and all bundled worlds.

use merrow_world::{Overrides, data_dir, load_text, load_world};

/// A sphere of 0.5 m that floats in water, 500 kg, with a sensor and a thruster.
const WORLD: &str = "step: {dt_s: 0.01}
water: {density_kg_m3: 1000}
robots:
  r:
    position_m: [0, 0, -5]
    attitude_deg: [0, 0, 90]
    model:
      source: t
      body:
        source: t
        axes: flu
        mass_kg: 500
        inertia_kg_m2: {xx: 50, yy: 50, zz: 50}
        volume_m3: 0.5
        linear_damping: {kind: diagonal, values: [10, 10, 10, 10, 10, 10]}
        collisions: {c: {kind: sphere, radius_m: 0.5}}
      sensors: {odometry: {device: truth, rate_hz: 50, position_m: [0.1, 0, 0]}}
      thrusters:
        t: {position_m: [0, 0, 0], direction: [1, 0, 0], motor: {source: t, command: newton, range: [-50, 50],
          curve: direct, diameter_m: 0.1}}
";

fn warnings(text: &str) -> Vec<String> {
    let world = load_text("w.yaml", text, Overrides::default()).map_err(|p| p.to_string());
    let world = world.expect("a world");
    world.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn implausible_values_are_reported() {
    assert_eq!(warnings(WORLD), Vec::<String>::new());
    for (from, to, expected) in [
        (
            "density_kg_m3: 1000",
            "density_kg_m3: 1.025",
            "w.yaml:2:24: water of 1.025 kg/m3; expected 950 to 1100 kg/m3; check the unit",
        ),
        (
            "volume_m3: 0.5",
            "volume_m3: 0.1",
            "r: a mass of 500.0000 kg that displaces 100.0000 kg of water; expected a ratio of at most 3",
        ),
        (
            "volume_m3: 0.5",
            "volume_m3: 5",
            "r: a mass of 500.0000 kg that displaces 5000.0000 kg of water; expected a ratio of at most 3",
        ),
        (
            "kind: sphere, radius_m: 0.5",
            "kind: box, size_m: [500, 0.5, 0.5]",
            "r: a body of 500.000 m with a mass of 500.0000 kg; expected at most 396.850 m",
        ),
        (
            "xx: 50, yy: 50, zz: 50",
            "xx: 50, yy: 5000, zz: 5000",
            "r: the inertia about y of 5000.0000 kg m2 and the mass of 500.0000 kg have a radius of gyration of 3.162 m",
        ),
        (
            "values: [10, 10, 10, 10, 10, 10]",
            "values: [10, 10, 10, 10, 10, 10000]",
            "r: the damping in yaw stops the body within a step: damping x dt / inertia = 2.000; expected less than 1",
        ),
        (
            "attitude_deg: [0, 0, 90]",
            "attitude_deg: [0, 0, -1.5708]",
            "w.yaml:6:26: attitude_deg: -1.5708 looks like radians; expected degrees, -90.0 deg",
        ),
        (
            "position_m: [0.1, 0, 0]",
            "position_m: [100, 0, 0]",
            "r: the sensor odometry is 99.500 m outside a body of 1.732 m; check its position and the unit",
        ),
        (
            "t: {position_m: [0, 0, 0]",
            "t: {position_m: [0, 0, -200]",
            "r: the thruster t is 199.500 m outside a body of 1.732 m; check its position and the unit",
        ),
    ] {
        let text = WORLD.replace(from, to);
        assert_ne!(text, WORLD, "{from}");
        let found = warnings(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("w.yaml:"), "{found:?}");
        assert!(found[0].contains(expected), "{found:?}");
    }
    // an attitude of a saved world
    let text = WORLD.replace("[0, 0, 90]", "[0, 0, 1.5711731511898146]");
    assert_eq!(warnings(&text), Vec::<String>::new());
}

#[test]
fn degrees_in_keys_of_radians_are_reported() {
    let world = |yaw: f64| {
        format!(
            "robots:\n  r:\n    model:\n      source: t\n      base: fixed\n      body: {{source: t, axes: flu, mass_kg: 1, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n      links:\n        arm:\n          parent: base_link\n          \
             joint: {{name: hinge, kind: continuous, attitude_rad: [0, 0, {yaw}], drive: {{kind: effort}}}}\n          \
             body: {{source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n"
        )
    };
    assert_eq!(warnings(&world(1.5)), Vec::<String>::new());
    let found = warnings(&world(90.0));
    let expected = "attitude_rad: 90 looks like degrees; expected radians, 1.5708 rad";
    assert!(
        found.len() == 1 && found[0].ends_with(expected),
        "{found:?}"
    );
}

#[test]
fn bundled_worlds_are_plausible() {
    for name in data_dir::file_names("worlds") {
        let world = load_world(&data_dir::world_file(&name), Overrides::default());
        let world = world
            .map_err(|problems| problems.to_string())
            .expect("a world");
        let found: Vec<_> = world.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }
}
