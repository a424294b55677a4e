//! Fuzzes datagrams and discovery data: any bytes must decode or be rejected without a panic.
//!
//! `cargo +nightly fuzz run rtps -- -max_len=4096 -rss_limit_mb=512`
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use merrow_rtps::wire::{EndpointData, ParticipantData, parse};

fuzz_target!(|bytes: &[u8]| {
    let bytes = Bytes::copy_from_slice(bytes);
    let _ = parse(bytes.clone());
    let _ = ParticipantData::decode(&bytes);
    let _ = EndpointData::decode(&bytes);
});
