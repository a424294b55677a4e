//! Tests AprilTags in images with the tags' own detector, and stereo pairs with OpenCV.

use crate::common::folder::Folder;
use crate::common::python::script;
use crate::common::{advance, simulation};
use merrow_messages::convert::camera::camera_info;
use merrow_messages::convert::header;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::camera::CameraSpec;
use merrow_model::state::frames::FrameData;
use merrow_sim::Simulation;
use serde_json::{Value, json};

/// Returns a simulation of a fixed robot at (0, 0, z) with cameras that look along x.
fn world(z: f64, cameras: &str, rest: &str) -> Simulation {
    let text = format!(
        "
step: {{dt_s: 0.01}}
robots:
  r:
    position_m: [0, 0, {z}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{{cameras}}}
seabed: {{depth_m: 30}}
weather: {{cloud_cover: 1, start_utc: '2026-06-20T20:00:00Z'}}
{rest}
"
    );
    let mut simulation = simulation(&text);
    advance(&mut simulation, 0.1);
    simulation
}

fn spec(simulation: &Simulation, sensor: usize) -> CameraSpec {
    match simulation.scene.robots[0].sensors[sensor]
        .kind
        .exteroceptive()
        .map(|spec| &**spec)
    {
        Some(ExteroceptiveSpec::Camera(spec)) => spec.clone(),
        _ => panic!("no camera"),
    }
}

/// Writes the first colour image of a sensor and returns its path.
fn file(simulation: &Simulation, sensor: usize, folder: &Folder, name: &str) -> String {
    let frame = simulation
        .frames
        .iter()
        .find(|frame| frame.sensor == sensor)
        .expect("a frame");
    let FrameData::CameraImages(images) = &*frame.data else {
        panic!("no camera images")
    };
    let path = folder.0.join(name);
    std::fs::write(&path, images.rgb.as_ref().expect("colours")).unwrap();
    path.to_string_lossy().into_owned()
}

fn detect_tags(request: &Value, folder: &Folder) -> Option<Value> {
    let mut command = script("witness/devices/tags.py")?;
    let files = (folder.0.join("request.json"), folder.0.join("reply.json"));
    std::fs::write(&files.0, request.to_string()).unwrap();
    let output = command.args([&files.0, &files.1]).output().unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_str(&std::fs::read_to_string(&files.1).unwrap()).ok()
}

/// Number, position relative to the camera (forward, left, up) [m] and yaw [deg] of tags.
type Tags<'a> = &'a [(u32, [f64; 3], f64)];

const ABOVE: Tags<'_> = &[
    (0, [2.5, 0.75, 0.5], 0.0),
    (7, [4.0, -1.2, 0.2], 30.0),
    (42, [6.0, 0.4, -0.4], -45.0),
    (300, [8.0, -0.8, 0.7], 10.0),
    (586, [5.0, 2.2, -0.9], -20.0),
];
const BELOW: Tags<'_> = &[
    (1, [1.2, 0.25, 0.1], 0.0),
    (99, [2.0, -0.5, 0.1], 25.0),
    (410, [3.0, 0.4, -0.85], -40.0),
];

const BLACK_M: f64 = 0.4;

fn tag_boards(tags: Tags<'_>, z: f64) -> String {
    let board = |(id, [x, y, up], yaw): &(u32, [f64; 3], f64)| {
        // The tag is on the face of the box, half of 2 cm in front of its centre.
        let turn = yaw.to_radians();
        let (x, y) = (x + 0.01 * turn.cos(), y + 0.01 * turn.sin());
        format!(
            "  tag{id}: {{position_m: [{x}, {y}, {}], attitude_deg: [0, 0, {yaw}], shapes: {{s: {{kind: box, size_m: [0.02, 0.56, 0.56],
    material: {{color: [0.4, 0.4, 0.4]}}, texture: {{kind: apriltag, id: {id}, size_m: {BLACK_M}, sides: [-x]}}}}}}}}\n",
            z + up
        )
    };
    format!(
        "structures:\n{}",
        tags.iter().map(board).collect::<String>()
    )
}

