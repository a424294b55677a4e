//! Tests of robots whose visuals differ from their collision shapes.

use super::middle;
use crate::common::folder::Folder;
use crate::common::{advance, close, reading, relative, simulation};
use merrow_model::state::frames::FrameData;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use merrow_world::{Overrides, World, load_world};
use std::sync::Arc;

/// Returns the world with a camera and a laser in calm air that look east, 5 m in front of a robot
/// that is held in place.
fn world_facing(model: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.005}}
weather: {{cloud_cover: 1, start_utc: '2026-06-20T12:00:00Z'}}
robots:
  eye:
    position_m: [0, 0, 20]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors:
        c: {{lazy: false, device: {{source: test, rate_hz: 10, kind: camera, width: 33, height: 25, focal_px: [40, 40], outputs: [rgb, depth, labels]}}}}
        l: {{lazy: false, device: {{source: test, rate_hz: 10, kind: laser, azimuth_deg: [-45, 45], beams: 91, max_range_m: 30}}}}
  seen: {{position_m: [5, 0, 20], model: {model}}}
props:
  ball:
    position_m: [2, 0.4, 20]
    velocity_m_s: [1, 0, 0]
    body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, collisions: {{s: {{kind: sphere, radius_m: 0.25}}}}}}
"
    )
}

/// The keys of the same robot written by hand.
const BY_HAND: &str = "{source: test, base: fixed, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1},
    collisions: {core: {kind: box, size_m: [1, 1, 1]}}, visuals: {skin: {kind: box, size_m: [2, 2, 2], material: {color: [1, 0, 0]}}}}}";

/// A 1 m core in a red box of 2 m, with a material defined elsewhere, on a link that is fixed to
/// the base; a pane that does not exist, and a mesh that is not found.
const URDF: &str = "<robot name='b'>
  <link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
    <collision><geometry><box size='1 1 1'/></geometry></collision>
    <visual><origin xyz='-2 0 0'/><geometry><box size='0.1 4 4'/></geometry><material name='pane'><color rgba='0 0 1 0'/></material></visual>
    <visual><geometry><mesh filename='gone.stl'/></geometry></visual>
  </link>
  <link name='skin'>
    <visual><origin xyz='0.5 0 0'/><geometry><box size='2 2 2'/></geometry><material name='red'/></visual>
  </link>
  <joint name='glued' type='fixed'><parent link='base'/><child link='skin'/><origin xyz='-0.5 0 0'/></joint>
  <material name='red'><color rgba='1 0 0 1'/></material>
</robot>";

