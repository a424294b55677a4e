//! Medium access protocols.

use crate::keys::comms::mac::{BackoffConfig, CsmaCaConfig, CsmaCdConfig, MacConfig, TdmaConfig};
use merrow_model::scene::comms::MacProtocol;
use merrow_model::scene::comms::mac::{
    Backoff, CsmaCa, CsmaCd, Fdma, Polling, SlottedAloha, Tdma, TdmaSlot, WaitingRoom,
};
use merrow_model::scene::nanoseconds::nanoseconds;

/// Builds a medium access protocol.
pub(super) fn build_mac(file: &MacConfig) -> MacProtocol {
    match file {
        MacConfig::Aloha => MacProtocol::Aloha,
        MacConfig::SlottedAloha { slot_s, .. } => MacProtocol::SlottedAloha(SlottedAloha {
            slot_ns: nanoseconds(*slot_s),
        }),
        MacConfig::WaitingRoom {
            station,
            slot_s,
            report_s,
            ..
        } => MacProtocol::WaitingRoom(WaitingRoom {
            station: *station as u16,
            slot_ns: nanoseconds(*slot_s),
            report_ns: nanoseconds(*report_s),
        }),
        MacConfig::CsmaCa(sense) => MacProtocol::CsmaCa(build_csma_ca(sense)),
        MacConfig::CsmaCd(sense) => MacProtocol::CsmaCd(build_csma_cd(sense)),
        MacConfig::Tdma(tdma) => MacProtocol::Tdma(build_tdma(tdma)),
        MacConfig::Fdma {
            channel, channels, ..
        } => MacProtocol::Fdma(Fdma {
            channel: *channel as u16,
            channels: *channels as u16,
        }),
        MacConfig::PollingController {
            addresses,
            timeout_s,
            pause_s,
            ..
        } => MacProtocol::Polling(Polling::Controller {
            addresses: addresses.iter().map(|address| *address as u16).collect(),
            timeout_ns: nanoseconds(*timeout_s),
            pause_ns: nanoseconds(*pause_s),
        }),
        MacConfig::Polled => MacProtocol::Polling(Polling::Polled),
    }
}

fn build_csma_ca(file: &CsmaCaConfig) -> CsmaCa {
    CsmaCa {
        space_ns: nanoseconds(file.space_s),
        max_attempts: file.max_attempts,
        backoff: match &file.backoff {
            BackoffConfig::Nonpersistent { max_s, .. } => Backoff::Nonpersistent {
                max_ns: nanoseconds(*max_s),
            },
            BackoffConfig::Window {
                slot_s,
                min_slots,
                max_doublings,
                ..
            } => Backoff::Window {
                slot_ns: nanoseconds(*slot_s),
                min_slots: *min_slots,
                max_doublings: *max_doublings as u8,
            },
        },
    }
}

fn build_csma_cd(file: &CsmaCdConfig) -> CsmaCd {
    CsmaCd {
        window_ns: nanoseconds(file.window_s),
        min_frame_bits: file.min_frame_bits,
        max_exponent: file.max_exponent as u8,
        max_attempts: file.max_attempts,
    }
}

fn build_tdma(file: &TdmaConfig) -> Tdma {
    let slots = file.slots_s.iter().map(|[start, duration]| TdmaSlot {
        start_ns: nanoseconds(*start),
        duration_ns: nanoseconds(*duration),
    });
    Tdma {
        frame_ns: nanoseconds(file.frame_s),
        slots: slots.collect(),
        guard_ns: nanoseconds(file.guard_s),
    }
}
