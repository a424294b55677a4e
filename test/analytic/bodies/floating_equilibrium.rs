//! Tests the equilibrium of a robot in calm water as `describe` reports it.

use crate::common::meshes::{cuboid, sphere};
use crate::common::worlds::mesh_hull_scene;
use crate::common::{close, close_vectors, evaluate, relative, scene, start};
use merrow_math::Vec3;
use merrow_model::scene::Scene;
use merrow_sim::report::hydrostatic_equilibrium::{
    Equilibrium, FloatingState, compute_equilibrium,
};
use merrow_world::{Overrides, load_text};

fn floating_state(scene: &Scene) -> FloatingState {
    match compute_equilibrium(scene, &scene.robots[0]) {
        Equilibrium::Floating(found) => found,
        other => panic!("{other:?}"),
    }
}

// V44: GM = KB + BM - KG of boxes. A 1 x 1 m section with half the density of water has GM =
// -0.0833 m, with BM = 1/6 and a draught of 0.5 m. Method: the mesh of a box of 4 x 1 x 1 m, and
// the box itself. Tolerance: 1e-7, the squared step of the finite differences.
#[test]
fn metacentric_height_of_a_box() {
    let body = "mass_kg: 2000, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}";
    let mesh = mesh_hull_scene(
        "gm",
        &cuboid([4.0, 1.0, 1.0], 1),
        body,
        "",
        "attitude_deg: [30, 0, 50]",
    );
    let shape = scene(&format!(
        "water: {{density_kg_m3: 1000}}
robots: {{hull: {{model: {{source: test, body: {{source: test, axes: flu, {body}, volume_m3: 4,
  hull: {{kind: box, size_m: [4, 1, 1]}}}}}}}}}}"
    ));
    for scene in [mesh, shape] {
        let found = floating_state(&scene);
        close("draught", found.draught.unwrap(), 0.5, 1e-9);
        close("volume", found.volume, 2.0, 1e-9);
        close("waterplane", found.waterplane, 4.0, 1e-7);
        close("GMt", found.gm_transverse, 1.0 / 6.0 - 0.25, 1e-7);
        close("GMl", found.gm_longitudinal, 16.0 / 6.0 - 0.25, 1e-7);
        close_vectors(
            "centre",
            found.p_BoCb.unwrap(),
            Vec3::new(0.0, 0.0, -0.25),
            1e-8,
        );
    }
}

// The displaced water has the weight of the vehicle, also with linear hydrostatics. Method: every
// shipped robot that floats. Tolerance: 1e-9.
#[test]
fn floating_robots_displace_their_mass() {
    let (mut linear, mut shapes) = (0, 0);
    for name in merrow_world::data_dir::file_names("params/robots") {
        let world = format!("robots: {{r: {{model: {name}}}}}");
        let scene = load_text("w.yaml", &world, Overrides::default())
            .unwrap_or_else(|p| panic!("{p}"))
            .scene;
        let robot = &scene.robots[0];
        let Equilibrium::Floating(found) = compute_equilibrium(&scene, robot) else {
            continue;
        };
        let loads: f64 = robot.links.iter().map(|link| link.trim.force).sum();
        let expected = (robot.mass() - loads / scene.gravity) / scene.sea.density;
        relative(&name, found.volume, expected, 1e-9);
        let is_linear = robot.links.iter().any(|link| link.restoring.is_some());
        assert_eq!(found.draught.is_none(), is_linear, "{name}");
        *if is_linear { &mut linear } else { &mut shapes } += 1;
    }
    assert!(linear >= 3 && shapes >= 2, "{linear} {shapes}");
}

// The list is computed; tan φ = y_G / (GM + ½ BM tan² φ) for a wall-sided hull. Method: the centre
// of mass is 2 cm to port and low. Tolerance: 1e-8.
#[test]
fn list_matches_wall_sided_formula() {
    let body = "mass_kg: 2000, inertia_kg_m2: {xx: 100, yy: 100, zz: 100}, center_of_mass_m: [0, 0.02, -0.3]";
    let found = floating_state(&mesh_hull_scene(
        "list",
        &cuboid([4.0, 1.0, 1.0], 1),
        body,
        "",
        "",
    ));
    let tan = found.roll.tan();
    let (bm, gm) = (1.0 / 6.0, 1.0 / 6.0 - 0.25 + 0.3);
    close("list", tan * (gm + 0.5 * bm * tan * tan), -0.02, 1e-8);
    close("trim", found.pitch, 0.0, 1e-9);
}

