//! Tests of faults of exteroceptive sensors: which faults they support, and the effects on frames
//! and on the boxes computed from frames.

use crate::common::{advance, simulation};
use merrow_model::sensor::{ExteroceptiveSpec, SensorKind};
use merrow_model::state::frames::{Frame, FrameData};
use merrow_sim::{Pace, Simulation};
use merrow_world::{Overrides, load_text};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Returns a robot that moves towards a wall 9 m ahead at 1 m/s, with these sensors and faults.
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

/// Returns the frames of sensor `sensor` in `seconds`.
fn frames(text: &str, sensor: usize, seconds: f64) -> Vec<Frame> {
    let mut sim = simulation(text);
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(&mut sim, 0.1);
        all.extend(sim.frames.drain(..).filter(|frame| frame.sensor == sensor));
    }
    all
}

// A stuck sensor repeats its last frame with the stamp of each sample and continues normally
// afterwards. Method: a laser and a camera that approach a wall, stuck from 0.35 to 0.75 s.
#[test]
fn stuck_sensors_repeat_their_last_frame() {
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

/// Returns the distance of the box in the last frame of a detector [m].
fn box_distance(faults: &str) -> Option<f64> {
    let sensors = format!("{LASER}\n        {DETECTOR}").replace("        laser", "laser");
    let all = frames(&world(&sensors, faults), 1, 0.3);
    let FrameData::Detections(boxes) = &*all.last()?.data else {
        panic!("no boxes")
    };
    assert_eq!(boxes.len(), 1);
    Some(boxes[0].p.x)
}

// A fault of a laser also affects the boxes computed from its echoes. Method: a bias of one metre;
// a dead laser; a bias of the detector itself. Tolerance: 0.1 m, for the echoes that bound a box.
#[test]
fn sensor_faults_affect_the_detector() {
    let well = box_distance("").expect("a box");
    let biased =
        box_distance("f: {robot: r, target: laser, kind: biased, bias: 1}").expect("a box");
    assert!((biased - well - 1.0).abs() < 0.1, "{biased} {well}");
    let own =
        box_distance("f: {robot: r, target: detector, kind: biased, bias: 1}").expect("a box");
    assert!((own - well - 1.0).abs() < 0.01, "{own} {well}");
    assert_eq!(
        box_distance("f: {robot: r, target: laser, kind: dead}"),
        None
    );
}

// A fault without effect is rejected. Method: a bias of a camera; the one-line message.
#[test]
fn camera_bias_is_refused() {
    let text = world(
        CAMERA,
        "f: {robot: r, target: camera, kind: biased, bias: 1}",
    );
    let found = load_text("test.yaml", &text, Overrides::default())
        .expect_err("it is refused")
        .to_string();
    assert!(
        found.contains("`camera` cannot be `biased`; expected one of dead, stuck, intermittent"),
        "{found}"
    );
}

// A worker thread that fails ends a run that waits for it, and the message names its sensor.
// Method: a laser with fewer directions than beams, on two threads; the run has 60 s, otherwise it
// hangs.
#[test]
fn a_sensor_that_fails_ends_the_run() {
    for pace in [Pace::Max, Pace::Factor(10.0)] {
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let world = load_text("w.yaml", &world(LASER, ""), Overrides::default());
            let mut scene = world.unwrap().scene;
            match &mut scene.robots[0].sensors[0].kind {
                SensorKind::Exteroceptive(spec) => match Arc::make_mut(spec) {
                    ExteroceptiveSpec::Laser(laser) => laser.directions.truncate(30),
                    _ => unreachable!(),
                },
                _ => unreachable!(),
            }
            let mut simulation = Simulation::new(Arc::new(scene), 2).unwrap();
            let (_requests, requests) = crossbeam_channel::unbounded();
            let stop = AtomicBool::new(false);
            let summary =
                merrow_sim::run(&mut simulation, pace, Some(5.0), &requests, &mut [], &stop);
            sender.send((summary.failed, summary.simulated_s)).unwrap();
        });
        let (failed, seconds) = ended
            .recv_timeout(Duration::from_secs(60))
            .expect("it hangs");
        let why = failed.expect("a reason");
        assert!(
            why.starts_with("r: the sensor laser failed at 0.000 s, which is a bug: index out"),
            "{why}"
        );
        assert!(seconds < 5.0, "{seconds}");
    }
}
