//! Throughput of the medium access protocols against their closed forms.
//!
//! New messages are a Poisson process. Each message is given to a modem without a waiting message,
//! which approximates infinitely many modems. All modems transmit to a base that only receives.

use crate::common::{SECOND, Uniform, modem, network};
use merrow_comms::network::{Network, Send};
use merrow_math::rng::Stream;
use merrow_model::scene::comms::mac::{Backoff, CsmaCa, SlottedAloha, Tdma};
use merrow_model::scene::comms::{MacProtocol, Modem};
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::NetworkState;

/// Duration of a frame of 125 bytes at 10 kbit/s [ns].
const FRAME: u64 = 100_000_000;
const PAYLOAD: [u8; 125] = [7; 125];
const MODEMS: usize = 40;
/// Batches of the confidence interval, and frame durations of each.
const BATCHES: usize = 40;
const BATCH: u64 = 1000;

/// Offered and received frames per frame duration: mean and standard error of the latter.
struct Throughput {
    offered: f64,
    received: f64,
    error: f64,
}

/// Runs `MODEMS` modems with a protocol at an offered load.
fn measure(mac: MacProtocol, load: f64, delay_ns: u64, seed: u64) -> Throughput {
    let with_mac = |address| Modem {
        mac: mac.clone(),
        ..modem(address)
    };
    let modems: Vec<Modem> = (0..=MODEMS as u16).map(with_mac).collect();
    let (mut net, mut state) = network(&modems, seed);
    let channel = Uniform {
        delay_ns,
        snr: 1000.0,
    };
    let arrivals = Stream::new(seed, "arrivals");
    let (mut k, mut next) = (0, 0.0);
    let mut counts = Vec::new();
    for batch in 1..=BATCHES as u64 {
        let end = batch * BATCH * FRAME;
        loop {
            let mut draw = arrivals.draw(k);
            let at = next + draw.exponential() * FRAME as f64 / load;
            if at as u64 > end {
                break;
            }
            (next, k) = (at, k + 1);
            net.advance(&mut state, &channel, next as u64);
            let from = idle_modem(&state, draw.uniform());
            send(&net, &mut state, from);
        }
        net.advance(&mut state, &channel, end);
        counts.push(state.copies.delivered);
        state.output.clear();
    }
    let per_batch: Vec<f64> = std::iter::once(counts[0])
        .chain(counts.windows(2).map(|pair| pair[1] - pair[0]))
        .map(|n| n as f64 / BATCH as f64)
        .collect();
    let n = BATCHES as f64;
    let mean = per_batch.iter().sum::<f64>() / n;
    let square = |x: &f64| (x - mean) * (x - mean);
    let variance = per_batch.iter().map(square).sum::<f64>() / (n - 1.0);
    Throughput {
        offered: k as f64 / (n * BATCH as f64),
        received: mean,
        error: (variance / n).sqrt(),
    }
}

/// Returns a modem without a message; modem 0 is the base.
fn idle_modem(state: &NetworkState, uniform: f64) -> usize {
    let start = (uniform * MODEMS as f64) as usize;
    let is_idle = |m: &usize| {
        let own = &state.modems[*m];
        own.service.is_none() && own.queue.is_empty() && own.transmission.is_none()
    };
    let all = (0..MODEMS).map(|k| 1 + (start + k) % MODEMS);
    all.clone().find(is_idle).unwrap_or(1 + start)
}

fn send(net: &Network, state: &mut NetworkState, modem: usize) {
    let message = Send::new(modem, 0, &PAYLOAD);
    net.send(state, &message).expect("valid message");
}

/// Compares a measured throughput with its closed form; `bias` is the known deviation.
fn check(what: &str, measured: &Throughput, expected: f64, bias: f64) {
    let Throughput {
        offered,
        received,
        error,
    } = measured;
    println!("{what}: G {offered:.3}, S {received:.4} +- {error:.4}, law {expected:.4}");
    assert!(
        (received - expected).abs() < 4.0 * error + bias,
        "{what}: {received} +- {error}, expected {expected}"
    );
}

