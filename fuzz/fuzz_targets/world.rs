//! World files: any text is read or refused, and what was read can be stepped.
//!
//! `cargo +nightly fuzz run world -- -max_len=8192`, best with `worlds/` copied into `fuzz/corpus/world/`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

fuzz_target!(|text: &str| {
    match load_text("fuzz.yaml", text, Overrides::default()) {
        // larger grids cost time alone
        Ok(world) if world.scene.robots.len() <= 8 => {
            let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("one thread needs no pool");
            simulation.advance(3);
        }
        Ok(_) => {}
        Err(problems) => assert!(!problems.is_empty(), "refused without a reason"),
    }
});
