//! Fuzzes world files: any text must be read or rejected without a panic, and an accepted world
//! must run for a few steps. Each comment `#set PATH=VALUE` at the start of a line sets a value.
//!
//! `cargo +nightly fuzz run world -- -max_len=8192`; works best with `worlds/` copied into
//! `fuzz/corpus/world/`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};
use std::sync::Arc;

fuzz_target!(|text: &str| {
    let sets = text.lines().filter_map(|line| line.strip_prefix("#set "));
    let overrides = Overrides {
        sets: sets.map(str::to_owned).collect(),
        ..Overrides::default()
    };
    match load_text("fuzz.yaml", text, overrides) {
        // larger fleets only cost time
        Ok(world) if world.scene.robots.len() <= 8 => {
            let mut simulation =
                Simulation::new(Arc::new(world.scene), 1).expect("one thread needs no pool");
            simulation.advance(3);
        }
        Ok(_) => {}
        Err(problems) => assert!(!problems.is_empty(), "rejected without a reason"),
    }
});