// The metacentre of a ball is its centre at any draught. Method: a mesh of 2048 triangles with the
// centre of mass 0.1 m low. Tolerance: 1e-3 of a radius, from the facets.
#[test]
fn metacentre_of_a_ball() {
    let body =
        "mass_kg: 1500, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, center_of_mass_m: [0, 0, -0.1]";
    let found = floating_state(&mesh_hull_scene("gm_ball", &sphere(1.0, 4), body, "", ""));
    close("GMt", found.gm_transverse, 0.1, 1e-3);
    close("GMl", found.gm_longitudinal, 0.1, 1e-3);
    // Volume of a spherical cap: V = π d² (3 - d)/3.
    let cap = |d: f64| std::f64::consts::PI * d * d * (3.0 - d) / 3.0;
    relative("volume", cap(found.draught.unwrap()), 1.5, 1e-2);
}

#[test]
fn overweight_body_sinks() {
    let body = "mass_kg: 1200, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    let scene = mesh_hull_scene("sinks", &cuboid([1.0, 1.0, 1.0], 0), body, "", "");
    let Equilibrium::Sinks(by) = compute_equilibrium(&scene, &scene.robots[0]) else {
        panic!("it floats")
    };
    relative("weight", by, 200.0 * 9.81, 1e-9);
}

// A neutrally trimmed robot is reported as neutral, not as sinking or floating; a gram in 10 kg is
// not neutral. Method: the vehicles of the worlds that trim their robots, and a ball. Tolerance:
// one part in a million.
#[test]
fn trimmed_body_is_reported_neutral() {
    for world in ["harbour_inspection", "survey"] {
        let path = merrow_world::data_dir::world_file(world);
        let scene = merrow_world::load_world(&path, merrow_world::Overrides::default())
            .unwrap()
            .scene;
        assert!(
            scene
                .robots
                .iter()
                .any(|robot| compute_equilibrium(&scene, robot) == Equilibrium::Neutral),
            "{world}"
        );
    }
    let ball = |mass: f64| {
        let scene = scene(&format!(
            "water: {{density_kg_m3: 1000}}
robots: {{ball: {{model: {{source: test, body: {{source: test, axes: flu, mass_kg: {mass}, volume_m3: 0.01,
  inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, hull: {{kind: ellipsoid, size_m: [0.4, 0.4, 0.4]}}}}}}}}}}"
        ));
        compute_equilibrium(&scene, &scene.robots[0])
    };
    assert_eq!(ball(10.0), Equilibrium::Neutral);
    assert!(
        matches!(ball(10.001), Equilibrium::Sinks(by) if (by - 9.8e-3).abs() < 1e-4),
        "{:?}",
        ball(10.001)
    );
    assert!(
        matches!(ball(9.9), Equilibrium::Floating(_)),
        "{:?}",
        ball(9.9)
    );
}

// Coefficients given at the waterline apply to the floating body: its heave period is 2 pi sqrt((m
// + A)/(rho g S)). Method: a box of 2 x 2 x 1 m and 2000 kg with an added mass of 3000 kg in heave,
// released 1 mm above its equilibrium, for ten periods. A second run uses the values of a fully
// submerged body, half of which is wetted. Tolerance: 0.2 %, for the wetted part that changes with
// the heave.
#[test]
fn heave_period_at_the_waterline() {
    for (reference, added) in [("waterline", 3000.0), ("submerged", 1500.0)] {
        let mut s = crate::common::simulation(&format!(
            "
water: {{density_kg_m3: 1000}}
step: {{dt_s: 0.001}}
robots:
  box:
    position_m: [0, 0, 0.001]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 2000, inertia_kg_m2: {{xx: 500, yy: 500, zz: 500}}, volume_m3: 4,
        hull: {{kind: box, size_m: [2, 2, 1]}}, coefficients_at: {reference},
        added_mass: {{kind: diagonal, values: [0, 0, 3000, 0, 0, 0]}}}}
"
        ));
        let expected = std::f64::consts::TAU * libm::sqrt((2000.0 + added) / (4000.0 * 9.81));
        let (mut crossings, mut last) = (Vec::new(), 0.001);
        while crossings.len() < 11 {
            s.advance(1);
            let z = s.state.robots[0].motion.p_WB.z;
            if last < 0.0 && z >= 0.0 {
                crossings.push(1e-9 * s.time_ns() as f64);
            }
            last = z;
        }
        relative(
            reference,
            (crossings[10] - crossings[0]) / 10.0,
            expected,
            2e-3,
        );
    }
}

