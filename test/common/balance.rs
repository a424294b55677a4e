//! Balance of packets: every packet is queued, in flight, delivered or lost.

use merrow_model::state::comms::{LossCause, NetworkState, PacketCounts};

/// Numbers of packets by state. `queued` and `in_flight` are counted in the lists of the network
/// state, the others are copied from its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    /// Packets in transmit queues.
    pub queued: u64,
    /// Packets in service or in flight.
    pub in_flight: u64,
    /// Packets that were delivered.
    pub delivered: u64,
    /// Lost packets, all causes.
    pub lost: u64,
    /// Packets that entered since the start of the run, open and ended.
    pub entered: u64,
}

impl Balance {
    fn new(queued: u64, in_flight: u64, counts: &PacketCounts) -> Self {
        Self {
            queued,
            in_flight,
            delivered: counts.delivered,
            lost: LossCause::ALL
                .iter()
                .map(|cause| counts.lost_by(*cause))
                .sum(),
            entered: counts.entered,
        }
    }

    /// Returns true if the sum of all states is the number of packets that entered.
    pub(crate) fn is_closed(&self) -> bool {
        self.queued + self.in_flight + self.delivered + self.lost == self.entered
    }
}

/// Returns the balance of the copies of messages: one copy per modem that a message is addressed
/// to.
pub(crate) fn copies(state: &NetworkState) -> Balance {
    let [mut queued, mut in_flight] = [0; 2];
    for (_, message) in state.messages.iter() {
        let open = message.copies.iter().filter(|copy| !copy.is_closed).count() as u64;
        if message.is_in_service {
            in_flight += open;
        } else {
            queued += open;
        }
    }
    Balance::new(queued, in_flight, &state.copies)
}

/// Returns the balance of single frames at the receivers that can decode them.
pub(crate) fn frames(state: &NetworkState) -> Balance {
    let mut in_flight = 0;
    for (_, transmission) in state.transmissions.iter() {
        let rest = transmission.receptions[transmission.departed as usize..].iter();
        in_flight += rest.filter(|reception| reception.is_decodable).count() as u64;
    }
    Balance::new(0, in_flight, &state.frames)
}
