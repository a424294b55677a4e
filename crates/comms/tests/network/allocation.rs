//! The engine allocates no memory per packet after warm-up; the global allocator counts the
//! allocations.

use crate::common::{By, SECOND, modem, network, signal};
use merrow_comms::network::{MessageGroup, Send};
use merrow_model::scene::comms::{BROADCAST, Modem};
use merrow_model::state::comms::{ModemCommand, Ranging};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // One counter per thread, so that concurrent tests do not disturb it; const, so that the
    // counter itself does not allocate.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// System allocator that counts the allocations of the current thread.
struct Counting;

fn count() {
    // At the end of a thread its counter may no longer exist.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is forwarded unchanged to the system allocator, which fulfils the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: as above
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above
        unsafe { System.realloc(p, layout, size) }
    }
}

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
            before = COUNT.with(Cell::get);
        }
        let modem = (second % 10) as usize;
        let message = Send {
            modem,
            destination: BROADCAST,
            payload: &payload[..40],
            is_bridged: false,
            priority: (second % 3) as u8,
            is_acknowledged: false,
            group: Some(MessageGroup::newest_only(1)),
            power: None,
        };
        net.send(&mut state, &message).expect("valid message");
        let other = ((second + 3) % 10) as u16;
        let acknowledged = Send {
            destination: other,
            payload: &payload,
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
    let allocations = COUNT.with(Cell::get) - before;
    assert!(state.copies.delivered > 500 && state.copies.lost.iter().sum::<u64>() > 100);
    assert_eq!(allocations, 0);
}
