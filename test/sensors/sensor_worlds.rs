//! Tests that the sensors of `harbour_inspection` and `survey` measure the objects at their
//! positions in these worlds.

use crate::common::{advance, simulation, within};
use merrow_math::Vec3;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::sonar::Ping;
use merrow_model::sensor::sonar::SonarSpec;
use merrow_model::state::frames::FrameData;
use merrow_scenery::sites::quay::FACE;
use merrow_scenery::sites::sand::DEPTH;
use merrow_scenery::sites::wreck::{Wreck, deck_edge_height};
use merrow_sim::Simulation;
use merrow_sim::sensors::current_frame;

/// Returns the index of a sensor of the first robot by name.
fn sensor_index(s: &Simulation, name: &str) -> usize {
    s.scene.robots[0]
        .sensors
        .iter()
        .position(|sensor| sensor.name == name)
        .expect("a sensor")
}

/// Returns the current frame of a sensor of the first robot.
fn current_frame_of(s: &mut Simulation, name: &str) -> FrameData {
    let sensor = sensor_index(s, name);
    current_frame::compute_frame(s, 0, sensor).expect("a frame")
}

/// Returns a sonar of the first robot and one of its pings.
fn ping(s: &mut Simulation, name: &str) -> (SonarSpec, Ping) {
    let FrameData::Ping(ping) = current_frame_of(s, name) else {
        panic!("no ping")
    };
    match &**s.scene.robots[0].sensors[sensor_index(s, name)]
        .kind
        .exteroceptive()
        .expect("a sonar")
    {
        ExteroceptiveSpec::Sonar(spec) => (spec.clone(), ping),
        _ => panic!("no sonar"),
    }
}

