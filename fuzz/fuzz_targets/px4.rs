//! Fuzzes the outputs of PX4: any bytes must decode or be rejected without a panic, and every
//! accepted output must be in the range of its device.
//!
//! `cargo +nightly fuzz run px4 -- -max_len=2048 -rss_limit_mb=512`
#![no_main]

use libfuzzer_sys::fuzz_target;
use mavlink::dialects::common::MavMessage;
use merrow_autopilot::mavlink::frames::FrameBuffer;
use merrow_autopilot::px4::output_command;
use merrow_model::scene::autopilot::{ServoDevice, ServoOutput};

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = FrameBuffer::default();
    buffer.push(bytes);
    while let Some((_, message)) = buffer.next_message() {
        let MavMessage::HIL_ACTUATOR_CONTROLS(outputs) = message else {
            continue;
        };
        for channel in 0..17 {
            let output = ServoOutput {
                channel,
                device: ServoDevice::Thruster(0),
                input: [-1.0, 0.0, 1.0],
                command: [-2.0, 0.0, 3.0],
            };
            if let Ok(value) = output_command(&output, &outputs.controls) {
                assert!((-2.0..=3.0).contains(&value));
            }
        }
    }
});
