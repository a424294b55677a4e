//! Fuzzes what reaches a client and a server of MOOS, logs and mission files: any bytes must be read or
//! rejected without a panic.
//!
//! `cargo +nightly fuzz run moos -- -max_len=4096 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../test/input/format/moos_decoders.rs"]
mod moos_decoders;

fuzz_target!(|bytes: &[u8]| {
    moos_decoders::decode_moos(bytes);
});
