//! What sensors that look around bring back is the same for any number of threads and any block, and does not touch the step.

use crate::common::scene;
use merrow::sim::Simulation;
use merrow::state::Command;
use merrow::state::frame::Frame;
use std::sync::Arc;

const WORLD: &str = "
water: {waves: {kind: jonswap, hs_m: 0.4, tp_s: 3}}
seabed: {depth_m: 4, slope_east_north: [0.05, 0.02]}
structures: {quay: {position_m: [12, 0, 0], shapes: {s: {kind: box, size_m: [4, 60, 6]}}}}
robots:
  boat:
    position_m: [0, 0, 0]
    repeat: {count: [2, 1, 1], spacing_m: [6, 0, 0]}
    model:
      extends: robots/otter.yaml
      sensors:
        lidar: {lazy: false, position_m: [0, 0, 0.8], device: {source: test, rate_hz: 10, drop_out: 0.1, kind: lidar,
          elevation_deg: [-15, 15], rings: 8, columns: 120, max_range_m: 60, range_std_m: 0.02, beam_loss: 0.05}}
        laser: {lazy: false, position_m: [0.5, 0, 0.5], device: {source: test, rate_hz: 17, latency_s: 0.03, kind: laser,
          azimuth_deg: [-120, 120], beams: 241, max_range_m: 30, range_std_m: 0.01, divergence_mrad: 3}}
";

fn run(threads: usize, block: u64, lazy: bool) -> (Vec<Frame>, String) {
    let text = if lazy { WORLD.replace("lazy: false", "lazy: true") } else { WORLD.to_string() };
    let mut sim = Simulation::new(Arc::new(scene(&text)), threads).unwrap();
    for robot in 0..2 {
        sim.apply(&Command::Thrusters { robot, values: vec![60.0, 80.0] }).unwrap();
    }
    let mut all = Vec::new();
    while sim.state.step < 1000 {
        sim.advance(block.min(1000 - sim.state.step));
        all.append(&mut sim.frames);
    }
    all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
    (all, sim.state.hash())
}

// Goal: same seed, same pixels: frames of two boats in waves at a quay, to the last bit, for 1, 2 and 4 threads and blocks of 1, 25 and 400 steps; the state is that
// of a run in which nobody looks. Method: two seconds, whole frames compared. Tolerance: none.
#[test]
fn frames_have_the_same_bits() {
    let (frames, hash) = run(1, 25, false);
    assert!(frames.len() > 80, "{}", frames.len());
    for (threads, block) in [(2, 25), (4, 25), (2, 1), (2, 400)] {
        let (others, other_hash) = run(threads, block, false);
        assert_eq!(other_hash, hash, "state, {threads} threads, blocks of {block}");
        let both = frames.iter().zip(&others);
        for (a, b) in both {
            assert!(a == b, "{threads} threads, blocks of {block}: frame of {} ns", a.stamp_ns);
        }
    }
    let (none, lazy_hash) = run(2, 25, true);
    assert!(none.is_empty());
    assert_eq!(lazy_hash, hash, "who looks changes nothing");
}

// Goal: who follows the wall clock never waits for a frame; what is not ready in time is missed and counted, nothing else is. Method: an impatient run as fast as it goes
// with far too many beams; the state is that of the patient one. Tolerance: none.
#[test]
fn the_impatient_miss_frames_and_count_them() {
    let text = WORLD.replace("columns: 120", "columns: 20000");
    let mut sim = Simulation::new(Arc::new(scene(&text)), 2).unwrap();
    sim.lookout.as_mut().unwrap().set_patience(false);
    let mut got = 0;
    while sim.state.step < 1000 {
        sim.advance(25);
        got += sim.frames.len() as u64;
        sim.frames.clear();
    }
    let missed: u64 = sim.lookout.as_ref().unwrap().missed().map(|(_, _, n)| n).sum();
    let sampled: u64 = sim.state.robots.iter().flat_map(|r| &r.sensors).map(|s| s.samples).sum();
    assert!(missed > 10 && got + missed < sampled, "{missed} missed, {got} got of {sampled}");
}

const CAMERAS: &str = "
water: {waves: {kind: jonswap, hs_m: 0.4, tp_s: 3}}
weather: {wind_speed_m_s: 6, cloud_cover: 0.4, start_utc: '2026-06-20T20:00:00Z'}
seabed: {depth_m: 6}
structures: {quay: {position_m: [9, 0, 0], shapes: {s: {kind: box, size_m: [4, 60, 6]}}}}
robots:
  boat:
    position_m: [0, 0, 0]
    model:
      extends: robots/otter.yaml
      lamps: {l: {position_m: [0.5, 0, -0.6], lumens: 2000}}
      sensors:
        above: {lazy: false, position_m: [0.5, 0, 0.9], device: {source: test, rate_hz: 4, kind: camera, width: 40, height: 30,
          horizontal_fov_deg: 80, outputs: [rgb, depth, labels], readout_s: 0.02}}
        below: {lazy: false, position_m: [0.5, 0, -0.8], device: {source: test, rate_hz: 4, kind: camera, width: 40, height: 30,
          horizontal_fov_deg: 120, distortion: {kind: fisheye}, marine_snow: 200}}
";

// Goal: same seed, same pixels: colours, depths and labels of two cameras in waves, above and below, to the last bit for 1, 2 and 4 threads and blocks of 25 and 400
// steps. Method: whole frames compared. Tolerance: none.
#[test]
fn camera_pictures_have_the_same_bits() {
    let run = |threads: usize, block: u64| {
        let mut sim = Simulation::new(Arc::new(scene(CAMERAS)), threads).unwrap();
        let mut all = Vec::new();
        while sim.state.step < 300 {
            sim.advance(block.min(300 - sim.state.step));
            all.append(&mut sim.frames);
        }
        all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
        all
    };
    let frames = run(1, 25);
    assert!(frames.len() >= 4, "{}", frames.len());
    for (threads, block) in [(2, 25), (4, 400)] {
        assert!(run(threads, block) == frames, "{threads} threads, blocks of {block}");
    }
}