// S = G exp(-2 G). Method: see the head of the file; 40 batches of 1000 frame durations. Tolerance:
// 4 standard errors (probability of a false alarm 3e-4 per load).
#[test]
fn aloha_follows_its_law() {
    for (k, load) in [0.1, 0.25, 0.5, 1.0, 2.0].into_iter().enumerate() {
        let measured = measure(MacProtocol::Aloha, load, 0, 10 + k as u64);
        let law = measured.offered * (-2.0 * measured.offered).exp();
        check("ALOHA", &measured, law, 0.0);
    }
}

// S = G exp(-G). Method and tolerance: as above, with slots of one frame.
#[test]
fn slotted_aloha_follows_its_law() {
    for (k, load) in [0.1, 0.5, 1.0, 2.0].into_iter().enumerate() {
        let mac = MacProtocol::SlottedAloha(SlottedAloha {
            slot_s: Nanoseconds(FRAME),
        });
        let measured = measure(mac, load, 0, 20 + k as u64);
        let law = measured.offered * (-measured.offered).exp();
        check("slotted ALOHA", &measured, law, 0.0);
    }
}

// Nonpersistent CSMA, S = G exp(-a G) / (G (1 + 2 a) + exp(-a G)). Method: as above; a busy medium
// discards the message, so that the offered load is a Poisson process. Tolerance: 4 standard
// errors, and 2 a / n of S, because the modem that ended a transmission senses the medium as idle
// one travel time before the others.
#[test]
fn nonpersistent_csma_follows_its_law() {
    for (k, (load, a)) in [
        (0.5, 0.05),
        (2.0, 0.05),
        (8.0, 0.05),
        (1.0, 0.2),
        (3.0, 0.2),
    ]
    .into_iter()
    .enumerate()
    {
        let mac = MacProtocol::CsmaCa(CsmaCa {
            backoff: Backoff::Nonpersistent {
                max_s: Nanoseconds(SECOND),
            },
            space_s: Nanoseconds(0),
            max_attempts: 0,
        });
        let measured = measure(mac, load, (a * FRAME as f64) as u64, 30 + k as u64);
        let g = measured.offered;
        let idle = (-a * g).exp();
        let law = g * idle / (g * (1.0 + 2.0 * a) + idle);
        check("CSMA", &measured, law, 2.0 * a / MODEMS as f64 * law);
    }
}

// A TDMA schedule delivers every frame, and under overload its throughput is the fraction of the
// schedule that frames occupy. Method: 8 vehicles, 800 bit at 10 kbit/s, 50 m; loads of 0.2 and of
// more than the capacity, 400 periods. Tolerance: none for losses, one period for the count.
#[test]
fn tdma_delivers_the_capacity_of_its_schedule() {
    // eight short slots of the station, then one slot for each vehicle
    let (period, station_slot, vehicle_slot) = (1_080_000_000, 100_000, 134_900_000);
    let schedule = |slots: Vec<[u64; 2]>| {
        MacProtocol::Tdma(Tdma {
            frame_s: Nanoseconds(period),
            slots_s: slots
                .into_iter()
                .map(|slot| slot.map(Nanoseconds))
                .collect(),
            guard_s: Nanoseconds(0),
        })
    };
    for is_overload in [false, true] {
        let modems: Vec<Modem> = (0..9)
            .map(|address| Modem {
                mac: match address {
                    0 => schedule((0..8).map(|k| [k * station_slot, station_slot]).collect()),
                    k => {
                        let first = 8 * station_slot + (u64::from(k) - 1) * vehicle_slot;
                        schedule(vec![[first, vehicle_slot]])
                    }
                },
                ..modem(address)
            })
            .collect();
        let (mut net, mut state) = network(&modems, 1);
        let channel = Uniform {
            delay_ns: 33_333_333,
            snr: 1000.0,
        };
        let every = if is_overload { 1 } else { 3 };
        for cycle in 0..400_u64 {
            for m in (1..9).filter(|_| cycle % every == 0) {
                send(&net, &mut state, m);
            }
            net.advance(&mut state, &channel, (cycle + 1) * period);
            state.output.clear();
        }
        let lost: u64 = state.frames.lost.iter().sum();
        assert_eq!(lost, 0);
        let expected = 8 * 400_u64.div_ceil(every);
        assert!(expected - state.copies.delivered <= 8);
    }
}