// Rendered tags equal the published tags, upright and at their positions. Method: pupil-apriltags,
// the detector of the tags' authors, on two images of 640 x 480: five tags at 2.5 to 8 m in air,
// rotated by up to 45 degrees, and three at 1.2 to 3 m in clear water, with noise. The detector
// runs on linearised images and on the sRGB images as published, in which the sRGB curve makes
// black areas narrower: an edge at a uniformly distributed position in a pixel moves by the mean of
// the curve over 0..1 minus a half, 0.19 px. Tolerance: 1 % of the distance; for sRGB images
// additionally a quarter of a pixel on each side.
#[test]
fn detected_tag_positions_match() {
    let folder = Folder::new("tags", &[]);
    let camera = "c: {lazy: false, device: {source: test, kind: camera, rate_hz: 10, width: 640, height: 480, horizontal_fov_deg: 60}}";
    let (mut images, mut expected, mut focal) = (Vec::new(), Vec::new(), 0.0);
    for (name, z, tags, rest) in [
        ("above", 6.0, ABOVE, ""),
        ("below", -3.0, BELOW, "water: {optics: {jerlov: I}}"),
    ] {
        let simulation = world(z, camera, &format!("{}{rest}", tag_boards(tags, z)));
        let spec = spec(&simulation, 0);
        let file = file(&simulation, 0, &folder, name);
        focal = spec.lens.focal[0];
        images.push(json!({"file": file, "size": spec.size, "focal": spec.lens.focal, "center": spec.lens.center, "black_m": BLACK_M}));
        expected.push(tags);
    }
    let Some(reply) = detect_tags(&json!({"tags": images}), &folder) else {
        return;
    };
    for (k, tags) in expected.iter().enumerate() {
        for (what, side) in [("tags", 0.0), ("raw", 0.25)] {
            let found = reply[what][k].as_array().unwrap();
            for (id, [x, y, z], _) in *tags {
                let tag = found
                    .iter()
                    .find(|tag| tag["id"] == json!(id))
                    .unwrap_or_else(|| panic!("no tag {id}: {found:?}"));
                let at = |i: usize| tag["position"][i].as_f64().unwrap();
                let off = ((at(0) + y).powi(2) + (at(1) + z).powi(2) + (at(2) - x).powi(2)).sqrt();
                let far = (x * x + y * y + z * z).sqrt();
                let width = focal * BLACK_M / x;
                println!(
                    "{what} {id}: {:.2} % of {far:.1} m, {width:.0} px",
                    100.0 * off / far
                );
                assert!(
                    off < (0.01 + 2.0 * side / width) * far,
                    "{what} {id} is {off} m off at {far} m"
                );
                assert!(
                    tag["upright"].as_f64().unwrap() > 0.99,
                    "tag {id} stands on its head: {tag}"
                );
            }
            assert_eq!(found.len(), tags.len());
        }
    }
}

// Two cameras side by side give the disparity of a stereo pair and publish the matching
// `camera_info`. Method: a wall of tags 4 m ahead, measured with OpenCV features and their optical
// flow between the images; the right camera's `camera_info` calculated by hand. Tolerance: a
// quarter of a pixel of 16.6.
#[test]
fn stereo_pair_disparity_matches_depth() {
    let folder = Folder::new("pair", &[]);
    let one = |name: &str, y: f64, more: &str| {
        format!(
            "{name}: {{lazy: false, position_m: [0, {y}, 0], device: {{source: test, kind: camera, rate_hz: 10, width: 640, height: 480, horizontal_fov_deg: 60{more}}}}}"
        )
    };
    let cameras = format!(
        "{}, {}",
        one("left", 0.06, ""),
        one("right", -0.06, ", stereo_baseline_m: 0.12")
    );
    let tile = |k: i32| {
        let (y, z) = (0.3 * f64::from(k % 9 - 4), 6.0 + 0.3 * f64::from(k / 9 - 3));
        format!(
            "  t{k}: {{position_m: [4.01, {y}, {z}], shapes: {{s: {{kind: box, size_m: [0.02, 0.3, 0.3], texture: {{kind: apriltag, id: {}, size_m: 0.24, sides: [-x]}}}}}}}}\n",
            9 * k
        )
    };
    let wall: String = (0..63).map(tile).collect();
    let simulation = world(6.0, &cameras, &format!("structures:\n{wall}"));
    let (left, right) = (spec(&simulation, 0), spec(&simulation, 1));
    let [fx, _] = right.lens.focal;
    assert_eq!(camera_info(&left, header(0, "")).p[3], 0.0);
    assert!((camera_info(&right, header(0, "")).p[3] + 0.12 * fx).abs() < 1e-9);
    let files = [
        file(&simulation, 0, &folder, "left"),
        file(&simulation, 1, &folder, "right"),
    ];
    let pair = json!({"files": files, "size": left.size, "window": [[250, 180], [390, 300]]});
    let Some(reply) = detect_tags(&json!({"tags": [], "pair": pair}), &folder) else {
        return;
    };
    let (found, expected) = (reply["disparity"].as_f64().unwrap(), 0.12 * fx / 4.0);
    println!("disparity {found} px, expected {expected}");
    assert!(
        (found - expected).abs() < 0.25,
        "{found} instead of {expected}"
    );
}
