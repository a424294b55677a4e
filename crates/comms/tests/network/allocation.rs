//! The engine allocates no memory per packet after warm-up; the global allocator counts the
//! allocations.

use crate::common::{By, SECOND, modem, network, signal};
use merrow_comms::network::{MessageGroup, Send};
use merrow_model::scene::comms::{BROADCAST, Modem};
use merrow_model::state::comms::{ModemCommand, Ranging};
use merrow_testing::allocator::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// Broadcasts, acknowledged messages of several frames, repetitions, ranges, the log and the trace
// allocate no memory in 200 s after 800 s of warm-up. Method: 10 modems with periodic traffic over
// a channel that loses frames; outputs are cleared every second.
#[test]
fn packets_allocate_nothing() {
    let modems: Vec<Modem> = (0..10).map(modem).collect();
    let (mut net, mut state) = network(&modems, 1);
    state.output.packets.limit = 10_000;
    state.output.trace.limit = 10_000;
    let channel = By(|from: usize, to: usize, t: u64, _| {
        let phase = t / 100_000_000 + (from * to) as u64;
        let snr = if phase.is_multiple_of(7) { 2.0 } else { 30.0 };
        signal(50_000_000 + (to as u64) * 1_000_000, snr)
    });
    let payload = [7; 260];
    let mut before = 0;
    for second in 0..1000 {
        if second == 800 {
            before = allocations();
        }
        let modem = (second % 10) as usize;
        let message = Send {
            priority: (second % 3) as u8,
            group: Some(MessageGroup::newest_only(1)),
            ..Send::new(modem, BROADCAST, &payload[..40])
        };
        net.send(&mut state, &message).expect("valid message");
        let other = ((second + 3) % 10) as u16;
        let acknowledged = Send {
            destination: other,
            payload: payload.as_slice(),
            is_acknowledged: true,
            group: None,
            ..message
        };
        if second % 2 == 0 {
            net.send(&mut state, &acknowledged).expect("valid message");
        }
        let range = ModemCommand::Range {
            modem,
            destination: other,
            kind: Ranging::TwoWay,
        };
        net.apply(&mut state, &range).expect("valid command");
        net.advance(&mut state, &channel, (second + 1) * SECOND);
        state.output.clear();
    }
    let allocations = allocations() - before;
    assert!(state.copies.delivered > 500 && state.copies.lost.iter().sum::<u64>() > 100);
    assert_eq!(allocations, 0);
}