/// Returns the mean value of a beam between two ranges [m].
fn mean(spec: &SonarSpec, ping: &Ping, beam: usize, from: f64, to: f64) -> f64 {
    let beams = ping.levels.len() / spec.bins();
    let rows = (0..spec.bins()).filter(|k| (from..to).contains(&spec.range(*k)));
    let numbers: Vec<f64> = rows
        .map(|k| f64::from(ping.levels[k * beams + beam]))
        .collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

// The imaging sonar and a laser of the ROV measure the position of the quay. Method: perpendicular
// to the wall, with the growth on it removed: the first range of the centre beam at half of its
// peak value; the range of a green laser divided by the refractive index of water. Tolerance: 4 cm
// by which blocks protrude, and 5 cm for a pulse and the bins of the sonar.
#[test]
fn sonar_and_laser_measure_the_quay() {
    let bare: String = [
        "mussels",
        "barnacles",
        "sponge",
        "anemone",
        "weed",
        "lettuce",
    ]
    .iter()
    .flat_map(|kind| [1, 2].map(|k| format!("  {kind}_{k}: null\n")))
    .collect();
    let mut s = simulation(&format!(
        "
extends: worlds/harbour_inspection.yaml
structures:
{bare}
robots:
  rov:
    position_m: [2.5, -5, -3]
    attitude_deg: [0, 0, 0]
    model:
      extends: robots/bluerov2_inspection.yaml
      sensors:
        laser: {{position_m: [0.22, 0, 0], device: {{source: test, kind: laser, rate_hz: 5, azimuth_deg: [-10, 10], beams: 21, max_range_m: 20,
          wavelength_um: 0.532, water_extinction_per_m: 0.1, reference_reflectivity: 0.001}}}}
"
    ));
    let wall = FACE + 0.02 - 2.5 - 0.22;
    let (spec, ping) = ping(&mut s, "sonar");
    let beams = ping.levels.len() / spec.bins();
    let beam = |k: usize| ping.levels[k * beams + beams / 2];
    let most = (0..spec.bins()).map(beam).max().unwrap();
    let first = (0..spec.bins()).find(|k| beam(*k) >= most / 2).unwrap();
    within("range by sonar", spec.range(first), wall, 0.09);
    let FrameData::Scan(scan) = current_frame_of(&mut s, "laser") else {
        panic!("no scan")
    };
    for (k, range) in scan.ranges.iter().enumerate() {
        let a = (k as f64 - 10.0).to_radians();
        within(
            "range by laser",
            f64::from(*range) / 1.33,
            wall / a.cos(),
            0.04,
        );
    }
}

// The camera of the ROV shows the quay, its growth and the seabed. Method: labels of the shipped
// view. Tolerance: none: the wall fills at least a third of the image, and at least three other
// objects are visible.
#[test]
fn camera_shows_the_inspected_objects() {
    let mut s = simulation(
        "
extends: worlds/harbour_inspection.yaml
robots: {rov: {model: {extends: robots/bluerov2_inspection.yaml, sensors: {camera: {device: {extends: sensors/lowlight_hd.yaml,
  width: 64, height: 36, outputs: [rgb, depth, labels]}}}}}}
",
    );
    let FrameData::CameraImages(images) = current_frame_of(&mut s, "camera") else {
        panic!("no camera images")
    };
    let labels = images.labels.unwrap();
    let mut counts = std::collections::BTreeMap::new();
    labels
        .iter()
        .for_each(|label| *counts.entry(*label).or_insert(0) += 1);
    let quay = counts.values().max().unwrap();
    assert!(3 * quay > labels.len() && counts.len() >= 4, "{counts:?}");
}

/// Returns the vehicle of the survey at rest at a position, heading east.
fn survey(p: [f64; 3]) -> Simulation {
    simulation(&format!(
        "
extends: worlds/survey.yaml
robots: {{auv: {{position_m: {p:?}, attitude_deg: [0, 0, 0], velocity_m_s: [0, 0, 0]}}}}
"
    ))
}

// The first return of the side-scan sonar is the altitude, and so is the centre sounding of the
// multibeam. Method: at three positions above the ripples: the first range at which either side
// reaches half of the following level; the seabed below the sensor. Tolerance: 0.3 m, by which
// ripples can be closer than the seabed straight below.
#[test]
fn first_return_is_the_altitude() {
    for [x, y] in [[-80.0, -40.0], [60.0, 45.0], [-20.0, -50.0]] {
        let mut s = survey([x, y, -13.0]);
        // The sonars are 0.15 and 0.35 m ahead of the centre of the vehicle, and slightly below it.
        let over = |ahead: f64, z: f64| z - s.scene.sea.seabed.height(x + ahead, y);
        let (altitude, of_multibeam) = (over(0.15, -13.03), over(0.35, -13.09));
        let (spec, lines) = ping(&mut s, "side_scan");
        for side in 0..2 {
            let bright = mean(&spec, &lines, side, 1.2 * altitude, 2.0 * altitude);
            let first = (0..spec.bins()).find(|k| {
                let r = spec.range(*k);
                r > 1.0 && mean(&spec, &lines, side, r, r + 0.2) > 0.5 * bright
            });
            within("first line", spec.range(first.unwrap()), altitude, 0.3);
        }
        let (_, fan) = ping(&mut s, "multibeam");
        let middle = fan.soundings[fan.soundings.len() / 2].range;
        within("multibeam", middle, of_multibeam, 0.15);
    }
}

/// Returns the house and bridge of the wreck: centre and half size in the frame of the ship, as
/// written by `survey_file.rs`, and rotation about z [deg].
fn boxes() -> [(Vec3, Vec3, f64); 2] {
    let z = deck_edge_height(-11.5) - 0.7;
    let round = |z: f64| (100.0 * z).round() / 100.0;
    [
        (
            Vec3::new(-11.6, 0.0, round(z + 1.15)),
            Vec3::new(2.3, 2.2, 1.15),
            0.0,
        ),
        (
            Vec3::new(-10.6, -0.2, round(z + 3.2)),
            Vec3::new(1.2, 1.8, 0.95),
            4.0,
        ),
    ]
}

/// Returns the corners of the cross sections of the edges of a box with the plane x = `x0`, in the
/// world frame.
fn sections(wreck: &Wreck, (middle, half, turn): (Vec3, Vec3, f64), x0: f64) -> Vec<Vec3> {
    let own = merrow_math::Mat3::from_rpy(0.0, 0.0, turn.to_radians());
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let p = middle
            + own.mul_vec(Vec3::new(
                sign(0) * half.x,
                sign(1) * half.y,
                sign(2) * half.z,
            ));
        wreck.p + wreck.axes().mul_vec(p)
    };
    let mut found = Vec::new();
    for k in 0..8 {
        for bit in 0..3 {
            let (a, b) = (corner(k), corner(k ^ (1 << bit)));
            let t = (x0 - a.x) / (b.x - a.x);
            if (0.0..=1.0).contains(&t) {
                found.push(a + (b - a).scale(t));
            }
        }
    }
    found
}

