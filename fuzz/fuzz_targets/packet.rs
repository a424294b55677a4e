//! Fuzzes the decoder of frames of modems: any bytes must decode or be rejected without a panic, and
//! an accepted frame must be equal to the frame that its header and payload encode.
//!
//! `cargo +nightly fuzz run packet -- -max_len=4096 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_comms::network::header::{decode_frame, encode_frame};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((header, payload)) = decode_frame(bytes) {
        let mut again = Vec::new();
        let encoded = encode_frame(&header, payload, &mut again);
        assert!(encoded.is_ok() && bytes.starts_with(&again));
    }
});
