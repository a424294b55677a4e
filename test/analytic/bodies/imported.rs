//! Tests of the hydrostatics and the inertia of robots from URDF and of hulls of several solids.
//!
//! A body of several shapes floats as the sum of its shapes, and masses fixed to it count by the
//! parallel axis theorem. Method: closed forms. Tolerance: rounding and the squared step of the
//! finite differences; 0.5 % where the triangles of a round shape approximate its waterplane.

use crate::common::folder::Folder;
use crate::common::meshes::{cuboid, sphere};
use crate::common::tree::Random;
use crate::common::{close, close_vectors, relative, scene, within};
use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Scene;
use merrow_sim::report::hydrostatic_equilibrium::{
    Equilibrium, FloatingState, compute_equilibrium,
};
use merrow_world::{Overrides, World, load_world};
use std::f64::consts::PI;

fn floating_state(scene: &Scene) -> FloatingState {
    match compute_equilibrium(scene, &scene.robots[0]) {
        Equilibrium::Floating(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Loads a URDF of one link with the given mass [kg] and collision shapes, in fresh water.
fn load_shapes(name: &str, mass: f64, shapes: &str, files: &[(&str, &str)]) -> World {
    let urdf = format!(
        "<robot name='r'><link name='base'><inertial><mass value='{mass}'/>\
         <inertia ixx='80' iyy='40' izz='110'/></inertial>{shapes}</link></robot>"
    );
    let world = "water: {density_kg_m3: 1000}\nrobots: {r: {model: {urdf: r.urdf}}}\n";
    let mut all = vec![("w.yaml", world), ("r.urdf", urdf.as_str())];
    all.extend(files);
    let folder = Folder::new(&format!("imported_{name}"), &all);
    load_world(&folder.0.join("w.yaml"), Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

fn collision(pose: &str, geometry: &str) -> String {
    format!("<collision><origin {pose}/><geometry><{geometry}/></geometry></collision>")
}

/// Checks the equilibrium of two floats of 2 x 0.25 x 0.2 m at y = ±1 m that carry 120 kg, with the
/// centre of mass at their centre.
fn check_catamaran(found: &FloatingState) {
    // both floats: I_t = Σ (L B³/12 + L B y²), I_l = Σ B L³/12
    let (length, beam, draught, volume) = (2.0_f64, 0.25, 0.12, 0.12);
    let along = 2.0 * (length * beam * beam * beam / 12.0 + length * beam);
    let across = 2.0 * beam * length * length * length / 12.0;
    let center = 0.5 * draught - 0.1;
    close("draught", found.draught.unwrap(), draught, 1e-9);
    close("waterplane", found.waterplane, 1.0, 1e-7);
    close("GMt", found.gm_transverse, along / volume + center, 1e-6);
    close("GMl", found.gm_longitudinal, across / volume + center, 1e-6);
    close("GMt", found.gm_transverse, 8.3367, 1e-4);
    close("GMl", found.gm_longitudinal, 2.7378, 1e-4);
}

#[test]
fn catamaran_floats_on_both_hulls() {
    let float = |y: i32| collision(&format!("xyz='0 {y} 0'"), "box size='2 0.25 0.2'");
    let imported = load_shapes("catamaran", 120.0, &(float(1) + &float(-1)), &[]);
    check_catamaran(&floating_state(&imported.scene));
    let solid = |y: i32| format!("{{kind: box, size_m: [2, 0.25, 0.2], position_m: [0, {y}, 0]}}");
    let written = scene(&format!(
        "water: {{density_kg_m3: 1000}}
robots: {{r: {{model: {{source: test, body: {{source: test, axes: flu, mass_kg: 120,
  inertia_kg_m2: {{xx: 80, yy: 40, zz: 110}},
  hull: {{kind: solids, solids: {{port: {}, starboard: {}}}}}}}}}}}}}",
        solid(1),
        solid(-1)
    ));
    check_catamaran(&floating_state(&written));
}

// Two balls fixed to the base, without hulls of their own, half submerged: the waterplane
// consists of two circles 2 m apart, not of the circle of one ball of their volume.
#[test]
fn volumes_of_fixed_links_stay_apart() {
    let radius = 0.3_f64;
    let volume = 4.0 / 3.0 * PI * radius * radius * radius;
    let ball = |y: i32| {
        format!(
            "{{parent: base_link, joint: {{kind: fixed, position_m: [0, {y}, 0]}},
            body: {{source: test, axes: flu, mass_kg: 1, volume_m3: {volume},
            inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}"
        )
    };
    let mass = 1000.0 * volume - 2.0;
    let scene = scene(&format!(
        "water: {{density_kg_m3: 1000}}
robots: {{r: {{model: {{source: test, body: {{source: test, axes: flu, mass_kg: {mass},
  inertia_kg_m2: {{xx: 80, yy: 40, zz: 110}}}}, links: {{port: {}, starboard: {}}}}}}}}}",
        ball(1),
        ball(-1)
    ));
    let found = floating_state(&scene);
    close("draught", found.draught.unwrap(), radius, 1e-9);
    let area = PI * radius * radius;
    close("waterplane", found.waterplane, 2.0 * area, 1e-6);
    // the metacentre of one ball is its centre; the distance of both adds A y² / V
    close("GMt", found.gm_transverse, 2.0 * area / volume, 1e-6);
    close("GMl", found.gm_longitudinal, 0.0, 1e-6);
}

// A cylinder floats upright as a spar and lies as a log; it is not its bounding box.
#[test]
fn cylinders_float_as_cylinders() {
    let (radius, length) = (0.2_f64, 2.0);
    let shape = format!("cylinder radius='{radius}' length='{length}'");
    let mass = 500.0 * PI * radius * radius * length;
    let upright = load_shapes("spar", mass, &collision("", &shape), &[]);
    let found = floating_state(&upright.scene);
    let area = PI * radius * radius;
    close("draught", found.draught.unwrap(), 1.0, 1e-9);
    relative("waterplane", found.waterplane, area, 1e-6);
    // BM = π r⁴/4 / V, B half the draught below the centre of mass
    let bm = 0.25 * radius * radius;
    close("GM", found.gm_transverse, bm - 0.5, 1e-4);
    close("GM", found.gm_longitudinal, bm - 0.5, 1e-4);
    let lying = collision("rpy='1.5707963267948966 0 0'", &shape);
    let found = floating_state(&load_shapes("log", mass, &lying, &[]).scene);
    relative("draught", found.draught.unwrap(), radius, 0.005);
    let width = 2.0 * radius;
    relative("waterplane", found.waterplane, width * length, 0.005);
    within("GM about the axis", found.gm_longitudinal, 0.0, 0.001);
    // BM = 2 r L³/12 / V, the centroid of a half disc is 4 r / 3 π below the centre
    let bm = width * length * length * length / 12.0 / (0.5 * area * length);
    let gm = bm - 4.0 * radius / (3.0 * PI);
    relative("GM across", found.gm_transverse, gm, 0.005);
}

// Boxes and spheres in random poses: the submerged volume at random planes is the sum of the exact
// cuts of each; capsules, cylinders and meshes add their volumes.
#[test]
fn hull_of_random_shapes_is_their_sum() {
    let mut random = Random::new(5);
    let (mut shapes, mut solids) = (String::new(), Vec::new());
    for i in 0..6 {
        let p = random.vector(2.0);
        let rpy = random.vector(1.5);
        let pose = format!(
            "xyz='{} {} {}' rpy='{} {} {}'",
            p.x, p.y, p.z, rpy.x, rpy.y, rpy.z
        );
        let half: [f64; 3] = std::array::from_fn(|_| random.between(0.1, 0.5));
        let (geometry, shape) = if i % 2 == 0 {
            let [x, y, z] = half.map(|h| 2.0 * h);
            let text = format!("box size='{x} {y} {z}'");
            (text, HullShape::Box(Vec3::from(half)))
        } else {
            let text = format!("sphere radius='{}'", half[0]);
            (text, HullShape::Ellipsoid(Vec3::from([half[0]; 3])))
        };
        shapes += &collision(&pose, &geometry);
        solids.push((shape, Mat3::from_rpy(rpy.x, rpy.y, rpy.z), p));
    }
    let world = load_shapes("random", 100.0, &shapes, &[]);
    let link = &world.scene.robots[0].links[0];
    let mesh = link.hull_mesh.as_ref().unwrap();
    let total: f64 = solids.iter().map(|(shape, ..)| shape.volume()).sum();
    relative("volume", link.volume_m3, total, 1e-12);
    relative("volume of the mesh", mesh.volume, total, 1e-12);
    for _ in 0..20 {
        let up = random.vector(1.0).unit().unwrap();
        let height = random.between(-1.5, 1.5);
        let cut = |(shape, R, p): &(HullShape, Mat3, Vec3)| {
            let cut = shape.cut_below(R.tr_mul_vec(up), height + up.dot(*p));
            cut.fraction * shape.volume()
        };
        let expected: f64 = solids.iter().map(cut).sum();
        let found = mesh.submerged_below_plane(up, height).volume;
        within("submerged", found, expected, 0.002 * total);
    }
}

// A mesh has its own volume, an open one the volume of its convex hull: a cube of 1 m without lid.
#[test]
fn meshes_float_with_their_volume() {
    let cube = cuboid([1.0; 3], 2);
    let mut open = cuboid([1.0; 3], 2);
    open.triangles
        .retain(|t| t.iter().any(|k| open.vertices[*k as usize].z < 0.5));
    let ball = sphere(0.5, 3);
    let mesh = |name: &str, y: i32| {
        collision(
            &format!("xyz='0 {y} 0'"),
            &format!("mesh filename='{name}'"),
        )
    };
    let files = [
        ("cube.obj", cube.obj()),
        ("open.obj", open.obj()),
        ("ball.obj", ball.obj()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let shapes = mesh("cube.obj", 1)
        + &mesh("open.obj", -1)
        + &collision("", "capsule radius='0.1' length='1'");
    let world = load_shapes("meshes", 1000.0, &shapes, &files);
    let link = &world.scene.robots[0].links[0];
    let capsule = PI * 0.01 * (1.0 + 0.4 / 3.0);
    relative("volume", link.volume_m3, 2.0 + capsule, 1e-9);
    close_vectors("centre", link.p_LoCb, Vec3::zero(), 1e-9);
    let found = floating_state(&world.scene);
    relative("waterplane", found.waterplane, 2.0 + PI * 0.01, 1e-4);
    let round = load_shapes("ball", 100.0, &mesh("ball.obj", 0), &files);
    let hull = &round.scene.robots[0].links[0];
    assert!(hull.hull_mesh.is_some());
    within("volume of the ball", hull.volume_m3, PI / 6.0, 0.02);
}

// The net weight of an imported robot is reported: 2.3 kg that displace 0.88 l sink.
#[test]
fn net_weight_of_imported_robots_is_reported() {
    let note = |mass: f64, size: &str| {
        let world = load_shapes(
            "net",
            mass,
            &collision("", &format!("box size='{size}'")),
            &[],
        );
        let found: Vec<String> = world.notes.iter().map(|note| note.text.clone()).collect();
        let found = found
            .iter()
            .find(|text| text.starts_with("the imported robot"));
        found.expect("a note").clone()
    };
    let weight = |mass: f64| format!("{:.4} N", 9.81 * mass);
    let (sinking, floating) = (note(2.3, "0.1 0.08 0.11"), note(120.0, "1 1 0.2"));
    let sinks = "sinks: submerged, its weight exceeds its buoyancy by ";
    let floats = "floats: submerged, its buoyancy exceeds its weight by ";
    for (note, how, mass) in [(sinking, sinks, 2.3 - 0.88), (floating, floats, 80.0)] {
        assert!(note.contains(&(how.to_string() + &weight(mass))), "{note}");
    }
    assert!(note(200.0, "1 1 0.2").contains("is neutrally buoyant"));
}

// Every device accepts the names of a URDF: the base, an upper-case link and a link fixed to it.
// The fixed link is 0.2 m ahead of the link `tool/Tip`, which is 0.3 m ahead of the base.
#[test]
fn devices_are_mounted_on_imported_links() {
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
        )
    };
    let urdf = format!(
        "<robot name='r'>{}{}{}
<joint name='j' type='continuous'><parent link='Base'/><child link='tool/Tip'/><origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>
<joint name='k' type='fixed'><parent link='tool/Tip'/><child link='Mount'/><origin xyz='0.2 0 0' rpy='0 0 1.5707963267948966'/></joint></robot>",
        link("Base"),
        link("tool/Tip"),
        link("Mount")
    );
    let line = "{source: test, diameter_m: 0.01, mass_kg_per_m: 0.08, axial_stiffness_n: 1e5, normal_drag: 1, tangential_drag: 0.01, added_mass: 1}";
    let tether = |name: &str, link: &str| {
        format!(
            "  {name}: {{line: {line}, from: {{kind: world, position_m: [0, 0, 0]}}, to: {{kind: robot, robot: r, link: {link}, position_m: [0.1, 0, 0]}}, length_m: 40}}\n"
        )
    };
    let world = format!(
        "robots:
  r:
    position_m: [0, 0, -30]
    model: {{urdf: r.urdf, contact_wrenches: [Mount, base_link], modems: {{m: {{modem: evologics_s2c_r_18_34, link: Mount, position_m: [0.1, 0, 0]}}}}}}
tethers:
{}{}{}couplings:
  c: {{kind: latch, a: {{robot: r, link: Mount, position_m: [0.1, 0, 0]}}, b: {{position_m: [0, 0, 0]}}}}
beacons:
  b: {{beacon: s2c_18_34, robot: r, link: Mount, position_m: [0.1, 0, 0]}}
schedule: {{f: {{time_s: 0, robot: r, kind: push, link: Mount, force_n: [1, 0, 0], duration_s: 1}}}}
",
        tether("base", "base_link"),
        tether("tip", "tool/Tip"),
        tether("mount", "Mount")
    );
    let folder = Folder::new("imported_mounts", &[("w.yaml", &world), ("r.urdf", &urdf)]);
    let scene = load_world(&folder.0.join("w.yaml"), Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"))
        .scene;
    let end = |k: usize| match scene.tethers[k].ends[1] {
        merrow_model::scene::TetherEnd::Link { link, p_LoQ, .. } => (link, p_LoQ),
        ref other => panic!("{other:?}"),
    };
    let tip = scene.robots[0].link_index("tool/Tip").unwrap();
    let ahead = Vec3::new(0.1, 0.0, 0.0);
    // turned by 90 degrees about z
    let mounted = Vec3::new(0.2, 0.1, 0.0);
    for (k, link, expected) in [(0, 0, ahead), (1, tip, ahead), (2, tip, mounted)] {
        let (found, p) = end(k);
        assert_eq!(found, link);
        close_vectors("end", p, expected, 1e-12);
    }
    let modem = &scene.modems[0];
    assert_eq!(modem.on, Some((0, tip)));
    close_vectors("modem", modem.p, mounted, 1e-12);
    let beacon = &scene.beacons[0];
    assert_eq!(beacon.on, Some((0, tip)));
    close_vectors("beacon", beacon.p, mounted, 1e-12);
}
