//! Modems that are added to a running network and removed from it.

use crate::balance;
use crate::common::{Random, SECOND, Uniform, modem, network};
use crate::resume::sea;
use crate::traffic::{Traffic, modems};
use merrow_comms::network::Network;
use merrow_math::rng::Stream;
use merrow_model::persist::{Persist, Reader, to_bytes};
use merrow_model::scene::comms::Modem;
use merrow_model::state::comms::{LossCause, ModemCommand, NetworkState, Send};

/// Replaces a network by the network of `modems`; the modems correspond by name.
fn replace(net: &mut Network, state: &mut NetworkState, former: &[Modem], modems: &[Modem]) {
    let target = |old: &Modem| modems.iter().position(|new| new.name == old.name);
    let targets: Vec<Option<usize>> = former.iter().map(target).collect();
    net.remove(state, &targets);
    state.output.packets.clear();
    let new = Network::new(modems, 1).unwrap();
    *state = new.continue_from(net, std::mem::take(state), &targets);
    *net = new;
    assert!(net.accepts(state));
    let (copies, frames) = (balance::copies(state), balance::frames(state));
    assert!(copies.is_closed(), "{copies:?}");
    assert!(frames.is_closed(), "{frames:?}");
}

// A modem that is added, does not transmit and is removed changes no delivery between the others.
// Method: random traffic of all protocols; two replacements every 7 s.
#[test]
fn other_modems_continue_after_a_replacement() {
    for seed in 0..6 {
        let channel = Random {
            stream: Stream::new(seed, "channel"),
        };
        let mut added = modems();
        let mut late = modem(500);
        late.name = "late".into();
        added.push(late);
        let run = |changes: bool| {
            let (mut net, mut state) = network(&modems(), 1);
            let mut traffic = Traffic::new(seed);
            let (mut at, mut deliveries) = (0, Vec::new());
            while traffic.next_ns < 200 * SECOND {
                net.advance(&mut state, &channel, traffic.next_ns);
                if changes && traffic.next_ns > at {
                    at = traffic.next_ns + 7 * SECOND;
                    replace(&mut net, &mut state, &modems(), &added);
                    replace(&mut net, &mut state, &added, &modems());
                }
                traffic.issue(&net, &mut state);
                let new = state.output.deliveries.iter();
                deliveries.extend(new.map(|d| (d.message, d.from, d.to, d.received_ns)));
                state.output.clear();
            }
            (deliveries, state.modems.len())
        };
        let (without, with) = (run(false), run(true));
        assert!(without.0.len() > 30, "{}", without.0.len());
        assert!(without == with, "seed {seed}");
    }
}

// The frames of a removed modem, and those in transit to it, are lost with a record; the indices of
// the others shift. Method: random traffic, from which the modems are removed one by one, and added
// again; the balance after each change and after the rest of the traffic.
#[test]
fn frames_of_removed_modems_are_lost_with_a_cause() {
    let mut lost = 0;
    for seed in 0..6 {
        let channel = Random {
            stream: Stream::new(seed, "channel"),
        };
        let all = modems();
        let (mut net, mut state) = network(&all, 1);
        let mut traffic = Traffic::new(seed);
        for gone in 0..all.len() {
            let end = (gone as u64 + 1) * 20 * SECOND;
            while traffic.next_ns < end {
                net.advance(&mut state, &channel, traffic.next_ns);
                traffic.issue(&net, &mut state);
            }
            let mut rest = all.clone();
            rest.remove(gone);
            replace(&mut net, &mut state, &all, &rest);
            let until = state.time_ns + SECOND / 2;
            net.advance(&mut state, &channel, until);
            replace(&mut net, &mut state, &rest, &all);
            let (bytes, sea) = (to_bytes(&state), sea());
            let again = NetworkState::load(&mut Reader::new(&bytes, &sea)).unwrap();
            assert!(again == state);
            traffic.next_ns = traffic.next_ns.max(state.time_ns);
        }
        lost += state.copies.lost_by(LossCause::Removed);
        assert!(state.frames.lost_by(LossCause::Removed) > 0);
    }
    assert!(lost > 20, "{lost}");
}

// The loss probability of a network is the fraction of lost frames. Method: 20,000 frames over a
// channel without errors. Tolerance: 4 standard errors.
#[test]
fn frames_are_lost_with_the_loss_probability() {
    let p = 0.3;
    let mut modems = [modem(1), modem(2)];
    modems[1].transceiver.loss_probability = p;
    let (mut net, mut state) = network(&modems, 3);
    let channel = Uniform {
        delay_ns: 1000,
        snr: 1e6,
    };
    let n = 20_000;
    for _ in 0..n {
        let send = ModemCommand::Send(Send::new(0, 2, vec![1; 8]));
        net.apply(&mut state, &send).unwrap();
        let until = state.time_ns + SECOND;
        net.advance(&mut state, &channel, until);
        state.output.clear();
    }
    let lost = state.frames.lost_by(LossCause::RandomLoss) as f64 / f64::from(n);
    assert!((lost - p).abs() < 4.0 * (p * (1.0 - p) / f64::from(n)).sqrt());
    assert!(balance::copies(&state).is_closed());
}
