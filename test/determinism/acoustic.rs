//! Tests the determinism of acoustic positioning, radar, AIS and obstacle detection.

use crate::common::scene;
use merrow_model::state::frames::Frame;
use merrow_sim::Simulation;
use std::sync::Arc;

const WORLD: &str = "
water: {waves: {kind: jonswap, hs_m: 0.3, tp_s: 3}, column: {layers: [{depth_m: 0, temperature_c: 18, salinity_psu: 35}, {depth_m: 8, temperature_c: 8, salinity_psu: 35}]}}
weather: {wind_speed_m_s: 5, wind_from_deg: 30}
seabed: {depth_m: 20}
structures: {quay: {position_m: [12, 0, 0], shapes: {s: {kind: box, size_m: [4, 6, 12]}}}}
beacons:
  ping: {beacon: {extends: beacons/pinger_27khz.yaml, period_s: 0.3}, position_m: [30, 10, -9]}
  tail: {beacon: seatrac_x010, robot: rov}
  a: {beacon: s2c_18_34, position_m: [-60, -40, -19]}
  b: {beacon: s2c_18_34, position_m: [60, -40, -19]}
  c: {beacon: s2c_18_34, position_m: [10, 70, -19]}
  u1: {beacon: waterlinked_u1, robot: rov}
faults:
  loose: {target: ping, kind: intermittent, mean_working_s: 0.7, mean_failed_s: 0.4}
  late: {target: a, kind: biased, bias: 0.001, time_s: 2}
robots:
  boat:
    model:
      extends: robots/otter.yaml
      sensors:
        ears: {lazy: false, position_m: [0, 0, -0.6], device: {extends: sensors/hydrophone_array.yaml, rate_hz: 2}}
        usbl: {lazy: false, position_m: [0, 0, -0.6], device: {extends: sensors/seatrac_x150.yaml, max_range_m: 300, rate_hz: 1, max_rate_hz: 4}}
        ugps: {lazy: false, position_m: [0, 0, -0.6], device: {extends: sensors/waterlinked_ugps.yaml, refraction: true}}
  rov:
    position_m: [20, 5, -6]
    model:
      extends: robots/bluerov2_heavy.yaml
      sensors:
        lbl: {lazy: false, device: {extends: sensors/lbl_s2c.yaml, max_range_m: 300, rate_hz: 1, max_rate_hz: 4}}
";

fn run(threads: usize, block: u64) -> (Vec<Frame>, String) {
    let mut sim = Simulation::new(Arc::new(scene(WORLD)), threads).unwrap();
    let mut all = Vec::new();
    while sim.state.step < 1500 {
        sim.advance(block.min(1500 - sim.state.step));
        all.append(&mut sim.frames);
    }
    all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
    (all, sim.state.hash())
}

// The same seed gives the same acoustic positions. The fixes of a boat in waves and of a vehicle
// below it are bitwise equal for 1, 2 and 4 threads and blocks of 1, 25 and 400 steps. Method:
// whole frames compared.
#[test]
fn acoustic_fixes_have_the_same_bits() {
    let (frames, hash) = run(1, 25);
    assert!(frames.len() >= 12, "{}", frames.len());
    let received = frames
        .iter()
        .filter(|f| format!("{:?}", f.data).contains("Fix {"))
        .count();
    assert!(received >= 6, "{received} of {}", frames.len());
    for (threads, block) in [(2, 25), (4, 25), (2, 1), (2, 400)] {
        let (others, other_hash) = run(threads, block);
        assert_eq!(
            other_hash, hash,
            "state, {threads} threads, blocks of {block}"
        );
        assert_eq!(others.len(), frames.len());
        for (a, b) in frames.iter().zip(&others) {
            assert!(
                a == b,
                "{threads} threads, blocks of {block}: frame of {} ns",
                a.stamp_ns
            );
        }
    }
}

// The same for radar, AIS and the bounding boxes of sonar echoes. Method: the bundled world with
// all of them, whole frames of 1.4 s.
#[test]
fn radar_ais_and_boxes_have_the_same_bits() {
    let run = |threads: usize, block: u64| {
        let text =
            std::fs::read_to_string(merrow_world::data_dir::world_file("positioning")).unwrap();
        // Fewer beams, because the sonar image itself is not compared.
        let text = text.replace(
            "max_range_m: 40, rate_hz: 2",
            "max_range_m: 40, rate_hz: 2, beams: 64, bins: 200",
        );
        let mut sim = Simulation::new(Arc::new(scene(&text)), threads).unwrap();
        let scheduler = sim
            .sensor_scheduler
            .as_ref()
            .expect("exteroceptive sensors");
        for (r, robot) in sim.scene.robots.iter().enumerate() {
            (0..robot.sensors.len()).for_each(|s| scheduler.request_frames(&sim.scene, r, s, true));
        }
        let mut all = Vec::new();
        while sim.state.step < 350 {
            sim.advance(block.min(350 - sim.state.step));
            all.append(&mut sim.frames);
        }
        all.sort_by_key(|f: &Frame| (f.stamp_ns, f.robot, f.sensor));
        all
    };
    let frames = run(1, 25);
    assert!(frames.len() > 20, "{}", frames.len());
    let others = run(3, 400);
    assert_eq!(others.len(), frames.len());
    for (a, b) in frames.iter().zip(&others) {
        assert!(
            a == b,
            "frame of sensor {} of {}, {} ns",
            a.sensor,
            a.robot,
            a.stamp_ns
        );
    }
}
