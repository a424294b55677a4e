//! What the sensors of `harbour_inspection` and `survey` see is where the makers of those places
//! put it.

use crate::common::{advance, simulation};
use merrow_math::Vec3;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::sonar::SonarSpec;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::ping::Ping;
use merrow_scenery::sites::quay::FACE;
use merrow_scenery::sites::sand::DEPTH;
use merrow_scenery::sites::wreck::{Wreck, deck_edge_height};
use merrow_sim::Simulation;
use merrow_sim::sensors::scheduler;

/// `|actual - expected| <= tolerance`.
#[track_caller]
fn within(what: &str, actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{what}: {actual} instead of {expected}"
    );
}

/// A sensor of the first robot by name.
fn named(s: &Simulation, name: &str) -> usize {
    s.scene.robots[0]
        .sensors
        .iter()
        .position(|sensor| sensor.name == name)
        .expect("a sensor")
}

/// What a sensor of the first robot brings now.
fn once(s: &mut Simulation, name: &str) -> FrameData {
    let sensor = named(s, name);
    scheduler::compute_frame(s, 0, sensor).expect("a frame")
}

/// A sonar of the first robot and a ping of it.
fn ping(s: &mut Simulation, name: &str) -> (SonarSpec, Ping) {
    let FrameData::Ping(ping) = once(s, name) else {
        panic!("no ping")
    };
    match &**s.scene.robots[0].sensors[named(s, name)]
        .kind
        .exteroceptive()
        .expect("a sonar")
    {
        ExteroceptiveSpec::Sonar(spec) => (spec.clone(), ping),
        _ => panic!("no sonar"),
    }
}

/// Mean number of a beam between two ranges [m].
fn mean(spec: &SonarSpec, ping: &Ping, beam: usize, from: f64, to: f64) -> f64 {
    let beams = ping.levels.len() / spec.bins;
    let rows = (0..spec.bins).filter(|k| (from..to).contains(&spec.range(*k)));
    let numbers: Vec<f64> = rows
        .map(|k| f64::from(ping.levels[k * beams + beam]))
        .collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

// Goal: the imaging sonar and a laser of the ROV find the quay where it stands. Method: square to
// the wall, what grows on it taken away: the first range of the middle beam at which it is half as
// bright as at its brightest; the range of a green laser over the index of water. Tolerance: 4 cm
// by which blocks stand out, and 5 cm for a pulse and the sonar's bins.
#[test]
fn sonar_and_laser_find_the_quay() {
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
    let beams = ping.levels.len() / spec.bins;
    let beam = |k: usize| ping.levels[k * beams + beams / 2];
    let most = (0..spec.bins).map(beam).max().unwrap();
    let first = (0..spec.bins).find(|k| beam(*k) >= most / 2).unwrap();
    within("range by sonar", spec.range(first), wall, 0.09);
    let FrameData::Scan(scan) = once(&mut s, "laser") else {
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

// Goal: the camera of the ROV sees the quay, its growth and the bottom. Method: labels of the view
// that ships. Tolerance: none: the wall fills a third of the picture and more, at least three other
// things are seen.
#[test]
fn the_camera_sees_what_it_inspects() {
    let mut s = simulation(
        "
extends: worlds/harbour_inspection.yaml
robots: {rov: {model: {extends: robots/bluerov2_inspection.yaml, sensors: {camera: {device: {extends: sensors/lowlight_hd.yaml,
  width: 64, height: 36, outputs: [rgb, depth, labels]}}}}}}
",
    );
    let FrameData::CameraImages(picture) = once(&mut s, "camera") else {
        panic!("no picture")
    };
    let labels = picture.labels.unwrap();
    let mut counts = std::collections::BTreeMap::new();
    labels
        .iter()
        .for_each(|label| *counts.entry(*label).or_insert(0) += 1);
    let quay = counts.values().max().unwrap();
    assert!(3 * quay > labels.len() && counts.len() >= 4, "{counts:?}");
}

/// The survey's vehicle at rest at a place, its bow to the east.
fn survey(p: [f64; 3]) -> Simulation {
    simulation(&format!(
        "
extends: worlds/survey.yaml
robots: {{auv: {{position_m: {p:?}, attitude_deg: [0, 0, 0], velocity_m_s: [0, 0, 0]}}}}
"
    ))
}

// Goal: the side-scan's first line is the altitude, and so is what the multibeam's middle says.
// Method: at three places over the ripples: the first range at which either side is as bright as
// half of what follows; the ground under the sensor. Tolerance: 0.3 m, by which ripples stand
// nearer than what is straight below.
#[test]
fn the_first_line_is_the_altitude() {
    for [x, y] in [[-80.0, -40.0], [60.0, 45.0], [-20.0, -50.0]] {
        let mut s = survey([x, y, -13.0]);
        // the sonars are 0.15 and 0.35 m ahead of the vehicle's middle, and a little under it
        let over = |ahead: f64, z: f64| z - s.scene.sea.seabed.height(x + ahead, y);
        let (altitude, of_multibeam) = (over(0.15, -13.03), over(0.35, -13.09));
        let (spec, lines) = ping(&mut s, "side_scan");
        for side in 0..2 {
            let bright = mean(&spec, &lines, side, 1.2 * altitude, 2.0 * altitude);
            let first = (0..spec.bins).find(|k| {
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

/// The wreck's house and bridge: middle and half size in the ship's axes, as `survey_file.rs`
/// writes them, and turn about z [deg].
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

/// Corners of the sections of a box's edges with the plane x = `x0`, in the world.
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

// Goal: the wreck throws a shadow as long as geometry says. Method: a line abeam of her bridge from
// 14 m to the south, 7 m deep: from the sonar over every corner of the section of house and bridge
// on to the sand; the furthest ends the shadow. There is no echo in the 3 m before that end, and
// one in the 3 m after it. Tolerance: 0.7 m: a beam of 0.5 deg lights 0.3 m along a wreck that lies
// aslant, and the ray that grazes the bridge hits sand at 25 deg.
#[test]
fn the_wreck_throws_its_shadow() {
    let wreck = Wreck::new(1, -DEPTH);
    let bridge = wreck.p + wreck.axes().mul_vec(boxes()[1].0);
    // the sonar is 0.15 m ahead of the vehicle's middle, 0.03 m under it
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
    // port first
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

// Goal: the survey does something sensible when it is run and nothing is told: the vehicle flies
// its leg by its own firmware. Method: 40 s from the start; then it is told another heading and
// depth. Tolerance: 0.4 m and 3 deg: the law has no integral.
#[test]
fn the_vehicle_flies_its_leg() {
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
    s.apply(&merrow_model::state::Command::HeadingDepth {
        robot: 0,
        heading,
        depth,
    })
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

// Goal: the stereo pair that ships is one to whoever triangulates with its camera_info. Method: P
// of both cameras against the places where they are mounted. Tolerance: rounding.
#[test]
fn the_stereo_pair_knows_its_baseline() {
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
        let merrow_model::scene::sensor::ExteroceptiveSpec::Camera(spec) =
            &**sensor.kind.exteroceptive().unwrap()
        else {
            panic!("{name} is no camera")
        };
        (
            sensor.p_UoS_U,
            merrow::convert::camera::camera_info(spec, Default::default()).p,
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
