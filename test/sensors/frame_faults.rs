//! Faults of sensors that look around: which they can have, and what these do to frames and to the
//! boxes that are made of them.

use crate::common::{advance, simulation};
use merrow_model::state::frames::{Frame, FrameData};
use merrow_world::{Overrides, load_text};

/// A robot that drives at a wall 9 m ahead at 1 m/s, with these sensors and faults.
fn world(sensors: &str, faults: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.01}}
seabed: {{depth_m: 30}}
structures: {{wall: {{position_m: [10, 0, 4], shapes: {{s: {{kind: box, size_m: [2, 8, 6]}}}}}}}}
robots:
  r:
    position_m: [0, 0, 4]
    velocity_m_s: [1, 0, 0]
    model:
      source: test
      base: floating
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors:
        {sensors}
faults: {{{faults}}}
"
    )
}

const LASER: &str = "laser: {lazy: false, device: {source: test, rate_hz: 10, kind: laser, azimuth_deg: [-30, 30], beams: 61, max_range_m: 30}}";
const DETECTOR: &str = "detector: {lazy: false, device: {source: test, rate_hz: 10, kind: obstacle_detector, sensor: laser, max_range_m: 30}}";
const CAMERA: &str = "camera: {lazy: false, device: {source: test, rate_hz: 10, kind: camera, width: 16, height: 12, horizontal_fov_deg: 60}}";

/// The frames of sensor `sensor` in `seconds`.
fn frames(text: &str, sensor: usize, seconds: f64) -> Vec<Frame> {
    let mut sim = simulation(text);
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(&mut sim, 0.1);
        all.extend(sim.frames.drain(..).filter(|frame| frame.sensor == sensor));
    }
    all
}

// Goal: a sensor that is stuck brings its last frame again and again, with the stamp of each
// sample, and goes on afterwards. Method: a laser and a camera that drive at a wall, stuck from
// 0.35 to 0.75 s. Tolerance: none.
#[test]
fn what_is_stuck_brings_its_last_frame_again() {
    for (sensor, name) in [(0, "laser"), (1, "camera")] {
        let fault =
            format!("f: {{robot: r, target: {name}, kind: stuck, time_s: 0.35, duration_s: 0.4}}");
        let sensors = format!("{LASER}\n        {CAMERA}");
        let (well, stuck) = (
            frames(&world(&sensors, ""), sensor, 1.2),
            frames(&world(&sensors, &fault), sensor, 1.2),
        );
        assert!(
            well.len() >= 10 && stuck.len() == well.len(),
            "{name}: {} {}",
            well.len(),
            stuck.len()
        );
        for (k, (well, frame)) in well.iter().zip(&stuck).enumerate() {
            assert_eq!(
                (frame.stamp_ns, frame.due_ns),
                (well.stamp_ns, well.due_ns),
                "{name} {k}"
            );
            let repeats = (4..=7).contains(&k);
            assert_eq!(frame.data == stuck[3].data, repeats || k == 3, "{name} {k}");
            assert_eq!(frame.data == well.data, !repeats, "{name} {k}");
        }
    }
}

/// Distance of the box that a detector tells of in its last frame.
fn told(faults: &str) -> Option<f64> {
    let sensors = format!("{LASER}\n        {DETECTOR}").replace("        laser", "laser");
    let all = frames(&world(&sensors, faults), 1, 0.3);
    let FrameData::Detections(boxes) = &*all.last()?.data else {
        panic!("no boxes")
    };
    assert_eq!(boxes.len(), 1);
    Some(boxes[0].p.x)
}

// Goal: what is wrong with a laser is wrong with the boxes that are made of its echoes. Method: a
// bias of a metre; a laser that is dead; a bias of the detector itself. Tolerance: 0.1 m: a box
// ends where its echoes do.
#[test]
fn a_detector_hears_its_sensor_as_it_is() {
    let well = told("").expect("a box");
    let biased = told("f: {robot: r, target: laser, kind: biased, bias: 1}").expect("a box");
    assert!((biased - well - 1.0).abs() < 0.1, "{biased} {well}");
    let own = told("f: {robot: r, target: detector, kind: biased, bias: 1}").expect("a box");
    assert!((own - well - 1.0).abs() < 0.01, "{own} {well}");
    assert_eq!(told("f: {robot: r, target: laser, kind: dead}"), None);
}

// Goal: a fault that would do nothing is refused. Method: a bias of a camera, in a line.
#[test]
fn a_camera_cannot_be_biased() {
    let text = world(
        CAMERA,
        "f: {robot: r, target: camera, kind: biased, bias: 1}",
    );
    let found = load_text("test.yaml", &text, Overrides::default())
        .expect_err("it is refused")
        .to_string();
    assert!(
        found.contains("`camera` cannot be `biased`, expected one of dead, stuck, intermittent"),
        "{found}"
    );
}
