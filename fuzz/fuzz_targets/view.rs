//! Fuzzes messages of clients of the live view: any text must decode or be refused without a panic.
//!
//! `cargo +nightly fuzz run view -- -max_len=512 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use merrow_view::action::decode;
use merrow_view::request::Head;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = decode(&text);
    if let Ok(head) = Head::parse(&text) {
        let _ = (head.token(), head.host_is_loopback(), head.is_same_origin());
    }
});
