//! Cost of a camera's picture of 640 x 480, in milliseconds of thread time.
//!
//! Prints one JSON object: medians of colour frames over the water, under it, and of the surface from below, and of what a frame without
//! colours takes. `--callgrind CAMERA FRAMES` works out that many frames of one camera instead, for instruction counts.

use merrow::scene::camera::Part;
use merrow::sim::Simulation;
use merrow::state::frame::FrameData;
use merrow::world;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, json};
use std::path::Path;
use std::sync::Arc;

/// Robot and sensor of each case.
const CASES: [(&str, usize, usize); 3] = [("above", 0, 0), ("below", 1, 0), ("upwards", 1, 1)];
/// Frames of which the median is taken.
const FRAMES: usize = 9;

/// Processor time this program has used [ms]: others on the machine do not count.
fn time_ms() -> f64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec as f64 * 1e3 + t.tv_nsec as f64 * 1e-6
}

fn simulation() -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/worlds/camera.yaml");
    let scene = match world::load_world(&path, world::Overrides::default()) {
        Ok(world) => world.scene,
        Err(problems) => panic!("{problems}"),
    };
    let mut simulation = Simulation::new(Arc::new(scene), 1).expect("threads start");
    simulation.advance(200);
    simulation
}

/// A tenth of a second, with a frame of this camera in it if it is wanted: the sum of its colours, which tells whether two programs paint the same.
fn frame(simulation: &mut Simulation, (_, robot, sensor): (&str, usize, usize), wanted: bool) -> u64 {
    let scene = Arc::clone(&simulation.scene);
    if let Some(lookout) = &simulation.lookout {
        lookout.want_parts(&scene, robot, sensor, if wanted { Part::Rgb as u8 } else { 0 });
    }
    simulation.frames.clear();
    simulation.advance(10);
    let mut sum = 0;
    for frame in &simulation.frames {
        if let FrameData::Picture(picture) = &*frame.data {
            sum += picture.rgb.iter().flat_map(|rgb| rgb.iter()).map(|byte| u64::from(*byte)).sum::<u64>();
        }
    }
    sum
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut simulation = simulation();
    if let [word, name, count] = &words[..]
        && word == "--callgrind"
    {
        let case = CASES.iter().find(|case| case.0 == name).expect("a camera");
        let count: usize = count.parse().expect("a number of frames");
        (0..count).for_each(|_| println!("{}", frame(&mut simulation, *case, true)));
        return;
    }
    let mut all = Map::new();
    for case in CASES {
        let mut spent = |wanted: bool| {
            let start = time_ms();
            let sum = frame(&mut simulation, case, wanted);
            assert!(wanted == (sum > 0), "{} has painted {sum}", case.0);
            time_ms() - start
        };
        // what the rest of the world takes does not count
        let mut times: Vec<f64> = (0..FRAMES).map(|_| spent(true) - spent(false)).collect();
        times.sort_by(f64::total_cmp);
        all.insert(format!("{}_ms", case.0), json!(times[FRAMES / 2]));
    }
    println!("{}", serde_json::Value::Object(all));
}
