//! Measures the cost of exteroceptive sensors, in milliseconds of CPU time: images of 640 x 480,
//! frames of a lidar of 64 x 1024, and pings of a sonar of 256 beams.
//!
//! Prints one JSON object with the median of each on one thread, and for images also the wall time
//! with two threads: colour frames above the water, below it, and of the surface from below; a
//! lidar frame in a world of a million triangles, and over waves; a ping of a forward-looking sonar
//! at 900 kHz. The cost of the rest of the world is subtracted. `--callgrind CASE FRAMES` computes
//! that many frames of one case instead, for instruction counts.

#[path = "../test/common/ray_scene.rs"]
#[expect(dead_code, reason = "this bench uses only the scene")]
mod ray_scene;

use merrow_model::sensor::camera::CameraOutput;
use merrow_model::state::frames::FrameData;
use merrow_sim::Simulation;
use merrow_world as world;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Name, world, robot index and sensor index of each case.
const CASES: [(&str, &str, usize, usize); 9] = [
    ("above", "camera", 0, 0),
    ("below", "camera", 1, 0),
    ("upwards", "camera", 1, 1),
    ("above_fast", "camera", 0, 1),
    ("below_fast", "camera", 1, 2),
    ("upwards_fast", "camera", 1, 3),
    ("lidar", "ranging", 0, 0),
    ("lidar_over_waves", "ranging", 1, 0),
    ("sonar_256_beams", "ranging", 2, 0),
];
/// Number of frames for the median.
const FRAMES: usize = 9;
/// Number of squares along a side of the terrain.
const SQUARES: u32 = 709;

/// Returns the CPU time of this process [ms]; other processes on the machine do not affect it.
fn time_ms() -> f64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec as f64 * 1e3 + t.tv_nsec as f64 * 1e-6
}

/// Writes a terrain of a million triangles as an STL file.
fn write_ground(path: &Path) -> std::io::Result<()> {
    let soup = ray_scene::scene(SQUARES);
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&[0; 80])?;
    file.write_all(&(soup.triangles.len() as u32).to_le_bytes())?;
    for triangle in &soup.triangles {
        file.write_all(&[0; 12])?;
        for x in triangle
            .iter()
            .flat_map(|k| soup.vertices[*k as usize].to_array())
        {
            file.write_all(&(x as f32).to_le_bytes())?;
        }
        file.write_all(&[0; 2])?;
    }
    file.flush()
}

fn simulation(name: &str, threads: usize) -> Simulation {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ground = root.join(format!("target/benches/ground_{SQUARES}.stl"));
    if name == "ranging" && !ground.exists() {
        std::fs::create_dir_all(root.join("target/benches")).expect("a folder");
        write_ground(&ground).expect("a file");
    }
    let path = root.join(format!("benches/worlds/{name}.yaml"));
    let scene = match world::load_world(&path, world::Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    };
    let mut simulation = Simulation::new(Arc::new(scene), threads).expect("threads start");
    simulation.advance(200);
    simulation
}

/// Returns a checksum of a frame, which shows whether two programs compute the same.
fn checksum(data: &FrameData) -> u64 {
    match data {
        FrameData::CameraImages(images) => images
            .rgb
            .iter()
            .flat_map(|rgb| rgb.iter())
            .map(|byte| u64::from(*byte))
            .sum(),
        FrameData::Cloud(points) => points.iter().map(|p| u64::from(p.p[0].to_bits())).sum(),
        FrameData::Ping(ping) => ping.levels.iter().map(|level| u64::from(*level)).sum(),
        _ => 0,
    }
}

/// Simulates two tenths of a second, with frames of this sensor in the first tenth if `requested`.
/// Returns the number of frames and a checksum.
fn simulate_frames(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
    requested: bool,
) -> (usize, u64) {
    let scene = Arc::clone(&simulation.scene);
    let exteroceptive = scene.robots[robot].sensors[sensor].kind.exteroceptive();
    let is_camera = matches!(
        exteroceptive.map(|spec| &**spec),
        Some(merrow_model::sensor::ExteroceptiveSpec::Camera(_))
    );
    let parts = if is_camera {
        CameraOutput::Rgb as u8
    } else {
        u8::MAX
    };
    simulation.frames.clear();
    // a sweep takes a tenth of a second and is delivered after it
    for parts in [if requested { parts } else { 0 }, 0] {
        if let Some(scheduler) = &simulation.sensor_scheduler {
            scheduler.request_outputs(&scene, robot, sensor, parts);
        }
        simulation.advance(10);
    }
    let sum = simulation
        .frames
        .iter()
        .map(|frame| checksum(&frame.data))
        .fold(0, u64::wrapping_add);
    (simulation.frames.len(), sum)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, name, count] = &words[..]
        && word == "--callgrind"
    {
        let (_, world, robot, sensor) = CASES.iter().find(|case| case.0 == name).expect("a case");
        let mut simulation = simulation(world, 1);
        let count: usize = count.parse().expect("a number of frames");
        (0..count).for_each(|_| {
            println!(
                "{}",
                simulate_frames(&mut simulation, *robot, *sensor, true).1
            )
        });
        return;
    }
    let mut all = Map::new();
    let begin = Instant::now();
    let clock_ms = || begin.elapsed().as_secs_f64() * 1e3;
    for (world, threads, unit) in [
        ("camera", 1, "ms"),
        ("camera", 2, "clock_ms_on_two"),
        ("ranging", 1, "ms"),
    ] {
        let mut simulation = simulation(world, threads);
        for (name, _, robot, sensor) in CASES.iter().filter(|case| case.1 == world) {
            let now = || if threads == 1 { time_ms() } else { clock_ms() };
            let mut frame_time = |requested: bool| {
                let start = now();
                let (count, sum) = simulate_frames(&mut simulation, *robot, *sensor, requested);
                assert!(sum > 0 || !requested, "the checksum of {name} is {sum}");
                (now() - start) / if requested { count.max(1) as f64 } else { 1.0 }
            };
            // subtract the cost of the rest of the world
            let mut times: Vec<f64> = (0..FRAMES)
                .map(|_| frame_time(true) - frame_time(false))
                .collect();
            times.sort_by(f64::total_cmp);
            all.insert(format!("{name}_{unit}"), json!(times[FRAMES / 2]));
        }
    }
    println!("{}", serde_json::Value::Object(all));
}
