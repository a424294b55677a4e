//! Cost of the engine: 200 modems, all to all, one packet per second each.

use crate::common::{By, SECOND, modem, network, scheme, signal};
use merrow_comms::network::Send;
use merrow_model::scene::comms::{BROADCAST, Modem, Transceiver};
use rustix::time::{ClockId, clock_gettime};

/// Number of modems of the network.
const N: usize = 200;

/// Processor time of this thread [s].
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Runs the modems for `seconds` after a warm-up of 5 s; returns the simulated time per processor
/// time and the processor time per reception [ns].
fn measure(seconds: u64, payload: &[u8], destructive_overlap: bool) -> [f64; 2] {
    let modems: Vec<Modem> = (0..N as u16)
        .map(|address| Modem {
            transceiver: Transceiver {
                schemes: vec![scheme("only", 31_200.0)],
                destructive_overlap,
                ..modem(address).transceiver
            },
            ..modem(address)
        })
        .collect();
    let (mut net, mut state) = network(&modems, 1);
    // travel times of modems at random places within 1 km
    let channel = By(|from: usize, to: usize, _, _| {
        let pair = (from.min(to) * N + from.max(to)) as u64;
        let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        signal(hash % 667_000_000, 1000.0)
    });
    let mut start = (processor_time(), 0);
    for second in 0..seconds + 5 {
        if second == 5 {
            start = (processor_time(), state.frames.entered);
        }
        for k in 0..N as u64 {
            net.advance(&mut state, &channel, second * SECOND + k * 5_000_000);
            let message = Send::new(k as usize, BROADCAST, payload);
            net.send(&mut state, &message).expect("valid message");
            state.output.clear();
        }
    }
    let elapsed = processor_time() - start.0;
    let receptions = state.frames.entered - start.1;
    let delivered = state.copies.delivered as f64 / state.copies.entered as f64;
    println!("{:.0} % of the copies delivered", 100.0 * delivered);
    [seconds as f64 / elapsed, elapsed * 1e9 / receptions as f64]
}

// 200 modems, all to all, one packet per second each, run at 100 times real time with 150 ns per
// link for the channel: at most 100 ns per reception for the engine. Method: packets of 64 byte
// (3.3 times the capacity of the medium) and of 4 byte (a fifth of it), trivial channel; prints
// both numbers. Tolerance: run with --release --nocapture for the numbers.
#[test]
fn engine_cost_per_reception() {
    let seconds = if cfg!(debug_assertions) { 5 } else { 60 };
    for length in [64, 4] {
        let [speed, cost] = measure(seconds, &vec![7; length], length == 4);
        println!("{length} byte: {speed:.0} s per processor second, {cost:.0} ns per reception");
        assert!(speed > 0.0 && cost > 0.0);
    }
}
