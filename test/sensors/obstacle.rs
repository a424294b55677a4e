//! Tests of obstacle detectors: listed boxes, boxes from laser and sonar echoes, persistent
//! numbers.

use crate::common::{advance, simulation};
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::obstacle::Detection;
use merrow_model::state::frames::FrameData;
use merrow_sensors::obstacle::accumulate::EchoAccumulator;
use merrow_sensors::obstacle::track::Tracks;
use merrow_sim::Simulation;

/// Returns the world with a fixed robot at (0, 0, z) that carries the sensors; its yaw is 30
/// degrees.
fn world(z: f64, sensors: &str, rest: &str) -> String {
    format!(
        "
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1026.95, temperature_c: 10}}
seabed: {{depth_m: 300}}
robots:
  r:
    position_m: [0, 0, {z}]
    attitude_deg: [0, 0, 30]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors:
{sensors}
{rest}
"
    )
}

/// Returns the boxes of each sample of sensor `sensor` in `seconds`.
fn boxes(sim: &mut Simulation, sensor: usize, seconds: f64) -> Vec<Vec<Detection>> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(sim, 0.1);
        for frame in sim.frames.drain(..).filter(|f| f.sensor == sensor) {
            let FrameData::Detections(found) = &*frame.data else {
                panic!("no boxes")
            };
            all.push(found.clone());
        }
    }
    all
}

/// Returns the rotation of a box about the z axis of W [rad].
fn yaw(found: &Detection) -> f64 {
    found.q.matrix().to_rpy()[2]
}

// Listed obstacles are reported with position and orientation in the world and in the frame of the
// detector; those out of range or out of the sector are not; errors have the standard deviation of
// their keys. Method: four boxes around a robot that heads 30 degrees off east; 400 samples.
// Tolerance: 1e-9; 4 standard errors.
#[test]
fn listed_obstacles_are_reported_within_sector_and_range() {
    let rest = "obstacles:
  ahead: {position_m: [40, 20, -12], size_m: [6, 2, 4], yaw_deg: 75}
  aside: {position_m: [-5, 30, -10], size_m: [1, 1, 1]}
  far: {position_m: [140, 60, -10], size_m: [1, 1, 1]}
  above: {position_m: [10, 5, 40], size_m: [1, 1, 1]}";
    let device = "{source: test, rate_hz: 10, kind: obstacle_detector, sector_deg: 90, elevation_deg: 40, max_range_m: 100";
    let sensors = format!(
        "        w: {{lazy: false, device: {device}}}}}
        s: {{lazy: false, device: {device}, in_world: false}}}}
        n: {{lazy: false, device: {device}, position_std_m: 0.5, miss_probability: 0.25}}}}"
    );
    let text = world(-10.0, &sensors, rest);
    for (sensor, in_world) in [(0, true), (1, false)] {
        let all = boxes(&mut simulation(&text), sensor, 1.0);
        assert!(all.len() >= 9);
        for found in &all {
            assert_eq!(
                found.iter().map(|f| f.listed).collect::<Vec<_>>(),
                [Some(0)]
            );
            let R = if in_world {
                Mat3::identity()
            } else {
                Mat3::from_rpy(0.0, 0.0, 30_f64.to_radians())
            };
            let own = if in_world {
                Vec3::zero()
            } else {
                Vec3::new(0.0, 0.0, -10.0)
            };
            assert!((found[0].p - R.tr_mul_vec(Vec3::new(40.0, 20.0, -12.0) - own)).norm() < 1e-9);
            assert!(
                (yaw(&found[0]) - f64::to_radians(if in_world { 75.0 } else { 45.0 })).abs() < 1e-9
            );
            assert_eq!(found[0].size, Vec3::new(6.0, 2.0, 4.0));
        }
    }
    let noisy = boxes(&mut simulation(&text), 2, 40.0);
    let n = noisy.len() as f64;
    let seen = noisy.iter().flatten().count() as f64;
    assert!(
        (seen / n - 0.75).abs() < 4.0 * (0.1875 / n).sqrt(),
        "{seen} of {n}"
    );
    let squares = noisy
        .iter()
        .flatten()
        .map(|f| (f.p.x - 40.0).powi(2))
        .sum::<f64>();
    let deviation = (squares / seen).sqrt();
    assert!(
        (deviation - 0.5).abs() < 4.0 * 0.5 / (2.0 * seen).sqrt(),
        "{deviation}"
    );
}

