//! Messages that a modem can never transmit, and times that no exchange of frames can undercut.
//!
//! The limits follow from the framing, the queue and the medium access protocol, so that they hold
//! for any position of the modems.

use crate::mac::properties;
use crate::network::Network;
use crate::network::nodes::Node;
use merrow_model::scene::comms::{MacProtocol, RateChoice};

/// Reason for which a modem can never transmit a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misfit {
    /// The message is longer than the frames of one message together.
    Frames {
        /// Maximum size of a message [byte].
        max_bytes: usize,
    },
    /// The message is longer than the queue of the modem.
    Queue {
        /// Maximum size of all waiting messages [byte].
        max_bytes: usize,
    },
    /// A frame of the message lasts longer than every slot.
    Slot {
        /// Duration of the frame at the highest rate in use [ns].
        frame_ns: u64,
        /// Time for a frame in the longest slot [ns].
        max_ns: u64,
    },
}

impl Misfit {
    /// Returns the name of the reason in diagnostics.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Frames { .. } => "longer than the frames of a message",
            Self::Queue { .. } => "longer than the queue",
            Self::Slot { .. } => "longer than the slot",
        }
    }
}

impl Network {
    /// Returns the reason for which modem `modem` can never transmit a message of `bytes` bytes
    /// with this protocol and rate; `None`: it can.
    pub fn misfit(
        &self,
        modem: usize,
        mac: &MacProtocol,
        rate: RateChoice,
        bytes: usize,
    ) -> Option<Misfit> {
        let node = self.nodes.get(modem)?;
        let max_message = node.modem.transceiver.framing.max_message();
        if bytes > max_message {
            let max_bytes = max_message;
            return Some(Misfit::Frames { max_bytes });
        }
        if bytes > node.modem.queue.max_size_bytes {
            let max_bytes = node.modem.queue.max_size_bytes;
            return Some(Misfit::Queue { max_bytes });
        }
        let max_ns = longest_frame_ns(mac, node.modem.address)?;
        let max = node.modem.transceiver.framing.max_payload_bytes;
        let frame_ns = node.frame_ns(mac, rate, bytes.min(max));
        (frame_ns > max_ns).then_some(Misfit::Slot { frame_ns, max_ns })
    }

    /// Returns the sum of the durations of the frames of a message of `bytes` bytes from modem
    /// `modem`, with its initial protocol at the highest rate in use [ns].
    pub fn airtime_ns(&self, modem: usize, bytes: usize) -> u64 {
        let Some(node) = self.nodes.get(modem) else {
            return 0;
        };
        let max = node.modem.transceiver.framing.max_payload_bytes;
        let (full, rest) = ((bytes / max) as u64, bytes % max);
        let frame_ns = |bytes| node.frame_ns(&node.modem.mac, node.modem.rate, bytes);
        let rest_ns = if rest > 0 { frame_ns(rest) } else { 0 };
        frame_ns(max).saturating_mul(full).saturating_add(rest_ns)
    }

    /// Returns the shortest time from the end of a frame at modem `modem` to the end of its
    /// acknowledgement at the transmitter, without the travel times [ns].
    pub fn acknowledgement_ns(&self, modem: usize) -> u64 {
        self.nodes.get(modem).map_or(0, |node| {
            let transceiver = &node.modem.transceiver;
            let bits = f64::from(transceiver.framing.control_bits);
            let frame_ns = node.shortest_ns(&node.modem.mac, node.modem.rate, bits);
            transceiver.turn_around_ns().saturating_add(frame_ns)
        })
    }
}

impl Node {
    /// Returns the duration of a frame with `payload` bytes at the highest rate in use [ns].
    fn frame_ns(&self, mac: &MacProtocol, rate: RateChoice, payload: usize) -> u64 {
        let bits = f64::from(self.modem.transceiver.framing.overhead_bits) + 8.0 * payload as f64;
        self.shortest_ns(mac, rate, bits)
    }

    /// Returns the duration of a frame of `bits` bits at the highest rate in use [ns].
    fn shortest_ns(&self, mac: &MacProtocol, rate: RateChoice, bits: f64) -> u64 {
        let part = properties(mac, self.modem.address).part;
        let transceiver = &self.modem.transceiver;
        let fastest = transceiver.rates().fold(0.0, f64::max);
        let bit_rate = match rate {
            RateChoice::Fixed(k) => transceiver.rates().nth(k).unwrap_or(fastest),
            RateChoice::Adaptive => fastest,
        };
        self.duration_ns(bits, bit_rate / f64::from(part.count))
    }
}

/// Returns the time for a frame in the longest slot of a modem with this address [ns]; `None`: the
/// protocol does not limit frames.
fn longest_frame_ns(mac: &MacProtocol, address: u16) -> Option<u64> {
    match mac {
        MacProtocol::Tdma(p) => {
            let slots = p.slots_s.iter();
            let times = slots.map(|[_, duration]| duration.saturating_sub(p.guard_s.0));
            Some(times.max().unwrap_or(0))
        }
        MacProtocol::WaitingRoom(p) if address == p.station => {
            Some(p.slot_s.0.saturating_sub(p.report_s.0))
        }
        MacProtocol::WaitingRoom(p) => Some(p.report_s.0),
        // a frame that is longer than the slot disturbs the next slot but is transmitted
        MacProtocol::SlottedAloha(_)
        | MacProtocol::Aloha
        | MacProtocol::CsmaCa(_)
        | MacProtocol::CsmaCd(_)
        | MacProtocol::Fdma(_)
        | MacProtocol::PollingController(_)
        | MacProtocol::Polled => None,
    }
}
