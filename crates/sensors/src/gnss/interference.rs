//! Interference with satellite navigation: jamming and spoofing.
//!
//! # Law
//! ```text
//!   p' = p + d + v (t - t_0),   v' = v_true + v                 (1)  spoofed
//! ```
//! A receiver is jammed within the reach of a jammer (`crates/model/src/scene/fault.rs`), or
//! everywhere if the fault has no jammer position.
//!
//! # Symbols
//! p, p' position without and with spoofing · v_true, v' velocity without and with spoofing · d
//! offset, v velocity of the false position · t time, t_0 start of the fault.
//!
//! # Frames
//! W.
//!
//! # Limits
//! The reach has a sharp edge: the noise does not increase towards it. No object shields a receiver
//! from a jammer. Two spoofed antennas receive one transmitter and compute the same position, so
//! they have no heading.
//!
//! # Checked by
//! test/sensors/navigation/gnss.rs

use crate::measure::Sample;
use merrow_math::Vec3;
use merrow_model::scene::fault::{Device, FaultKind, jammer_reach};

/// Combined effect of the active jamming and spoofing faults on a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Interference {
    /// True if no satellite signal can be received.
    pub jammed: bool,
    /// True if the receiver uses false satellite signals.
    pub spoofed: bool,
    /// Offset of the false position from the true position, in W [m].
    pub offset: Vec3,
    /// Velocity of this offset, in W [m/s].
    pub velocity: Vec3,
}

/// Computes the interference that the active faults of a robot cause at its sensor.
pub(crate) fn interference(sample: &Sample<'_>) -> Interference {
    let (p_WS, now_ns) = (sample.truth.p_WS, sample.on_board.now_ns);
    let mut radio = Interference::default();
    let faults = sample.on_board.state.faults.iter();
    for memory in faults.filter(|f| f.is_active(now_ns)) {
        let fault = &memory.fault;
        match fault.kind {
            _ if fault.device != Device::GnssReceiver(sample.index) => {}
            FaultKind::Jammed {
                position_m,
                power_w,
            } => {
                radio.jammed |= position_m
                    .is_none_or(|p| (p_WS - Vec3::from(p)).norm() <= jammer_reach(power_w));
            }
            FaultKind::Spoofed {
                offset_m,
                velocity_m_s,
            } => {
                let time = (now_ns - fault.start_ns) as f64 * 1e-9;
                let velocity = Vec3::from(velocity_m_s);
                radio.spoofed = true;
                radio.offset += Vec3::from(offset_m) + velocity.scale(time); // (1)
                radio.velocity += velocity;
            }
            _ => {}
        }
    }
    radio
}
