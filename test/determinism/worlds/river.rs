//! Tests that the bundled river equals the output of its generator, and that its worlds are
//! bit-identical on any number of threads.

use merrow_scenery::river::{River, files};
use merrow_sim::Simulation;
use merrow_world::{Overrides, data_dir, load_world};
use std::path::Path;
use std::sync::Arc;

// The files under grids/riverwatch are exactly those that `merrow terrain riverwatch --seed 1`
// writes. Method: all files, byte for byte.
#[test]
fn bundled_river_matches_generator() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("grids/riverwatch");
    let made = files::river_files(&River::new(1));
    for (name, bytes) in &made {
        let shipped = std::fs::read(folder.join(name)).unwrap_or_default();
        assert!(
            shipped == *bytes,
            "grids/riverwatch/{name} is out of date; regenerate it with `merrow terrain riverwatch --out grids/riverwatch`"
        );
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), made.len());
}

// Three pairs of robots, eight moorings, gusts and a gridded current give bit-identical results on
// 1, 2 and 4 threads and in other blocks. Method: state hashes after 200 steps.
#[test]
fn results_are_independent_of_threads_and_blocks() {
    let world = load_world(
        &data_dir::world_file("riverwatch_three"),
        Overrides::default(),
    );
    let scene = Arc::new(world.unwrap_or_else(|problems| panic!("{problems}")).scene);
    assert_eq!(scene.robots.len(), 14);
    let hash = |threads: usize, block: u64| {
        let mut s = Simulation::new(Arc::clone(&scene), threads).unwrap();
        for _ in 0..200 / block {
            s.advance(block);
            s.clear_outboxes();
        }
        s.state.hash()
    };
    let one = hash(1, 50);
    assert_eq!([hash(2, 200), hash(4, 1)], [one.clone(), one]);
}
