//! Behaviour of the medium access protocols.

use crate::common::{By, SECOND, Uniform, modem, network, set_band, signal};
use merrow_comms::network::Send;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::mac::{
    Backoff, CsmaCa, CsmaCd, Fdma, PollingController, Tdma, WaitingRoom,
};
use merrow_model::scene::comms::{BROADCAST, ClockError, MacProtocol, Modem};
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::{Activity, LossCause, ModemCommand};

fn to(modem: usize, destination: u16, payload: &[u8]) -> Send<&[u8]> {
    Send::new(modem, destination, payload)
}

// Modems in separate parts of the band do not interfere, at a rate divided by the number of parts;
// two modems in the same part do. Method: three modems transmit to a base at once.
#[test]
fn fdma_separates_the_parts_of_the_band() {
    for (channels, delivered) in [([0, 1, 2], 3), ([0, 1, 1], 1)] {
        let mut modems: Vec<Modem> = (0..4).map(modem).collect();
        for (k, channel) in channels.into_iter().enumerate() {
            modems[k + 1].mac = MacProtocol::Fdma(Fdma {
                channel,
                channels: 3,
            });
        }
        let (mut net, mut state) = network(&modems, 1);
        let channel = Uniform {
            delay_ns: 0,
            snr: 100.0,
        };
        for m in 1..4 {
            net.send(&mut state, &to(m, 0, &[0; 100]))
                .expect("valid message");
        }
        net.advance(&mut state, &channel, SECOND);
        assert_eq!(state.copies.delivered, delivered);
        let delivery = state.output.deliveries[0];
        assert_eq!(delivery.received_ns, 240_000_000);
        assert!((delivery.snr - 300.0).abs() < 1e-4);
    }
}

/// Returns the number of frames that collide in a TDMA network of 4 vehicles whose clocks drift, in
/// 1000 s.
fn tdma_collisions(skew_ppm: f64, guard_ns: u64) -> u64 {
    let slot_ns = 100_000_000 + guard_ns;
    let modems: Vec<Modem> = (0..5)
        .map(|address| Modem {
            mac: MacProtocol::Tdma(Tdma {
                frame_s: Nanoseconds(5 * slot_ns),
                slots_s: vec![[
                    Nanoseconds(u64::from(address) * slot_ns),
                    Nanoseconds(slot_ns),
                ]],
                guard_s: Nanoseconds(guard_ns),
            }),
            clock: ClockError::new(0.0, skew_ppm * if address % 2 == 0 { 1.0 } else { -1.0 }),
            ..modem(address)
        })
        .collect();
    let (mut net, mut state) = network(&modems, 1);
    let channel = Uniform {
        delay_ns: 0,
        snr: 100.0,
    };
    for k in 0..1000 {
        for m in 1..5 {
            net.send(&mut state, &to(m, 0, &[0; 125]))
                .expect("valid message");
        }
        net.advance(&mut state, &channel, k * SECOND);
        state.output.clear();
    }
    state.frames.lost_by(LossCause::Collision)
}

// The guard time absorbs drifting clocks. Method: clocks that differ by 20 ppm drift apart by 20 ms
// in 1000 s: no collision with a guard time of 25 ms, some with 5 ms, none without drift.
#[test]
fn guard_times_absorb_drifting_clocks() {
    assert_eq!(tdma_collisions(0.0, 0), 0);
    assert_eq!(tdma_collisions(10.0, 25_000_000), 0);
    assert!(tdma_collisions(10.0, 5_000_000) > 100);
}

// Frames that do not fit into a slot are lost with the cause `TooLarge`. Method: 125 bytes in a
// slot of 50 ms.
#[test]
fn frames_longer_than_a_slot_are_lost() {
    let short = |address| Modem {
        mac: MacProtocol::Tdma(Tdma {
            frame_s: Nanoseconds(SECOND),
            slots_s: vec![[Nanoseconds(0), Nanoseconds(50_000_000)]],
            guard_s: Nanoseconds(0),
        }),
        ..modem(address)
    };
    let (mut net, mut state) = network(&[short(1), short(2)], 1);
    net.send(&mut state, &to(0, 2, &[0; 125]))
        .expect("valid message");
    let channel = Uniform {
        delay_ns: 0,
        snr: 100.0,
    };
    net.advance(&mut state, &channel, SECOND);
    assert_eq!(state.copies.lost_by(LossCause::TooLarge), 1);
}

