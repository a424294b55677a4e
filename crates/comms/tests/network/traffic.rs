//! Random traffic of modems with all protocols, commands and causes of loss.

use crate::common::{SECOND, modem, read, set_band};
use merrow_comms::network::Network;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::mac::{
    Backoff, CsmaCa, CsmaCd, Fdma, PollingController, SlottedAloha, Tdma, WaitingRoom,
};
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::scene::comms::{
    BROADCAST, ClockError, DropPolicy, MacProtocol, Modem, QueueLimits, RateChoice, Transceiver,
};
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::{MessageGroup, ModemCommand, NetworkState, Ranging, Send};

/// Number of modems of the random network.
pub(crate) const N: usize = 12;

/// Returns a protocol by its number.
pub(crate) fn protocol(k: usize) -> MacProtocol {
    let ms = 1_000_000;
    match k % 10 {
        0 => MacProtocol::Aloha,
        1 => MacProtocol::SlottedAloha(SlottedAloha {
            slot_s: Nanoseconds(300 * ms),
        }),
        2 => MacProtocol::WaitingRoom(WaitingRoom {
            station: 2,
            slot_s: Nanoseconds(3 * SECOND),
            report_s: Nanoseconds(1500 * ms),
        }),
        3 => MacProtocol::CsmaCa(CsmaCa {
            backoff: Backoff::Nonpersistent {
                max_s: Nanoseconds(SECOND),
            },
            space_s: Nanoseconds(10 * ms),
            max_attempts: 0,
        }),
        4 => MacProtocol::CsmaCa(CsmaCa {
            backoff: Backoff::Window {
                slot_s: Nanoseconds(20 * ms),
                min_slots: 8,
                max_doublings: 5,
            },
            space_s: Nanoseconds(10 * ms),
            max_attempts: 8,
        }),
        5 => MacProtocol::CsmaCd(CsmaCd {
            window_s: Nanoseconds(1000),
            min_frame_bits: 512,
            max_exponent: 10,
            max_attempts: 4,
        }),
        6 => MacProtocol::Tdma(Tdma {
            frame_s: Nanoseconds(SECOND),
            slots_s: vec![[Nanoseconds(300 * ms), Nanoseconds(100 * ms)]],
            guard_s: Nanoseconds(10 * ms),
        }),
        7 => MacProtocol::Fdma(Fdma {
            channel: 1,
            channels: 3,
        }),
        8 => MacProtocol::PollingController(PollingController {
            addresses: vec![1, 9, 4],
            timeout_s: Nanoseconds(3 * SECOND),
            pause_s: Nanoseconds(SECOND),
        }),
        _ => MacProtocol::Polled,
    }
}

/// Returns the modems of the random network: all protocols, small queues, fragments, capture, two
/// bands that overlap, drifting clocks.
pub(crate) fn modems() -> Vec<Modem> {
    (0..N as u16)
        .map(|address| {
            let base = modem(address);
            let k = usize::from(address);
            let mut transceiver = Transceiver {
                capture_db: (k % 2 == 0).then_some(10.0),
                destructive_overlap: k % 5 == 4,
                loss_probability: if k == 6 { 0.2 } else { 0.0 },
                half_duplex: k % 4 != 3,
                bearing_std_deg: (k == 1).then_some(0.5),
                reception: Reception::ErrorRate,
                framing: read(
                    "{preamble_s: 0.01, overhead_bits: 128, control_bits: 128, \
                     max_payload_bytes: 100, max_fragments: 5}",
                ),
                ..base.transceiver.clone()
            };
            if k >= N - 2 {
                set_band(&mut transceiver, [30e3, 50e3]);
            }
            Modem {
                mac: protocol(k),
                transceiver,
                clock: ClockError::new(0.3 * f64::from(address), 10.0 * f64::from(address)),
                queue: QueueLimits {
                    policy: [
                        DropPolicy::Newest,
                        DropPolicy::Oldest,
                        DropPolicy::LowestPriority,
                    ][k % 3],
                    ..read("{max_messages: 4, max_size_bytes: 900, max_age_s: 20}")
                },
                rate: if k % 2 == 0 {
                    RateChoice::Adaptive
                } else {
                    RateChoice::Fixed(0)
                },
                power_w: 5.0,
                promiscuous: k == 3,
                power_control: (k == 4)
                    .then(|| read("{station: 0, period_s: 5, target_snr_db: 13, step_db: 0.8}")),
                ..base
            }
        })
        .collect()
}

/// Random commands: number `k` is issued at `next_ns`.
pub(crate) struct Traffic {
    stream: Stream,
    k: u64,
    pub(crate) next_ns: u64,
}

impl Traffic {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            stream: Stream::new(seed, "traffic"),
            k: 0,
            next_ns: 0,
        }
    }

    /// Issues the next command; commands that the network refuses have no effect.
    pub(crate) fn issue(&mut self, net: &Network, state: &mut NetworkState) {
        let mut draw = self.stream.draw(self.k);
        self.k += 1;
        let mut below = |n: usize| (draw.uniform() * n as f64) as usize;
        let modem = below(N);
        let destination = match below(3) {
            0 => BROADCAST,
            _ => below(N) as u16,
        };
        let kind = below(40);
        let command = match kind {
            0 => ModemCommand::SetMac {
                modem,
                mac: protocol(below(10)),
            },
            1 => ModemCommand::Switch {
                modem,
                is_on: false,
            },
            2..5 => ModemCommand::Switch { modem, is_on: true },
            5..8 => ModemCommand::Range {
                modem,
                destination,
                kind: [Ranging::OneWay, Ranging::TwoWay][below(2)],
            },
            8 => ModemCommand::SetPower {
                modem,
                power: 1.0 + below(9) as f64,
            },
            9 => ModemCommand::SetClock {
                modem,
                offset: below(3) as f64 * 0.1,
                skew: 1e-6,
            },
            10 => ModemCommand::SetRate {
                modem,
                rate: [RateChoice::Adaptive, RateChoice::Fixed(1)][below(2)],
            },
            _ => ModemCommand::Send(Send {
                priority: below(3) as u8,
                is_acknowledged: destination != BROADCAST && below(2) == 0,
                group: (below(3) == 0)
                    .then_some(below(2) as u32)
                    .map(MessageGroup::newest_only),
                power: (below(5) == 0).then_some(10.0),
                ..Send::new(modem, destination, vec![7; below(450)])
            }),
        };
        // an address in the other band is refused
        let _ = net.apply(state, &command);
        let pause = [0.02, 0.3, 1.0][below(3)];
        self.next_ns += (draw.exponential() * pause * 1e9) as u64;
    }
}
