//! Tests that flows, columns, terrain, gusts and weather changes are bit-identical for any threads,
//! blocks and pauses.

use merrow_model::state::Command;
use merrow_model::state::commands::WeatherChange;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_world};
use std::path::Path;
use std::sync::Arc;

fn estuary(threads: usize) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds/estuary.yaml");
    let world = load_world(&path, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    Simulation::new(Arc::new(world.scene), threads).unwrap()
}

/// Advances 500 steps in blocks of `block`, half of them during a weather change, and returns the
/// state hash.
fn travel(s: &mut Simulation, block: u64) -> String {
    for half in 0..2 {
        if half == 1 {
            let change = WeatherChange {
                gustiness: Some(2.0),
                duration_s: 0.3,
                ..WeatherChange::default()
            };
            s.apply(&Command::Weather(Box::new(change))).unwrap();
        }
        for _ in 0..250 / block {
            s.advance(block);
            s.clear_outboxes();
        }
    }
    s.state.hash()
}

// Bit-identical results on 1, 2 and 4 threads, in blocks of 1, 50 and 250 steps, and from a clone
// of the state. Method: state hashes after 500 steps.
#[test]
fn results_are_independent_of_threads_blocks_and_clones() {
    let hash = travel(&mut estuary(1), 50);
    for (threads, block) in [(1, 1), (2, 50), (4, 250)] {
        assert_eq!(
            travel(&mut estuary(threads), block),
            hash,
            "{threads} threads in blocks of {block}"
        );
    }
    let mut first = estuary(1);
    first.advance(100);
    let mut second = estuary(2);
    second.state = first.state.clone();
    first.advance(150);
    second.advance(150);
    assert_eq!(first.state.hash(), second.state.hash());
}
