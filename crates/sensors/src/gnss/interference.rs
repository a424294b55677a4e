//! What transmitters make of the signals of satellites: jamming and spoofing.
//!
//! # Law
//! ```text
//!   p' = p + d + v (t - t_0),   v' = v_true + v                 (1)  spoofed
//! ```
//! A receiver is jammed within the reach of a jammer (`scene/fault.rs`), or wherever it is.
//!
//! # Symbols
//! d offset, v velocity of the false place, t_0 when the fault begins.
//!
//! # Frames
//! W.
//!
//! # Limits
//! The reach has a sharp edge: noise does not grow towards it. Nothing stands in a jammer's way. Two antennas that are spoofed hear one transmitter and are led
//! to one place: they have no heading.
//!
//! # Checked by
//! test/analytic/gnss.rs

use merrow_math::Vec3;
use merrow_model::scene::fault::{Device, FaultKind};
use merrow_model::state::FaultState;

/// What a receiver is made to believe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radio {
    /// It hears no satellite.
    pub jammed: bool,
    /// It follows false ones.
    pub spoofed: bool,
    /// Where it is led, over where it is [m].
    pub offset: Vec3,
    /// And how fast [m/s].
    pub velocity: Vec3,
}

impl Radio {
    /// Satellites alone.
    pub fn clear() -> Self {
        Self {
            jammed: false,
            spoofed: false,
            offset: Vec3::zero(),
            velocity: Vec3::zero(),
        }
    }
}

/// What the faults of a robot make of its sensor number `sensor` with its antenna at `p_WS`.
pub fn heard(faults: &[FaultState], sensor: usize, p_WS: Vec3, now_ns: u64) -> Radio {
    let mut radio = Radio::clear();
    for memory in faults.iter().filter(|f| f.is_active(now_ns)) {
        let fault = &memory.fault;
        match fault.kind {
            _ if fault.device != Device::Receiver(sensor) => {}
            FaultKind::Jammed(None) => radio.jammed = true,
            FaultKind::Jammed(Some(jammer)) => {
                radio.jammed |= (p_WS - jammer.p_W).norm() <= jammer.reach
            }
            FaultKind::Spoofed(spoof) => {
                let time = (now_ns - fault.start_ns) as f64 * 1e-9;
                radio.spoofed = true;
                radio.offset += spoof.offset + spoof.velocity.scale(time); // (1)
                radio.velocity += spoof.velocity;
            }
            _ => {}
        }
    }
    radio
}
