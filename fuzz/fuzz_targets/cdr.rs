//! Fuzzes messages from the network: every incoming type must decode or reject any bytes without a
//! panic.
//!
//! `cargo +nightly fuzz run cdr -- -max_len=4096 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../test/input/format/decoders.rs"]
mod decoders;

fuzz_target!(|bytes: &[u8]| {
    decoders::decode_all(bytes);
});
