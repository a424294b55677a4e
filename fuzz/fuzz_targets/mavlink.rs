//! Fuzzes the decoder of MAVLink: any bytes must decode or be rejected without a panic.
//!
//! `cargo +nightly fuzz run mavlink -- -max_len=2048 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_autopilot::mavlink::frames::FrameBuffer;

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = FrameBuffer::default();
    buffer.push(bytes);
    while buffer.next_message().is_some() {}
});