// CSMA/CD: modems that start within the collision window end their transmissions and repeat them
// after the backoff; in the end all frames arrive, one after the other. Method: 8 modems start at
// the same instant; no travel time.
#[test]
fn csma_cd_resolves_collisions() {
    let mac = MacProtocol::CsmaCd(CsmaCd {
        window_s: Nanoseconds(1000),
        min_frame_bits: 80,
        max_exponent: 10,
        max_attempts: 16,
    });
    let modems: Vec<Modem> = (0..9)
        .map(|address| Modem {
            mac: mac.clone(),
            ..modem(address)
        })
        .collect();
    let (mut net, mut state) = network(&modems, 3);
    state.output.trace.limit = 10_000;
    let channel = Uniform {
        delay_ns: 0,
        snr: 100.0,
    };
    for m in 1..9 {
        net.send(&mut state, &to(m, 0, &[0; 100]))
            .expect("valid message");
    }
    net.advance(&mut state, &channel, 20 * SECOND);
    assert_eq!(state.copies.delivered, 8);
    assert!(state.frames.lost_by(LossCause::Aborted) >= 8);
    let full = state.output.trace.items.iter().filter(|interval| {
        interval.activity == Activity::Transmit && interval.end_ns - interval.start_ns == 80_000_000
    });
    let mut starts: Vec<u64> = full.map(|interval| interval.start_ns).collect();
    starts.sort_unstable();
    assert_eq!(starts.len(), 8);
    assert!(
        starts
            .windows(2)
            .all(|pair| pair[1] >= pair[0] + 80_000_000)
    );
}

// CSMA/CA with windows shares the medium and loses few frames under saturation. Method: 5 modems
// with 40 frames each to a base; travel time 0.1 ms, slots of 1 ms, 64 slots. The frames that two
// modems start in the same slot collide. Tolerance: at least 80 % of the frames arrive, and the
// first 60 deliveries contain frames of every modem.
#[test]
fn csma_ca_shares_the_medium() {
    let mac = MacProtocol::CsmaCa(CsmaCa {
        backoff: Backoff::Window {
            slot_s: Nanoseconds(1_000_000),
            min_slots: 64,
            max_doublings: 5,
        },
        space_s: Nanoseconds(500_000),
        max_attempts: 1000,
    });
    let modems: Vec<Modem> = (0..6)
        .map(|address| Modem {
            mac: mac.clone(),
            ..modem(address)
        })
        .collect();
    let (mut net, mut state) = network(&modems, 3);
    let channel = Uniform {
        delay_ns: 100_000,
        snr: 100.0,
    };
    for _ in 0..40 {
        for m in 1..6 {
            net.send(&mut state, &to(m, 0, &[0; 125]))
                .expect("valid message");
        }
    }
    net.advance(&mut state, &channel, 100 * SECOND);
    assert!(state.copies.delivered >= 160, "{:?}", state.copies);
    let first = &state.output.deliveries[..60];
    assert!((1..6).all(|m| first.iter().any(|d| d.from == m)));
}

// With polling, every frame arrives without a collision, in the order of the polls. Method: a
// controller, 5 polled modems with 4 frames each, a travel time of 0.1 s; the controller also sends
// a broadcast.
#[test]
fn polling_serves_all_modems_in_turn() {
    let mut modems: Vec<Modem> = (0..6)
        .map(|address| Modem {
            mac: MacProtocol::Polled,
            ..modem(address)
        })
        .collect();
    modems[0].mac = MacProtocol::PollingController(PollingController {
        addresses: vec![1, 2, 3, 4, 5, 77],
        timeout_s: Nanoseconds(SECOND),
        pause_s: Nanoseconds(SECOND),
    });
    let (mut net, mut state) = network(&modems, 3);
    let channel = Uniform {
        delay_ns: 100_000_000,
        snr: 100.0,
    };
    for _ in 0..4 {
        for m in 1..6 {
            let message = Send {
                is_acknowledged: m == 2,
                ..to(m, 0, &[0; 125])
            };
            net.send(&mut state, &message).expect("valid message");
        }
    }
    net.send(&mut state, &to(0, BROADCAST, &[0; 125]))
        .expect("valid message");
    net.advance(&mut state, &channel, 60 * SECOND);
    assert_eq!(state.copies.delivered, 25);
    assert_eq!(state.frames.lost.iter().sum::<u64>(), 0);
    let up = state.output.deliveries.iter().filter(|d| d.to == 0);
    let up: Vec<u32> = up.map(|d| d.from).collect();
    assert_eq!(up, [1, 2, 3, 4, 5].repeat(4));
}

