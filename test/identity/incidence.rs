//! Tests that fins and hulls take energy from the motion at every incidence, not only in flow from
//! ahead, and that they have equal forces in flow from ahead and from astern.

use crate::common::{close_vectors, initial_environment, scene, start};
use merrow_math::{SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::{FinLaw, Scene};
use merrow_model::state::Workspace;
use merrow_sim::step::Kernel;
use std::path::Path;

/// A fin with each law, away from the origin of its link.
const FIN_LAWS: [&str; 6] = [
    "{kind: lift_drag}",
    "{kind: table, alpha_deg: [0, 20, 180], lift: [0, 0.8, 0], drag: [0.02, 0.3, 0.05]}",
    "{kind: chord, normal_slope_per_rad: 3, axial: 0.05}",
    "{kind: fossen, lift_slope_per_rad: 0.5}",
    "{kind: fossen, lift_slope_per_rad: 5}",
    "{kind: derivative, coefficient_n_s2_per_m2: 10}",
];

/// Returns the place of a law in [`FIN_LAWS`]; a law without one does not compile.
fn place_of(law: &FinLaw) -> usize {
    match law {
        FinLaw::LiftDrag(_) => 0,
        FinLaw::Table(_) => 1,
        FinLaw::Chord { .. } => 2,
        FinLaw::Fossen { .. } => 3,
        FinLaw::Derivative { .. } => 5,
        FinLaw::Azimuth(_) => usize::MAX,
    }
}

/// Returns a world with a deep, neutral body and its additional `keys`.
fn world(body: &str, keys: &str) -> String {
    format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  board:
    position_m: [0, 0, -50]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 2, yy: 3, zz: 4}}, net_buoyancy_n: 0{body}}}
{keys}"
    )
}

fn fin(law: &str, mounting: &str) -> Scene {
    let keys = format!(
        "      fins: {{f: {{position_m: [-0.8, 0, 0], shaft: [0, 0, 1]{mounting}, surface: {{source: test, area_m2: 0.05, span_m: 0.3, range_deg: [-60, 60], law: {law}}}}}}}\n"
    );
    scene(&world("", &keys))
}

/// Returns the wrench on the base, at its origin, with the velocity `V` and all fins at `angle`
/// [rad].
fn wrench(scene: &Scene, V: SpatialVelocity, angle: f64) -> SpatialForce {
    let robot = &scene.robots[0];
    let mut motion = start(scene, 0);
    (motion.V_WB_B, motion.p_WB.z) = (V, -50.0);
    let mut work = Workspace::new(robot);
    for fin in &mut work.fins {
        (fin.angle, fin.area_fraction) = ([angle; 3], 1.0);
    }
    let none = vec![0.0; robot.n_joints()];
    Kernel::new().evaluate(
        robot,
        &initial_environment(scene),
        &motion,
        &none,
        &mut work,
    );
    work.links[0].F
}

fn moving(v: Vec3) -> SpatialVelocity {
    SpatialVelocity { w: Vec3::zero(), v }
}

/// Returns unit vectors at incidences of 0 to 180 deg in steps of 5 deg, in eight planes about x.
fn directions() -> Vec<Vec3> {
    let mut all = Vec::new();
    for plane in 0..8 {
        let (b, a) = (f64::from(plane) * 0.25 * std::f64::consts::PI).sin_cos();
        for k in 0..=36 {
            let (s, c) = f64::from(5 * k).to_radians().sin_cos();
            all.push(Vec3::new(c, s * a, s * b));
        }
    }
    all
}

// A fin with any law and angle never accelerates the body, also if the body turns. Method: power of
// the fin in all directions and three rates of turn. Tolerance: rounding.
#[test]
fn fins_take_energy_at_every_incidence() {
    for (k, law) in FIN_LAWS.into_iter().enumerate() {
        let s = fin(law, "");
        let place = place_of(&s.robots[0].fins[0].law);
        assert!(place == k || place + 1 == k, "{law}");
        let mut without = s.clone();
        without.robots[0].fins.clear();
        for v in directions() {
            for (angle, rate) in [
                (-0.4, 0.0),
                (0.1, 0.0),
                (0.25, 0.7),
                (0.25, -3.0),
                (1.0, 0.0),
            ] {
                let V = SpatialVelocity {
                    w: Vec3::new(0.0, 0.2 * rate, rate),
                    v: v.scale(1.3),
                };
                let power = V.dot(&wrench(&s, V, angle)) - V.dot(&wrench(&without, V, angle));
                assert!(
                    power < 1e-9,
                    "{law}: {power} W, {v:?}, {angle} rad, {rate} rad/s"
                );
            }
        }
    }
}

// Up to 30 deg of incidence the laws of whole vehicles are unchanged: everywhere if the incidence
// is part of the hull, otherwise where they dissipate. Method: (7) and (8) of `actuators/fin.rs` by
// hand. Tolerance: rounding.
#[test]
fn fins_of_vehicle_models_keep_their_published_law() {
    let q = 0.5 * 1000.0 * 0.05 * 1.69;
    for deg in [-29.0, -10.0, 0.0, 3.0, 10.0, 29.0] {
        let (sin, cos) = f64::to_radians(deg).sin_cos();
        let V = moving(Vec3::new(cos, sin, 0.0).scale(1.3));
        for angle in [-0.3, 0.1] {
            let fossen = Vec3::new(-angle * angle, angle, 0.0).scale(q * 0.5);
            let derivative = Vec3::new(0.0, 10.0 * 1.69 * cos * cos * angle, 0.0);
            for (law, F) in [(FIN_LAWS[3], fossen), (FIN_LAWS[5], derivative)] {
                let found = wrench(&fin(law, ", incidence_in_hull: true"), V, angle).f;
                close_vectors(&format!("{law} at {deg}"), found, F, 1e-12);
                let found = wrench(&fin(law, ""), V, angle).f;
                // without the part along the motion that would accelerate it
                let F = F - V.v.scale(F.dot(V.v).max(0.0) / 1.69);
                close_vectors(&format!("{law} at {deg}, alone"), found, F, 1e-12);
            }
        }
    }
}

