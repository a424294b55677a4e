//! Messages from the network: any bytes are decoded or refused, by every type that can come in.
//!
//! `cargo +nightly fuzz run cdr -- -max_len=4096 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../test/input/decoders.rs"]
mod decoders;

fuzz_target!(|bytes: &[u8]| {
    decoders::decode_all(bytes);
});
