//! Fuzzes the decoder of MAVLink and the reactions to requests: any bytes must decode or be
//! rejected without a panic.
//!
//! `cargo +nightly fuzz run mavlink -- -max_len=2048 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_autopilot::mavlink::commands::react;
use merrow_autopilot::mavlink::frames::FrameBuffer;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static SIMULATION: RefCell<Simulation> = RefCell::new(simulation());
}

fn simulation() -> Simulation {
    let world = load_text(
        "fuzz.yaml",
        "robots: {r: {model: bluerov2}}",
        Overrides::default(),
    );
    Simulation::new(Arc::new(world.unwrap().scene), 1).unwrap()
}

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = FrameBuffer::default();
    buffer.push(bytes);
    SIMULATION.with_borrow_mut(|simulation| {
        while let Some((_, message)) = buffer.next_message() {
            for command in react(&message, 1, 0, simulation).commands {
                let _ = simulation.apply(&command);
            }
        }
    });
});