// The forces of Fossen's rudder and of a derivative are reversed in flow from astern. Method: the
// force at the opposite velocity, reversed. Tolerance: rounding.
#[test]
fn fins_are_reversed_in_flow_from_astern() {
    for law in [FIN_LAWS[3], FIN_LAWS[5]] {
        for mounting in ["", ", incidence_in_hull: true"] {
            let s = fin(law, mounting);
            let ahead = wrench(&s, moving(Vec3::new(1.3, 0.0, 0.0)), 0.25).f;
            let astern = wrench(&s, moving(Vec3::new(-1.3, 0.0, 0.0)), 0.25).f;
            close_vectors(law, astern, Vec3::new(-ahead.x, -ahead.y, 0.0), 1e-12);
            assert!(ahead.y > 0.0, "{law}");
        }
    }
}

/// Returns the names of the bundled components of a kind, sorted.
fn bundled(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("params")
        .join(kind);
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Returns the power of the water on a steadily moving robot [W], and the force [N], with all fins
/// at `angle` [rad].
fn drag(scene: &Scene, v: Vec3, angle: f64) -> (f64, Vec3) {
    let still = wrench(scene, moving(Vec3::zero()), angle).f;
    let F = wrench(scene, moving(v), angle).f - still;
    (F.dot(v), F)
}

// No bundled hull gains energy at any incidence, and the drag astern is within a factor of 2 of the
// drag ahead. Method: power of the water on every bundled body in steady motion. Tolerance:
// rounding.
#[test]
fn hulls_take_energy_at_every_incidence() {
    let mut laws = [0; 3];
    for name in bundled("bodies") {
        let text = format!(
            "robots: {{r: {{position_m: [0, 0, -50], model: {{source: test, body: {{extends: bodies/{name}.yaml}}}}}}}}"
        );
        let s = scene(&text);
        let link = &s.robots[0].links[0];
        laws[0] += usize::from(link.forces.slender.is_some());
        laws[1] += usize::from(link.forces.glider.is_some());
        laws[2] += usize::from(!link.derivatives.is_empty());
        for v in directions() {
            let (power, F) = drag(&s, v.scale(1.2), 0.0);
            assert!(power < 1e-9, "{name}: {power} W, {v:?}, {F:?}");
        }
        let along = |u: f64| drag(&s, Vec3::new(u, 0.0, 0.0), 0.0).1.x;
        let (ahead, astern) = (-along(1.0), along(-1.0));
        assert!(
            astern <= 2.0 * ahead && ahead <= 2.0 * astern,
            "{name}: {ahead} N, {astern} N"
        );
    }
    assert!(laws.into_iter().all(|count| count > 0), "{laws:?}");
}

// The vehicles whose fins are part of the hull model take energy at every incidence and fin angle.
// Method: power of the water on hull and fins. Tolerance: rounding.
#[test]
fn hulls_with_fins_take_energy_at_every_incidence() {
    for name in ["remus100", "remus100_mss", "remus100_prestero", "taipan300"] {
        let s = scene(&format!(
            "robots: {{r: {{model: {{extends: robots/{name}.yaml, sensors: null, thrusters: null, firmware: null, battery: null}}}}}}"
        ));
        for v in directions() {
            for angle in [-0.26, -0.05, 0.05, 0.26] {
                let (power, F) = drag(&s, v.scale(1.2), angle);
                assert!(power < 1e-9, "{name}: {power} W, {v:?}, {angle} rad, {F:?}");
            }
        }
    }
}

// A slender body that drifts sideways is not pushed ahead or astern, and its force does not jump as
// the flow passes the beam. Method: forces a millionth of a degree ahead and astern of the beam.
// Tolerance: the share of that angle.
#[test]
fn forces_are_continuous_at_the_beam() {
    for name in ["remus100_fossen_python", "seawing_hull"] {
        let s = scene(&format!(
            "robots: {{r: {{position_m: [0, 0, -50], model: {{source: test, body: {{extends: bodies/{name}.yaml}}}}}}}}"
        ));
        for side in [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)] {
            let at = |u: f64| wrench(&s, moving(side + Vec3::new(u, 0.0, 0.0)), 0.0);
            let (before, after) = (at(1e-8), at(-1e-8));
            assert!(
                (before.f - after.f).norm() < 1e-3,
                "{name}: {before:?} {after:?}"
            );
            assert!(
                (before.m - after.m).norm() < 1e-3,
                "{name}: {before:?} {after:?}"
            );
        }
    }
}

// The rotational damping of a glider opposes the rotation at every incidence. Method: power of the
// part of the moment that depends on the rotation.
#[test]
fn glider_damping_opposes_rotation_at_every_incidence() {
    let s = scene(&world(
        ", glider: {drag: [7, 380], lift: [-0.4, 440], side: -115, roll: [-58, -20], pitch: [0.3, -66, -205], yaw: [34, -389]}",
        "",
    ));
    for v in directions() {
        let moment = |w: Vec3| wrench(&s, SpatialVelocity { w, v: v.scale(0.6) }, 0.0).m;
        for w in [
            Vec3::new(0.3, 0.0, 0.0),
            Vec3::new(0.0, 0.2, 0.0),
            Vec3::new(0.2, -0.1, 0.3),
        ] {
            let power = (moment(w) - moment(Vec3::zero())).dot(w);
            assert!(power < 0.0, "{power} W, {v:?}, {w:?}");
        }
    }
}
