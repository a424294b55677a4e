//! Conservation of packets.

use crate::balance;
use crate::common::{Random, SECOND, network};
use crate::traffic::{Traffic, modems};
use merrow_math::rng::Stream;
use merrow_model::state::comms::{LossCause, NetworkState};

/// Asserts that every packet is queued, in flight, delivered or lost.
fn assert_closed(state: &NetworkState, what: &str) {
    let (copies, frames) = (balance::copies(state), balance::frames(state));
    assert!(copies.is_closed(), "{what}: {copies:?}");
    assert!(frames.is_closed(), "{what}: {frames:?}");
}

// At every instant, every copy of a message and every frame at a receiver is queued, in flight,
// delivered or lost with a cause, and every cause but the removal of a modem occurs. Method: 30
// seeds of random traffic with all protocols over a random channel, 300 s each; balance at each
// command and at the end; the counters agree with the deliveries.
#[test]
fn every_packet_has_one_state() {
    let mut lost = [0; LossCause::ALL.len()];
    let [mut delivered, mut duplicates, mut checks, mut ranges] = [0; 4];
    for seed in 0..30 {
        let (mut net, mut state) = network(&modems(), seed);
        let channel = Random {
            stream: Stream::new(seed, "channel"),
        };
        let mut traffic = Traffic::new(seed);
        let mut taken = 0;
        while traffic.next_ns < 300 * SECOND {
            net.advance(&mut state, &channel, traffic.next_ns);
            assert_closed(&state, "after events");
            traffic.issue(&net, &mut state);
            assert_closed(&state, "after a command");
            checks += 2;
            let own = state.output.deliveries.iter().filter(|d| !d.is_overheard);
            taken += own.count() as u64;
            ranges += state.output.ranges.len();
            state.output.clear();
        }
        let own = |state: &NetworkState| {
            let own = state.output.deliveries.iter().filter(|d| !d.is_overheard);
            own.count() as u64
        };
        assert_eq!(taken + own(&state), state.copies.delivered);
        assert!(net.accepts(&state));
        for (sum, n) in lost.iter_mut().zip(state.copies.lost) {
            *sum += n;
        }
        delivered += state.copies.delivered as usize;
        duplicates += state.copies.duplicates as usize;
    }
    println!("{checks} balances, {delivered} delivered, {duplicates} duplicates, {ranges} ranges");
    for (cause, n) in LossCause::ALL.iter().zip(lost) {
        println!("{}: {n}", cause.keyword());
        // the traffic removes no modem and breaks none
        let is_caused = !matches!(cause, LossCause::Removed | LossCause::Fault);
        let is_counted = cause.counted() == *cause && is_caused;
        assert!(n > 0 || !is_counted, "{}", cause.keyword());
    }
    assert!(delivered > 1000 && duplicates > 0 && ranges > 0);
}

// All packets end when the traffic ends. Method: the same traffic for 60 s, then 2000 s without
// commands, with all modems on and protocols that do not wait for others.
#[test]
fn packets_end_when_the_traffic_ends() {
    for seed in 100..105 {
        let (mut net, mut state) = network(&modems(), seed);
        let channel = Random {
            stream: Stream::new(seed, "channel"),
        };
        let mut traffic = Traffic::new(seed);
        while traffic.next_ns < 60 * SECOND {
            net.advance(&mut state, &channel, traffic.next_ns);
            traffic.issue(&net, &mut state);
        }
        for modem in 0..crate::traffic::N {
            use merrow_model::scene::comms::MacProtocol;
            use merrow_model::state::comms::ModemCommand;
            let mac = MacProtocol::Aloha;
            let valid = "valid command";
            net.apply(&mut state, &ModemCommand::Switch { modem, is_on: true })
                .expect(valid);
            net.apply(&mut state, &ModemCommand::SetMac { modem, mac })
                .expect(valid);
        }
        net.advance(&mut state, &channel, 2060 * SECOND);
        let copies = balance::copies(&state);
        assert_eq!([copies.queued, copies.in_flight], [0, 0]);
        assert!(copies.is_closed());
    }
}
