//! Tests that the frames of exteroceptive sensors are the same for any number of threads and any
//! block size, and that these sensors do not affect the step.

use crate::common::scene;
use merrow_model::state::frames::Frame;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::{Pace, Simulation};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
        lidar: {lazy: false, position_m: [0, 0, 0.8], device: {source: test, rate_hz: 10, loss_probability: 0.1, kind: lidar,
          elevation_deg: [-15, 15], rings: 8, columns: 120, max_range_m: 60, range_std_m: 0.02, beam_loss: 0.05}}
        laser: {lazy: false, position_m: [0.5, 0, 0.5], device: {source: test, rate_hz: 17, latency_s: 0.03, kind: laser,
          azimuth_deg: [-120, 120], beams: 241, max_range_m: 30, range_std_m: 0.01, divergence_mrad: 3}}
";

fn run(steps: u64, threads: usize, block: u64, lazy: bool) -> (Vec<Frame>, String) {
    let text = if lazy {
        WORLD.replace("lazy: false", "lazy: true")
    } else {
        WORLD.to_string()
    };
    let mut sim = Simulation::new(Arc::new(scene(&text)), threads).unwrap();
    for robot in 0..2 {
        sim.apply(&Command::Actuator(
            robot,
            ActuatorCommand::Thrusters {
                values: vec![60.0, 80.0],
            },
        ))
        .unwrap();
    }
    let mut all = Vec::new();
    while sim.state.step < steps {
        sim.advance(block.min(steps - sim.state.step));
        all.append(&mut sim.frames);
    }
    all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
    (all, sim.state.hash())
}

// The same seed gives the same pixels. The frames of two boats in waves at a quay are bitwise equal
// for 1, 2 and 4 threads and blocks of 1, 25 and 400 steps; the state equals the state of a run
// without subscribers. Method: 0.6 s, whole frames compared.
#[test]
fn frames_have_the_same_bits() {
    let (frames, hash) = run(300, 1, 25, false);
    assert!(frames.len() > 25, "{}", frames.len());
    for (threads, block) in [(2, 25), (4, 25), (2, 1), (2, 400)] {
        let (others, other_hash) = run(300, threads, block, false);
        assert_eq!(
            other_hash, hash,
            "state, {threads} threads, blocks of {block}"
        );
        assert_same(
            &frames,
            &others,
            &format!("{threads} threads, blocks of {block}"),
        );
    }
    let (none, lazy_hash) = run(300, 2, 25, true);
    assert!(none.is_empty());
    assert_eq!(lazy_hash, hash, "subscribers do not change the state");
}

/// Asserts that both runs have produced the same frames, bitwise.
#[track_caller]
fn assert_same(frames: &[Frame], others: &[Frame], what: &str) {
    assert_eq!(others.len(), frames.len(), "{what}: number of frames");
    for (a, b) in frames.iter().zip(others) {
        assert!(a == b, "{what}: frame of {} ns", a.stamp_ns);
    }
}

// Frames and state are the same on a machine under load. Method: 0.2 s concurrently with four
// spinning threads, on two threads, compared with an unloaded run.
#[test]
fn frames_have_the_same_bits_under_load() {
    let (frames, hash) = run(100, 2, 25, false);
    let stop = AtomicBool::new(false);
    let (others, other_hash) = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let busy = run(100, 2, 25, false);
        stop.store(true, Ordering::Relaxed);
        busy
    });
    assert_eq!(other_hash, hash, "state under load");
    assert_same(&frames, &others, "under load");
}

// A real-time run never waits for a frame. A late frame is dropped and counted, every other sample
// is delivered once, and neither changes the state or a frame. Method: an as-fast-as-possible run
// with too many beams, with and without waiting; every frame of the run that does not wait equals a
// frame of the run that waits.
#[test]
fn real_time_runs_drop_and_count_late_frames() {
    let text = WORLD
        .replace("columns: 120", "columns: 3000")
        .replace("loss_probability: 0.1, ", "");
    let scene = Arc::new(scene(&text));
    let run = |patient: bool| {
        let mut sim = Simulation::new(Arc::clone(&scene), 2).unwrap();
        sim.sensor_scheduler.as_mut().unwrap().set_pace(if patient {
            Pace::Max
        } else {
            Pace::Factor(1.0)
        });
        let mut all = Vec::new();
        while sim.state.step < 300 {
            sim.advance(25);
            all.append(&mut sim.frames);
        }
        all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
        (all, sim)
    };
    let ((frames, patient), (found, sim)) = (run(true), run(false));
    assert_eq!(sim.state.hash(), patient.state.hash(), "the state");
    let missed: Vec<(usize, usize, u64)> =
        sim.sensor_scheduler.as_ref().unwrap().missed().collect();
    assert!(
        patient
            .sensor_scheduler
            .as_ref()
            .unwrap()
            .missed()
            .all(|(_, _, n)| n == 0),
        "the patient miss none"
    );
    assert!(
        missed.iter().map(|(_, _, n)| n).sum::<u64>() > 2,
        "{missed:?}"
    );
    for frame in &found {
        assert_eq!(
            frames.iter().filter(|f| *f == frame).count(),
            1,
            "frame of {} ns",
            frame.stamp_ns
        );
    }
    for (robot, sensor, n) in missed {
        let sampled = sim.state.robots[robot].sensors[sensor].samples;
        let got = found
            .iter()
            .filter(|f| (f.robot, f.sensor) == (robot, sensor))
            .count() as u64;
        // At the end two samples are still in progress, or the samples of a quarter of a second.
        assert!(
            got + n <= sampled && sampled <= got + n + 4,
            "{robot}/{sensor}: {n} missed, {got} received of {sampled}"
        );
    }
}

// Frames that are computed and wait for their due time are not late. Method: the laser of the boats
// with a latency of eight periods, paced by the wall clock; a checkpoint after each sample waits
// until it is computed.
#[test]
fn latency_causes_no_missed_samples() {
    let text = WORLD.replace("latency_s: 0.03", "latency_s: 0.5");
    let mut sim = Simulation::new(Arc::new(scene(&text)), 2).unwrap();
    let scheduler = sim.sensor_scheduler.as_mut().unwrap();
    scheduler.set_pace(Pace::Factor(1.0));
    while sim.state.step < 500 {
        sim.advance(5);
        sim.checkpoint().unwrap();
    }
    let scheduler = sim.sensor_scheduler.as_ref().unwrap();
    let missed: Vec<u64> = scheduler.missed().map(|(_, _, n)| n).collect();
    assert_eq!(missed, [0; 4]);
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
          horizontal_fov_deg: 120, distortion: {kind: fisheye}, marine_snow: 200, antialias: 4}}
        fast: {lazy: false, position_m: [0.5, 0, 0.9], device: {source: test, rate_hz: 4, kind: camera, width: 40, height: 30,
          horizontal_fov_deg: 80, quality: fast}}
";

// The same seed gives the same pixels. Colours, depths and labels of three cameras in waves, above
// and below the surface and with the quality `fast`, are bitwise equal for 1, 2 and 4 threads and
// blocks of 25 and 400 steps. Method: whole frames compared.
#[test]
fn camera_images_have_the_same_bits() {
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
        assert_same(
            &frames,
            &run(threads, block),
            &format!("{threads} threads, blocks of {block}"),
        );
    }
}
