//! Results of the network for the caller.

use crate::persist::Persist;
use crate::state::comms::command::Ranging;
use crate::state::comms::loss::LossCause;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

/// Results since the caller last cleared them.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct NetworkOutput {
    /// Messages that were delivered.
    pub deliveries: Vec<Delivery>,
    /// Payloads of the deliveries, one after the other.
    pub payloads: Vec<u8>,
    /// Completed range measurements. A request without a reply has no result.
    pub ranges: Vec<RangeResult>,
    /// Log of packets and their losses.
    pub packets: Record<PacketRecord>,
    /// Schedule trace: ended intervals of all modems.
    pub trace: Record<Interval>,
}

impl NetworkOutput {
    /// Discards all results and keeps the memory.
    pub fn clear(&mut self) {
        self.deliveries.clear();
        self.payloads.clear();
        self.ranges.clear();
        self.packets.clear();
        self.trace.clear();
    }

    /// Returns true if there are no results.
    pub fn is_empty(&self) -> bool {
        self.deliveries.is_empty()
            && self.ranges.is_empty()
            && self.packets.items.is_empty()
            && self.trace.items.is_empty()
    }

    /// Returns the payload of a delivery of this output; empty if its range is beyond the end of
    /// `payloads`.
    pub fn payload(&self, delivery: &Delivery) -> &[u8] {
        let range = delivery.payload_start..delivery.payload_start + delivery.payload_len;
        self.payloads.get(range).unwrap_or_default()
    }
}

/// List with a limit. Further items are counted and discarded.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Record<T> {
    /// Items since the list was last cleared.
    pub items: Vec<T>,
    /// Maximum number of items; 0: no record.
    pub limit: usize,
    /// Number of items that were discarded since the start of the run.
    pub discarded: u64,
}

impl<T> Default for Record<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            limit: 0,
            discarded: 0,
        }
    }
}

impl<T> Record<T> {
    /// Appends an item unless the list is full.
    pub fn push(&mut self, item: T) {
        if self.items.len() < self.limit {
            self.items.push(item);
        } else if self.limit > 0 {
            self.discarded += 1;
        }
    }

    /// Removes all items and keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

/// Message that a modem delivered.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Delivery {
    /// Number of the message since the start of the run.
    pub message: u64,
    /// Index of the transmitting modem.
    pub from: u32,
    /// Index of the receiving modem.
    pub to: u32,
    /// Address in the message: the receiving modem, another modem if `is_overheard`, or all modems.
    pub destination: u16,
    /// Whether the message has the address of another modem.
    pub is_overheard: bool,
    /// Whether the payload is a message of a bridge, after the number of the bridge in two bytes.
    pub is_bridged: bool,
    /// Time of the command [ns].
    pub created_ns: u64,
    /// Start of the transmission of the last frame to arrive [ns].
    pub transmitted_ns: u64,
    /// End of the arrival of that frame [ns].
    pub received_ns: u64,
    /// Signal-to-noise ratio of that frame, linear.
    pub snr: f64,
    /// Relative frequency shift of that frame.
    pub doppler: f64,
    /// First byte of the payload in [`NetworkOutput::payloads`].
    pub payload_start: usize,
    /// Length of the payload [byte].
    pub payload_len: usize,
    /// Time at which the run took the message from the network [ns], later than its arrival if a
    /// task handled it; 0 before.
    pub published_ns: u64,
}

/// Times of a range measurement. With c the sound speed or the speed of light, the range is
/// c (received - sent) for a one-way measurement and
/// c (received - sent - (replied - arrived)) / 2 for a two-way measurement.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct RangeResult {
    /// Method of the measurement.
    pub kind: Ranging,
    /// Index of the modem that has the result.
    pub modem: u32,
    /// Index of the other modem.
    pub other: u32,
    /// Sequence number of the measurement.
    pub sequence: u16,
    /// Time of the request or of the signal by the clock of its transmitter [ns].
    pub sent_ns: i64,
    /// Time of arrival of the request by the clock of the other modem [ns]; equal to `sent_ns` for
    /// a one-way measurement.
    pub arrived_ns: i64,
    /// Time of the reply by the clock of the other modem [ns]; equal to `sent_ns` for a one-way
    /// measurement.
    pub replied_ns: i64,
    /// Time of arrival at the modem by its clock [ns].
    pub received_ns: i64,
    /// Simulated time of the transmission that arrived [ns].
    pub true_transmission_ns: u64,
    /// Simulated time of its arrival [ns].
    pub true_arrival_ns: u64,
    /// Signal-to-noise ratio of the signal, linear.
    pub snr: f64,
    /// Relative frequency shift of the signal.
    pub doppler: f64,
    /// Measured direction of arrival at a modem with an array, which the caller of the network
    /// computes.
    pub direction: Option<ReplyDirection>,
    /// Error of the range [m], which the caller of the network computes.
    pub range_error: f64,
    /// Time at which the run took the result from the network [ns]; 0 before.
    pub published_ns: u64,
}

/// Direction of a range reply, as measured by the array of the modem.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct ReplyDirection {
    /// Unit vector to the other modem in the link that carries the modem, or in W.
    pub d: Vec3,
    /// Variance of the direction [rad²].
    pub bearing_variance: f64,
}

impl RangeResult {
    /// Returns the measured travel time in one direction [s].
    pub fn travel_time(&self) -> f64 {
        let total = self.received_ns - self.sent_ns;
        match self.kind {
            Ranging::OneWay => total as f64 * 1e-9,
            Ranging::TwoWay => 0.5e-9 * (total - (self.replied_ns - self.arrived_ns)) as f64,
        }
    }
}

/// End of a frame at a receiver, or of a message that was never transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct PacketRecord {
    /// End of the arrival, or time at which a waiting message was lost [ns]. For a frame without a
    /// signal at the receiver, start of its transmission.
    pub time_ns: u64,
    /// Start of the transmission [ns]; for a message that was not transmitted, time of its command.
    pub start_ns: u64,
    /// Index of the transmitting modem.
    pub from: u32,
    /// Index of the receiving modem.
    pub to: u32,
    /// Number of the message; `None` for control frames.
    pub message: Option<u64>,
    /// Index of the frame in the message.
    pub fragment: u8,
    /// Number of bits, including overhead; 0 if it was not transmitted.
    pub bits: u32,
    /// Signal-to-noise ratio, linear; 0 if no signal arrived.
    pub snr: f64,
    /// Cause of the loss; `None`: received.
    pub cause: Option<LossCause>,
}

spec! {
    /// Activity of a modem in the schedule trace.
    #[derive(Persist)]
    pub enum Activity words {
        /// The modem is switched off.
        Off = "off",
        /// No frame waits and no signal arrives.
        Idle = "idle",
        /// A frame waits for medium access, an acknowledgement or a backoff.
        Wait = "wait",
        /// A frame is being received.
        Receive = "receive",
        /// Several signals overlap at the modem.
        Collide = "collide",
        /// A frame is being transmitted.
        Transmit = "transmit",
    }
}

#[allow(clippy::derivable_impls, reason = "`spec!` marks no variant")]
impl Default for Activity {
    fn default() -> Self {
        Self::Idle
    }
}

/// Interval of the schedule trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Interval {
    /// Index of the modem.
    pub modem: u32,
    /// Activity of the modem.
    pub activity: Activity,
    /// Start of the interval [ns].
    pub start_ns: u64,
    /// End of the interval [ns].
    pub end_ns: u64,
}