// Boxes from lidar echoes match the objects. Method: two containers in air, one rotated, with two
// visible faces; terrain is removed by height. Tolerance: 0.45 m in length, the spacing of rays at
// the far end of a face at an incidence of 16 degrees; 2 degrees.
#[test]
fn lidar_echoes_are_boxed() {
    let sensors = "        lidar: {device: {source: test, rate_hz: 10, kind: lidar, elevation_deg: [-8, 8], rings: 33, columns: 1440, max_range_m: 60}}
        boxes: {lazy: false, device: {source: test, rate_hz: 10, kind: obstacle_detector, sensor: lidar, max_range_m: 60, height_m: [0, 8], cluster_gap_m: 0.8}}";
    let rest = "structures:
  a: {position_m: [20, 3, 2.5], attitude_deg: [0, 0, 25], shapes: {s: {kind: box, size_m: [6, 2.5, 2.5]}}}
  b: {position_m: [4, -18, 2.5], shapes: {s: {kind: box, size_m: [2.5, 6, 2.5]}}}";
    let mut sim = simulation(&world(2.5, sensors, rest));
    let found = boxes(&mut sim, 1, 0.5).swap_remove(0);
    assert_eq!(found.len(), 2, "{found:?}");
    let truth = [(20.0, 3.0, 25.0), (4.0, -18.0, 90.0)];
    for (x, y, turn) in truth {
        let p = Vec3::new(x, y, 2.5);
        let near = |f: &&Detection| (f.p - p).norm() < 3.0;
        let f = found.iter().find(near).expect("a box about each");
        assert!((f.p - p).norm() < 0.4, "{f:?}");
        assert!(
            (f.size.x - 6.0).abs() < 0.45 && (f.size.z - 2.5).abs() < 0.5,
            "{f:?}"
        );
        let off = (yaw(f) - f64::to_radians(turn)).rem_euclid(std::f64::consts::PI);
        assert!(
            off.min(std::f64::consts::PI - off) < f64::to_radians(2.0),
            "{off}"
        );
    }
}

// Echoes of a tilting laser use the tilt of their time. Method: a laser 2 m above a deck that tilts
// between 10 and 40 degrees down, in front of a post of 1.2 m: the deck is removed by height, and
// only the post is boxed, by its near side 3.9 m ahead. Tolerance: 0.15 m, for its top and corners.
#[test]
fn tilting_laser_echoes_are_boxed() {
    let sensors = "        laser: {device: {source: test, rate_hz: 10, kind: tilting_laser, azimuth_deg: [-20, 20], beams: 161, max_range_m: 20, tilt_deg: [10, 40], tilt_period_s: 4}}
        boxes: {lazy: false, device: {source: test, rate_hz: 10, kind: obstacle_detector, sensor: laser, max_range_m: 20, height_m: [0.2, 8], cluster_gap_m: 0.5}}";
    let rest = "structures:
  deck: {position_m: [0, 0, 0.05], shapes: {s: {kind: box, size_m: [40, 40, 0.1]}}}
  post: {position_m: [3.4641, 2, 0.7], attitude_deg: [0, 0, 30], shapes: {s: {kind: box, size_m: [0.2, 0.2, 1.2]}}}";
    let mut sim = simulation(&world(2.5, sensors, rest));
    let found: Vec<Detection> = boxes(&mut sim, 1, 2.0).into_iter().flatten().collect();
    assert!(!found.is_empty(), "the post is seen");
    for f in &found {
        let ahead = f.p.x * 30_f64.to_radians().cos() + f.p.y * 30_f64.to_radians().sin();
        let aside = f.p.y * 30_f64.to_radians().cos() - f.p.x * 30_f64.to_radians().sin();
        assert!(
            (ahead - 0.5 * f.size.x.min(f.size.y) - 3.9).abs() < 0.15 && aside.abs() < 0.1,
            "{f:?}"
        );
        assert!((0.2..1.6).contains(&f.p.z), "{f:?}");
    }
}

// Boxes from echoes of an imaging sonar lie at the piles in spite of fading echoes, and open water
// gives no boxes. Method: three piles 12 to 30 m ahead, far from seabed and surface; ten pings.
// Tolerance: 1 m; each pile in all pings, at most one false box in three pings.
#[test]
fn sonar_echoes_are_boxed() {
    let sensors = "        sonar: {device: {source: test, rate_hz: 5, kind: imaging_sonar, sector_deg: 90, beams: 128, beam_width_deg: 1, elevation_width_deg: 12,
          frequency_khz: 700, source_level_db: 205, pulse_us: 60, max_range_m: 40, bins: 400, levels_db: [40, 160], self_noise_db: 10}}
        boxes: {lazy: false, device: {source: test, rate_hz: 5, kind: obstacle_detector, sensor: sonar, max_range_m: 40, min_echoes: 8}}";
    let piles = [(14.0, 8.0), (22.0, 20.0), (26.0, 5.0)];
    let shapes: String = piles
        .iter()
        .enumerate()
        .map(|(k, (x, y))| {
            format!("  p{k}: {{position_m: [{x}, {y}, -100], shapes: {{s: {{kind: cylinder, radius_m: 0.5, length_m: 60}}}}}}\n")
        })
        .collect();
    let mut sim = simulation(&world(-100.0, sensors, &format!("structures:\n{shapes}")));
    let all = boxes(&mut sim, 1, 2.2);
    assert!(all.len() >= 10, "{}", all.len());
    let mut others = 0;
    for found in &all {
        let is_at = |f: &Detection, (x, y): (f64, f64)| (f.p.x - x).hypot(f.p.y - y) < 1.0;
        for pile in piles {
            assert!(
                found.iter().any(|f| is_at(f, pile)),
                "{pile:?} in {found:?}"
            );
        }
        others += found
            .iter()
            .filter(|f| !piles.iter().any(|p| is_at(f, *p)))
            .count();
    }
    assert!(
        3 * others <= all.len(),
        "{others} boxes without an obstacle"
    );
}

