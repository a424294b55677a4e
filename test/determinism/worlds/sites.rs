//! Tests that the bundled sites of `harbour_inspection` and `survey` equal the output of their
//! generators, and that the sensors of these worlds are bit-identical on any number of threads.

use merrow_model::state::frames::{Frame, FrameData};
use merrow_scenery::sites::quay::Quay;
use merrow_scenery::sites::{File, quay_file, survey_file};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::path::Path;
use std::sync::Arc;

// The bundled files under grids are exactly those that `merrow terrain` writes for seed 1. Method:
// all files, byte for byte.
#[test]
fn bundled_sites_match_generators() {
    let check = |kind: &str, made: &[File]| {
        let name = kind.replace('-', "_");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("grids")
            .join(&name);
        for (file, bytes) in made {
            let shipped = std::fs::read(folder.join(file)).unwrap_or_default();
            assert!(
                shipped == *bytes,
                "grids/{name}/{file} is out of date; regenerate it with `merrow terrain {kind} --out grids/{name}`"
            );
        }
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), made.len());
    };
    check("harbour-inspection", &quay_file::quay_files(&Quay::new(1)));
    check("survey", &survey_file::survey_files(1));
}

/// Returns frames and state hash after an eighth of a second with all sensors subscribed.
fn run(world: &str, threads: usize, block: u64) -> (Vec<Frame>, String) {
    let loaded = load_world(&data_dir::world_file(world), Overrides::default());
    let mut scene = loaded.unwrap_or_else(|problems| panic!("{problems}")).scene;
    for sensor in scene.robots.iter_mut().flat_map(|robot| &mut robot.sensors) {
        sensor.lazy = false;
    }
    let mut s = Simulation::new(Arc::new(scene), threads).unwrap();
    let mut all = Vec::new();
    let steps = (0.128 / s.scene.dt()).round() as u64;
    while s.state.step < steps {
        s.advance(block.min(steps - s.state.step));
        all.append(&mut s.frames);
        s.clear_outboxes();
    }
    all.sort_by_key(|f| (f.stamp_ns, f.robot, f.sensor));
    (all, s.state.hash())
}

// The sensor demonstration worlds run with all sensors, each produces data, and all data are
// bit-identical on 1 and 4 threads and in other blocks. Method: every frame of an eighth of a
// second.
#[test]
fn the_sensors_of_the_worlds_have_the_same_bits() {
    for (world, sensors) in [("harbour_inspection", 2), ("survey", 2), ("riverwatch", 6)] {
        let one = run(world, 1, 25);
        let mut seen: Vec<(usize, usize)> = one.0.iter().map(|f| (f.robot, f.sensor)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), sensors, "{world}");
        for frame in &one.0 {
            let something = match &*frame.data {
                // The tilting laser starts with beams into the sky.
                FrameData::Scan(scan) => scan.ranges.len() == 361,
                FrameData::Cloud(points) => !points.is_empty(),
                FrameData::CameraImages(images) => images
                    .rgb
                    .as_ref()
                    .is_some_and(|rgb| rgb.iter().any(|x| *x > 30)),
                FrameData::Ping(ping) => ping.levels.iter().any(|level| *level > 0),
                other => panic!("{other:?}"),
            };
            assert!(
                something,
                "{world}: robot {}, sensor {}",
                frame.robot, frame.sensor
            );
        }
        assert!(run(world, 4, 31) == one, "{world}: 4 threads, blocks of 31");
    }
}