/// Returns the number of slots in which `contenders` modems resolve a conflict.
fn resolution_slots(contenders: u16, seed: u64) -> u64 {
    let mac = MacProtocol::WaitingRoom(WaitingRoom {
        station: 0,
        slot_s: Nanoseconds(SECOND),
        report_s: Nanoseconds(500_000_000),
    });
    let modems: Vec<Modem> = (0..=contenders)
        .map(|address| Modem {
            mac: mac.clone(),
            ..modem(address)
        })
        .collect();
    let (mut net, mut state) = network(&modems, seed);
    let channel = Uniform {
        delay_ns: 50_000_000,
        snr: 100.0,
    };
    net.advance(&mut state, &channel, SECOND / 2);
    for m in 1..=usize::from(contenders) {
        net.send(&mut state, &to(m, 0, &[0; 125]))
            .expect("valid message");
    }
    let mut slots = 0;
    while state.modems[0].mac_state_is_open() || slots < 1 {
        slots += 1;
        assert!(slots < 1000);
        net.advance(&mut state, &channel, (slots + 1) * SECOND - 1);
    }
    assert_eq!(state.copies.delivered, u64::from(contenders));
    slots
}

/// State of the station of the waiting-room protocol.
trait IsOpen {
    fn mac_state_is_open(&self) -> bool;
}

impl IsOpen for merrow_model::state::comms::ModemState {
    fn mac_state_is_open(&self) -> bool {
        let merrow_model::state::comms::MacState::WaitingRoom(state) = &self.mac_state else {
            panic!("{:?}", self.mac_state);
        };
        state.open > 0
    }
}

// The mean number of slots of a conflict of k modems is 1, 5, 23/3, 10.524 (law (3) of the protocol
// for k = 1 to 4). Method: 400 conflicts each; the recursion of the law. Tolerance: 4 standard
// errors.
#[test]
fn waiting_room_resolves_conflicts_in_the_expected_slots() {
    let mut expected = vec![1.0, 1.0];
    for k in 2..=4 {
        let share = libm::exp2(1.0 - f64::from(k));
        let mut choose = 1.0;
        let mut sum = 0.0;
        for (j, slots) in expected.iter().enumerate() {
            sum += choose * slots;
            choose *= (f64::from(k) - j as f64) / (j as f64 + 1.0);
        }
        expected.push((1.0 + share * sum) / (1.0 - share));
    }
    assert!((expected[3] - 23.0 / 3.0).abs() < 1e-12);
    for k in 1..=4_u16 {
        let n = 400;
        let all: Vec<f64> = (0..n)
            .map(|seed| resolution_slots(k, seed) as f64)
            .collect();
        let mean = all.iter().sum::<f64>() / n as f64;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
        let law = expected[usize::from(k)];
        println!("conflict of {k}: {mean:.3} slots, law {law:.3}");
        assert!((mean - law).abs() <= 4.0 * (variance / n as f64).sqrt());
    }
}

// Medium access changes while frames wait, and none of them is lost. Method: 20 frames wait; the
// protocol changes 10 times.
#[test]
fn protocols_change_while_frames_wait() {
    let (mut net, mut state) = network(&[modem(0), modem(1)], 1);
    let channel = By(|_, _, _, _| signal(1_000_000, 100.0));
    for _ in 0..20 {
        net.send(&mut state, &to(1, 0, &[0; 125]))
            .expect("valid message");
    }
    let draws = Stream::new(1, "instants");
    for k in 0..10 {
        let mac = match k % 3 {
            0 => MacProtocol::Polled,
            1 => MacProtocol::Aloha,
            _ => crate::traffic::protocol(k),
        };
        let command = ModemCommand::SetMac { modem: 1, mac };
        net.apply(&mut state, &command).expect("valid command");
        let until = state.time_ns + (draws.draw(k as u64).uniform() * 2e8) as u64;
        net.advance(&mut state, &channel, until);
    }
    let mac = MacProtocol::Aloha;
    net.apply(&mut state, &ModemCommand::SetMac { modem: 1, mac })
        .expect("valid command");
    net.advance(&mut state, &channel, 60 * SECOND);
    assert_eq!([state.copies.delivered, state.copies.open()], [20, 0]);
}

// Modems whose bands differ but overlap disturb each other and receive no frame of each other.
// Method: two frames overlap in time.
#[test]
fn modems_of_overlapping_bands_interfere() {
    let mut modems: Vec<Modem> = (0..4).map(modem).collect();
    for other in &mut modems[2..] {
        set_band(&mut other.transceiver, [30e3, 50e3]);
    }
    let (mut net, mut state) = network(&modems, 1);
    let channel = Uniform {
        delay_ns: 0,
        snr: 100.0,
    };
    net.send(&mut state, &to(0, 1, &[0; 100]))
        .expect("valid message");
    net.advance(&mut state, &channel, 10_000_000);
    net.send(&mut state, &to(2, BROADCAST, &[0; 100]))
        .expect("valid message");
    net.advance(&mut state, &channel, SECOND);
    assert_eq!(state.copies.lost_by(LossCause::Collision), 2);
    assert_eq!(state.copies.entered, 2);
}