fn by_urdf() -> World {
    let text = world_facing("{urdf: b.urdf, base: fixed}");
    let folder = Folder::new("visuals", &[("w.yaml", &text), ("b.urdf", URDF)]);
    load_world(&folder.0.join("w.yaml"), Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

/// Returns the laser ranges ahead and at 4 degrees to starboard [m].
fn ranges(s: &mut Simulation) -> [f64; 2] {
    advance(s, 0.3);
    let mut scans = s.frames.iter().filter_map(|f| match &*f.data {
        FrameData::Scan(scan) => Some(scan),
        _ => None,
    });
    let scan = scans.next_back().expect("a scan");
    [f64::from(scan.ranges[45]), f64::from(scan.ranges[41])]
}

// Cameras and lasers use the visuals of a robot, contact uses its collision shapes; a robot without
// visuals is rendered by its collision shapes. Method: a red box of 2 m around a core of 1 m, as
// URDF, by hand and without visuals; depth, colour and ranges by hand, and a ball that flies at 1
// m/s through the box up to the core. Tolerance: 1e-5 m; twice the green; 5 mm for contact.
#[test]
fn light_uses_visuals_and_contact_uses_collisions() {
    let urdf = by_urdf().scene;
    assert_eq!(
        (urdf.robots[1].visuals.len(), urdf.robots[1].links.len()),
        (1, 1)
    );
    let hand = crate::common::scene(&world_facing(BY_HAND));
    let plain = BY_HAND.replace(
        "visuals: {skin: {kind: box, size_m: [2, 2, 2], material: {color: [1, 0, 0]}}}",
        "",
    );
    let plain = crate::common::scene(&world_facing(&plain));
    let mut seen = Vec::new();
    for (scene, edge, is_red) in [(urdf, 4.0, true), (hand, 4.0, true), (plain, 4.5, false)] {
        let scene = Arc::new(scene);
        let mut s = Simulation::new(Arc::clone(&scene), 1).unwrap();
        let found = ranges(&mut s);
        close("ahead", found[0], edge, 1e-5);
        close(
            "to starboard",
            found[1],
            edge / 4_f64.to_radians().cos(),
            1e-5,
        );
        s.frames.clear();
        advance(&mut s, 1.7);
        let contact = s.state.robots[2].motion.p_WB.x;
        assert!(contact < 4.01, "not yet there: {contact}");
        advance(&mut s, 1.5);
        let rest = s.state.robots[2].motion.p_WB.x;
        close("the ball lies on the core", rest, 4.25, 5e-3);
        let mut s = Simulation::new(scene, 1).unwrap();
        s.frames.clear();
        advance(&mut s, 0.2);
        let mut frames = s.frames.iter().filter_map(|f| match &*f.data {
            FrameData::CameraImages(images) => Some(images.clone()),
            _ => None,
        });
        let images = frames.next_back().expect("camera images");
        let depth = images.depth.as_ref().unwrap()[12 * 33 + 16];
        close("depth", f64::from(depth), edge, 1e-5);
        // None, seabed, two robots.
        assert_eq!(images.labels.as_ref().unwrap()[12 * 33 + 16], 3);
        let [red, green, blue] = middle(&images, [33, 25]);
        // Display values; the air in the path adds some sky light.
        assert_eq!(
            red > 2.0 * green && red > 2.0 * blue,
            is_red,
            "{red} {green} {blue}"
        );
        assert_eq!(
            red > 1.2 * green || red > 1.2 * blue,
            is_red,
            "{red} {green} {blue}"
        );
        seen.push(images.rgb);
    }
    assert!(
        seen[0] == seen[1] && seen[0] != seen[2],
        "the URDF gives the same image as the keys"
    );
}

// Unsupported visuals of a URDF give notes and no errors. Method: the notes of the URDF.
#[test]
fn unsupported_visuals_give_notes() {
    let notes: Vec<String> = by_urdf().notes.iter().map(|n| n.text.clone()).collect();
    assert_eq!(
        notes
            .iter()
            .filter(|n| n.contains("gone.stl") && n.ends_with("cameras and lasers ignore it"))
            .count(),
        1,
        "{notes:?}"
    );
}

// Sound uses the collision shapes. Method: an echo sounder 5 m above the same robot under water:
// 4.5 m. Tolerance: 1e-9.
#[test]
fn sound_uses_collisions() {
    let text = format!(
        "
gravity_m_s2: 0
robots:
  eye:
    position_m: [0, 0, -15]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{a: {{device: {{source: test, kind: altimeter, rate_hz: 500, min_range_m: 0.1, max_range_m: 90}}, attitude_deg: [0, 90, 0]}}}}
  seen: {{position_m: [0, 0, -20], model: {BY_HAND}}}
"
    );
    let Reading::Altimeter(found) = reading(&mut simulation(&text), 0) else {
        panic!("not an altimeter")
    };
    relative("range", found.range, 4.5, 1e-9);
}

/// A bundled mesh in front of the camera, with further keys of the shape.
fn racing_mark(keys: &str) -> String {
    let shape = format!(
        "kind: mesh, file: meshes/models/yellow_mark.glb, position_m: [0, 0, 0.1], attitude_deg: [0, 0, 30]{keys}"
    );
    BY_HAND.replace(
        "{kind: box, size_m: [2, 2, 2], material: {color: [1, 0, 0]}}",
        &format!("{{{shape}}}"),
    )
}

// The parts of a glTF file have the colours of its materials, unless the shape has a material;
// laser light is reflected with the mean of the colour. Method: a yellow racing mark, its intensity
// against the intensity of the same mark with a reflectivity of 0.5. Tolerance: 1 %.
#[test]
fn parts_of_meshes_have_the_colors_of_their_file() {
    let seen = |keys: &str| {
        let scene = crate::common::scene(&world_facing(&racing_mark(keys)));
        let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
        advance(&mut s, 0.2);
        let (mut color, mut intensity) = ([0.0; 3], 0.0);
        for frame in &s.frames {
            match &*frame.data {
                FrameData::CameraImages(images) => color = middle(images, [33, 25]),
                FrameData::Scan(scan) => intensity = f64::from(scan.intensities[45]),
                _ => {}
            }
        }
        (color, intensity)
    };
    let (file, weak) = seen("");
    let (grey, strong) = seen(", material: {reflectivity: 0.5}");
    let is_yellow = file[0] > 1.5 * file[2] && file[1] > 1.3 * file[2];
    assert!(is_yellow && grey[0] < 1.2 * grey[2], "{file:?}, {grey:?}");
    let mean = (0.55 + 0.30 + 0.012) / 3.0;
    close("intensity", weak / strong, mean / 0.5, 0.01 * mean / 0.5);
}

// A visual turns with its fin. Method: a plate along the line of sight and across it; the laser
// range by hand. Tolerance: 1e-5 m.
#[test]
fn visuals_turn_with_their_fin() {
    let model = BY_HAND.replace(
        "visuals: {skin: {kind: box, size_m: [2, 2, 2], material: {color: [1, 0, 0]}}}}",
        "visuals: {flap: {kind: box, size_m: [2, 0.02, 2], turns_with: flap}}},
    fins: {flap: {position_m: [0, 0, 0], shaft: [0, 0, 1], surface: {source: test, area_m2: 0.1, span_m: 0.5, range_deg: [-90, 90],
      law: {kind: lift_drag, aspect_ratio: 4, drag: 0.01, stall_deg: 20}}}}",
    );
    let scene = Arc::new(crate::common::scene(&world_facing(&model)));
    for (angle, range) in [(0.0, 4.0), (std::f64::consts::FRAC_PI_2, 4.99)] {
        let mut s = Simulation::new(Arc::clone(&scene), 1).unwrap();
        s.state.robots[1].fins[0].command = angle;
        s.state.robots[1].fins[0].angle = angle;
        close("range", ranges(&mut s)[0], range, 1e-5);
    }
}
