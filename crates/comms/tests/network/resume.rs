//! Bit-identical results for any division of a run, and through a saved state.

use crate::common::{Random, SECOND, network};
use crate::traffic::{Traffic, modems};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::persist::{Persist, Reader, to_bytes};
use merrow_model::scene::sea::air::Air;
use merrow_model::scene::sea::optics::Optics;
use merrow_model::scene::{Current, Sea, Seabed, Waves};
use merrow_model::state::comms::NetworkState;

/// Duration of a run [ns].
const END: u64 = 120 * SECOND;

pub(crate) fn sea() -> Sea {
    Sea {
        density: 1025.0,
        sound_speed: 1500.0,
        temperature: 10.0,
        air_pressure: 101_325.0,
        column: None,
        regions: Vec::new(),
        tracers: Vec::new(),
        optics: Optics::default(),
        air: Air::default(),
        current: Current {
            profile: vec![(0.0, Vec3::zero())],
            variation: None,
            flows: Vec::new(),
        },
        waves: Waves::default(),
        seabed: Seabed {
            z0: -100.0,
            slope: [0.0; 2],
            terrain: None,
        },
    }
}

/// Runs the random traffic. `between` is called with the state after every command.
fn run(seed: u64, block_ns: u64, mut between: impl FnMut(&mut NetworkState)) -> Vec<u8> {
    let (mut net, mut state) = network(&modems(), seed);
    state.output.packets.limit = 2000;
    state.output.trace.limit = 2000;
    let channel = Random {
        stream: Stream::new(seed, "channel"),
    };
    let mut traffic = Traffic::new(seed);
    while traffic.next_ns < END {
        while state.time_ns + block_ns < traffic.next_ns {
            let until = state.time_ns + block_ns;
            net.advance(&mut state, &channel, until);
        }
        net.advance(&mut state, &channel, traffic.next_ns);
        traffic.issue(&net, &mut state);
        between(&mut state);
    }
    net.advance(&mut state, &channel, END);
    to_bytes(&state)
}

fn reload(state: &NetworkState) -> NetworkState {
    let bytes = to_bytes(state);
    let sea = sea();
    let mut from = Reader::new(&bytes, &sea);
    let loaded = NetworkState::load(&mut from).expect("valid bytes");
    from.finish().expect("no further bytes");
    assert_eq!(to_bytes(&loaded), bytes);
    loaded
}

// A run, including log and trace, is bit-identical for any division into blocks, and if the state
// is saved and loaded after every command. Method: 5 seeds of random traffic with all protocols,
// 120 s.
#[test]
fn blocks_and_saved_states_give_the_same_bits() {
    for seed in 40..45 {
        let whole = run(seed, u64::MAX / 2, |_| {});
        assert!(whole == run(seed, 1_234_567, |_| {}), "blocks, seed {seed}");
        let resumed = run(seed, u64::MAX / 2, |state| *state = reload(state));
        assert!(whole == resumed, "saved state, seed {seed}");
        assert!(whole != run(seed + 100, u64::MAX / 2, |_| {}));
    }
}

// A network rejects the state of a different network. Method: states of 12 and of 11 modems.
#[test]
fn states_of_other_networks_are_refused() {
    let (net, state) = network(&modems(), 1);
    let (other, _) = network(&modems()[..11], 1);
    assert!(net.accepts(&state) && !other.accepts(&state));
    assert!(!net.accepts(&NetworkState::default()));
}