// `coefficients_at: waterline` scales added mass, damping and derivatives alike. Method: the
// acceleration of a box in motion along and about all axes, half submerged at rest, is as for a box
// with twice the values for the submerged body, and not as with the same values; each kind of
// coefficients in turn. Tolerance: 1e-9, because the fraction at rest is computed by bisection.
#[test]
fn all_coefficients_are_scaled_at_the_waterline() {
    let diagonal = |key: &str, k: f64| {
        let values = [300.0, 400.0, 3000.0, 200.0, 300.0, 100.0].map(|value| k * value);
        format!("{key}: {{kind: diagonal, values: {values:?}}}")
    };
    let derivatives = |k: f64| {
        let [y, n, m] = [-400.0, -300.0, 200.0].map(|value| k * value);
        format!("derivatives: {{Y_uv: {y}, N_uv: {n}, M_uw: {m}}}")
    };
    let acceleration = |coefficients: &str| {
        let scene = scene(&format!(
            "
water: {{density_kg_m3: 1000}}
robots:
  box:
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 2000, inertia_kg_m2: {{xx: 500, yy: 600, zz: 700}}, volume_m3: 4,
        hull: {{kind: box, size_m: [2, 2, 1]}}, {coefficients}}}
"
        ));
        let mut motion = start(&scene, 0);
        motion.V_WB_B.v = Vec3::new(0.5, 0.4, 0.3);
        motion.V_WB_B.w = Vec3::new(0.2, -0.3, 0.4);
        evaluate(&scene, &motion).links[0].A
    };
    for key in [
        "added_mass",
        "linear_damping",
        "quadratic_damping",
        "derivatives",
    ] {
        let coefficients = |k: f64| match key {
            "derivatives" => derivatives(k),
            _ => diagonal(key, k),
        };
        let found = acceleration(&format!(
            "{}, coefficients_at: waterline",
            coefficients(1.0)
        ));
        let (same, twice) = (
            acceleration(&coefficients(1.0)),
            acceleration(&coefficients(2.0)),
        );
        close_vectors(key, found.v, twice.v, 1e-9);
        close_vectors(key, found.w, twice.w, 1e-9);
        let difference = (found.v - same.v).norm() + (found.w - same.w).norm();
        assert!(difference > 1e-3, "{key}: {difference}");
    }
}

// `coefficients_at: waterline` is rejected where no part is under water at rest. Method: a
// body that sinks, one that is neutrally buoyant, and a mast above the water; the message and its
// line.
#[test]
fn coefficients_need_a_waterline() {
    let found = |mass: f64, at_base: &str, at_mast: &str| {
        let text = format!(
            "water: {{density_kg_m3: 1000}}
robots:
  r:
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: {mass}, inertia_kg_m2: {{xx: 500, yy: 500, zz: 500}}, volume_m3: 4,
        hull: {{kind: box, size_m: [2, 2, 1]}}, coefficients_at: {at_base}}}
      links:
        mast:
          parent: base_link
          joint: {{kind: fixed, position_m: [0, 0, 2]}}
          body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, volume_m3: 0.001,
            coefficients_at: {at_mast}}}
"
        );
        match load_text("w.yaml", &text, Overrides::default()) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        }
    };
    let (waterline, submerged) = ("waterline", "submerged");
    assert_eq!(found(2000.0, waterline, submerged), "");
    let reason = "has no waterline: no part of it is under water when the robot is at rest; expected `submerged`";
    for (mass, at_base, at_mast, line, link) in [
        (4100.0, waterline, submerged, 7, "base_link"),
        (4000.0, waterline, submerged, 7, "base_link"),
        (2000.0, submerged, waterline, 13, "mast"),
    ] {
        let printed = found(mass, at_base, at_mast);
        assert!(
            printed.starts_with(&format!("w.yaml:{line}:"))
                && printed.ends_with(&format!(": {link} {reason}")),
            "{printed}"
        );
    }
}
