//! Fuzzes packets of autopilots: any bytes must decode or be rejected without a panic.
//!
//! `cargo +nightly fuzz run autopilot -- -max_len=128 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_autopilot::ardupilot::packet::decode;

fuzz_target!(|bytes: &[u8]| {
    let _ = decode(bytes);
});