// Echoes of a whole turn of a scanning sonar are boxed together, each from the pose of its ping,
// and older echoes are discarded. Method: a rotated box of 6 m by 2.5 m with two visible faces, 14
// m from a robot that drifts at 0.3 m/s, one turn in 12 s; then a second turn. Tolerance: 0.5 m in
// position and size, which is half a pulse and a beam width at 14 m including its neighbours, and 6
// degrees; a single ping gives a line along its beam.
#[test]
fn scanning_sonar_turn_is_boxed() {
    let sensors = "        sonar: {device: {source: test, rate_hz: 20, kind: scanning_sonar, step_deg: 1.5, beam_width_deg: 1.5, elevation_width_deg: 10, rays: [12, 24],
          frequency_khz: 700, source_level_db: 205, pulse_us: 60, max_range_m: 30, bins: 600, levels_db: [40, 160], self_noise_db: 10, speckle: false}}
        boxes: {lazy: false, device: {source: test, rate_hz: 20, kind: obstacle_detector, sensor: sonar, max_range_m: 30, min_echoes: 12, cluster_gap_m: 1.2, threshold_db: 20}}";
    let rest = "structures:
  a: {position_m: [12, 7, -100], attitude_deg: [0, 0, 65], shapes: {s: {kind: box, size_m: [6, 2.5, 8]}}}";
    let text = world(-100.0, sensors, rest)
        .replace("base: fixed", "base: floating")
        .replace(
            "attitude_deg: [0, 0, 30]",
            "attitude_deg: [0, 0, 30]\n    velocity_m_s: [0.3, 0, 0]",
        )
        .replace("step:", "gravity_m_s2: 0\nstep:");
    let mut sim = simulation(&text);
    let device = &sim.scene.robots[0].sensors[1];
    let (stream, exteroceptive) = (device.stream, device.kind.exteroceptive().cloned().unwrap());
    let ExteroceptiveSpec::Obstacles(spec) = &*exteroceptive else {
        panic!("no detector")
    };
    assert!(
        (spec.accumulation - 239.5 / 20.0).abs() < 1e-9,
        "{}",
        spec.accumulation
    );
    let (mut gathered, mut all) = (EchoAccumulator::default(), Vec::new());
    for _ in 0..250 {
        advance(&mut sim, 0.1);
        for frame in sim.frames.drain(..).filter(|f| f.sensor == 1) {
            let FrameData::Echoes(received) = &*frame.data else {
                panic!("no echoes")
            };
            all.push(gathered.add_sample(spec, stream, received, frame.stamp_ns));
        }
    }
    // From one ping, the part of the beam that has echoes.
    assert!(
        all.len() >= 490 && all[0].iter().all(|f| f.size.y < 0.1),
        "{:?}",
        all[0]
    );
    for k in [239, 300, 479] {
        assert_eq!(all[k].len(), 1, "{k}: {:?}", all[k]);
        let f = &all[k][0];
        assert!(
            (f.p - Vec3::new(12.0, 7.0, -100.0)).norm() < 0.5,
            "{k}: {f:?}"
        );
        assert!(
            (f.size.x - 6.0).abs() < 0.5 && (f.size.y - 2.5).abs() < 0.5,
            "{k}: {f:?}"
        );
        let off = (yaw(f) - f64::to_radians(65.0)).rem_euclid(std::f64::consts::PI);
        assert!(
            off.min(std::f64::consts::PI - off) < f64::to_radians(6.0),
            "{k}: {off}"
        );
    }
    // As many echoes as in one turn.
    assert!(
        all[479][0].echoes < all[239][0].echoes * 3 / 2,
        "{} {}",
        all[479][0].echoes,
        all[239][0].echoes
    );
}

fn detection_at(x: f64) -> Detection {
    let p = Vec3::new(x, 0.0, 0.0);
    Detection {
        p,
        q: Quat::identity(),
        size: Vec3::zero(),
        p_W: p,
        echoes: 1,
        listed: None,
    }
}

#[test]
fn numbers_persist_while_boxes_are_near() {
    let mut tracks = Tracks::default();
    let mut at_time = |s: u64, x: &[f64]| {
        let found: Vec<Detection> = x.iter().map(|x| detection_at(*x)).collect();
        tracks.assign_numbers(&found, s * 1_000_000_000, 2.0, 5.0)
    };
    assert_eq!(at_time(0, &[0.0, 10.0]), [0, 1]);
    // in another order, moved, and with a new box between them
    assert_eq!(at_time(1, &[11.0, 5.0, 0.5]), [1, 2, 0]);
    // two boxes near one track: the nearer box has its number
    assert_eq!(at_time(2, &[1.5, 0.6]), [3, 0]);
    // deleted after five seconds
    assert_eq!(at_time(9, &[11.0, 0.6]), [4, 5]);
    // an earlier time: the world was reset
    assert_eq!(at_time(1, &[11.0]), [0]);
}