// The acoustic shadow of the wreck has its geometric length. Method: a side-scan line abeam of the
// bridge, 14 m to the south and 7 m deep: rays from the sonar over every corner of the cross
// section of house and bridge to the sand; the farthest one ends the shadow. There is no echo in
// the 3 m before that end, and one in the 3 m after it. Tolerance: 0.7 m: a beam of 0.5 deg covers
// 0.3 m along an oblique wreck, and the ray that grazes the bridge hits the sand at 25 deg.
#[test]
fn wreck_casts_an_acoustic_shadow() {
    let wreck = Wreck::new(1, -DEPTH);
    let bridge = wreck.p + wreck.axes().mul_vec(boxes()[1].0);
    // The sonar is 0.15 m ahead of the centre of the vehicle and 0.03 m below it.
    let (x0, y0, z0) = (bridge.x, bridge.y - 14.0, -7.0);
    let mut s = survey([x0 - 0.15, y0, z0]);
    let sonar = Vec3::new(x0, y0, z0 - 0.03);
    let ground = |p: Vec3| s.scene.sea.seabed.height(p.x, p.y);
    let mut end = 0.0_f64;
    for p in boxes().into_iter().flat_map(|of| sections(&wreck, of, x0)) {
        let d = p - sonar;
        let over = (0..40_000)
            .map(|k| sonar + d.scale(1.0 + 1e-4 * f64::from(k)))
            .find(|q| q.z < ground(*q));
        end = end.max((over.expect("the ray comes down") - sonar).norm());
    }
    assert!(end > 25.0 && end < 38.0, "the shadow ends at {end} m");
    let (spec, lines) = ping(&mut s, "side_scan");
    // Port is first.
    let part = |from: f64, to: f64| mean(&spec, &lines, 0, end + from, end + to);
    let (dark, bright) = (part(-3.7, -0.7), part(0.7, 3.7));
    assert!(
        bright > 1.5 * dark + 5.0,
        "{dark} before its end at {end} m, {bright} after it"
    );
    assert!(
        mean(&spec, &lines, 0, 14.0, 17.0) > bright,
        "steel is brighter than sand"
    );
}

// The survey runs sensibly without commands: the vehicle follows its leg by its own firmware.
// Method: 40 s from the start; then a command with another heading and depth. Tolerance: 0.4 m and
// 3 deg, because the controller has no integral term.
#[test]
fn vehicle_follows_its_leg() {
    let mut s = simulation("extends: worlds/survey.yaml");
    let at = |s: &Simulation| {
        let m = &s.state.robots[0].motion;
        (
            (90.0 - m.q_WB.matrix().to_rpy()[2].to_degrees()).rem_euclid(360.0),
            -m.p_WB.z,
        )
    };
    advance(&mut s, 40.0);
    let (heading, depth) = at(&s);
    within("heading", heading, 90.0, 3.0);
    within("depth", depth, 13.0, 0.4);
    let speed = s.state.robots[0].motion.V_WB_B.v.x;
    assert!((1.2..2.0).contains(&speed), "{speed} m/s");
    assert!((s.state.robots[0].motion.p_WB.y + 15.0).abs() < 1.0);
    let (heading, depth) = (Some(0.0), Some(11.0));
    s.apply(&merrow_model::state::Command::Firmware(
        0,
        merrow_model::state::FirmwareCommand::HeadingDepth { heading, depth },
    ))
    .unwrap();
    advance(&mut s, 60.0);
    let (heading, depth) = at(&s);
    within(
        "new heading",
        (heading + 180.0).rem_euclid(360.0),
        180.0,
        3.0,
    );
    within("new depth", depth, 11.0, 0.4);
}

// The shipped stereo pair triangulates correctly by its camera_info. Method: P of both cameras
// against their mounting positions. Tolerance: rounding.
#[test]
fn stereo_pair_has_its_baseline() {
    let path = merrow_world::data_dir::world_file("riverwatch");
    let scene = merrow_world::load_world(&path, merrow_world::Overrides::default())
        .unwrap()
        .scene;
    let camera = |name: &str| {
        let sensors = scene.robots.iter().flat_map(|robot| &robot.sensors);
        let sensor = sensors
            .into_iter()
            .find(|sensor| sensor.name == name)
            .unwrap();
        let merrow_model::sensor::ExteroceptiveSpec::Camera(spec) =
            &**sensor.kind.exteroceptive().unwrap()
        else {
            panic!("{name} is no camera")
        };
        (
            sensor.p_UoS_U,
            merrow_messages::convert::camera::camera_info(spec, Default::default()).p,
        )
    };
    let ((left, p_left), (right, p_right)) = (camera("stereo_left"), camera("stereo_right"));
    let apart = (left - right).norm();
    assert!((apart - 0.24).abs() < 1e-12);
    assert_eq!((p_left[0], p_left[3]), (p_right[0], 0.0));
    assert!(
        (p_right[3] + p_right[0] * apart).abs() < 1e-9,
        "{p_right:?}"
    );
}
