//! Fuzzes the decoders of packets of bridges: any bytes must decode or be rejected without a panic,
//! and an accepted message or call must belong to its bridge.
//!
//! `cargo +nightly fuzz run bridge -- -max_len=512 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_model::scene::Scene;
use merrow_world::{Overrides, load_text};
use std::sync::LazyLock;

#[path = "../../test/input/format/bridge_decoders.rs"]
mod bridge_decoders;

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let world = load_text(
        "bridges.yaml",
        bridge_decoders::BRIDGE_WORLD,
        Overrides::default(),
    );
    world.expect("the world of the decoders").scene
});

fuzz_target!(|bytes: &[u8]| {
    bridge_decoders::decode_bridged(&SCENE, bytes);
});
