//! Frames in flight and signals at receivers.

use crate::persist::Persist;
use crate::state::comms::loss::LossCause;
use crate::state::comms::slab::Reset;

/// Header of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Header {
    /// Whether the receiver must acknowledge the frame.
    pub is_acknowledged: bool,
    /// Address of the transmitter.
    pub source: u16,
    /// Address of the receiving modem, or the broadcast address.
    pub destination: u16,
    /// Number of the message at its source, modulo 65536.
    pub sequence: u16,
    /// Index of the frame in the message.
    pub fragment: u8,
    /// Number of frames of the message.
    pub fragments: u8,
}

/// Frame in flight, with its receptions.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Transmission {
    /// Index of the transmitting modem.
    pub from: u32,
    /// Identifies the transmission in events.
    pub serial: u32,
    /// Header of the frame.
    pub header: Header,
    /// Content of a control frame; `None`: a frame of a message.
    pub control: Option<ControlFrame>,
    /// Index of the message of a frame with data.
    pub message: u32,
    /// Start at the transmitter [ns].
    pub start_ns: u64,
    /// Duration of the frame [ns].
    pub duration_ns: u64,
    /// Number of bits, including overhead.
    pub bits: u32,
    /// Index of the data rate.
    pub rate: u32,
    /// Part of the band that the transmission occupies.
    pub part: BandPart,
    /// Transmit power, as a fraction of the maximum.
    pub power: f64,
    /// Whether the transmitter is still transmitting.
    pub is_transmitting: bool,
    /// Whether the transmitter ended the transmission early.
    pub is_aborted: bool,
    /// Number of arrivals that were processed.
    pub arrived: u32,
    /// Number of departures that were processed.
    pub departed: u32,
    /// Receptions in the order of arrival.
    pub receptions: Vec<Reception>,
}

impl Reset for Transmission {
    fn reset(&mut self) {
        let mut receptions = std::mem::take(&mut self.receptions);
        receptions.clear();
        *self = Self {
            receptions,
            ..Self::default()
        };
    }
}

/// Part of a band that a transmission occupies: `index` of `count` equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct BandPart {
    /// Index of the part, 0 to `count - 1`.
    pub index: u16,
    /// Number of parts of the band.
    pub count: u16,
}

impl Default for BandPart {
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

/// One frame at one receiver. Ratios and powers are in single precision, so that the receptions of
/// many frames fit into the cache.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Reception {
    /// Index of the receiving modem.
    pub to: u32,
    /// Index of the copy of the message that the frame belongs to; `u32::MAX`: none.
    pub copy: u32,
    /// Travel time of the signal [ns].
    pub delay_ns: u64,
    /// Received power of the signal.
    pub power: f32,
    /// Noise power in the part of the band.
    pub noise: f32,
    /// Relative frequency shift of the signal.
    pub doppler: f32,
    /// Cause of the loss of the frame; `None`: no loss so far.
    pub cause: Option<LossCause>,
    /// Whether the receiver can decode frames of the transmitter; otherwise they interfere only.
    pub is_decodable: bool,
}

impl Reception {
    /// Returns the ratio of signal to noise, linear [-].
    #[inline]
    pub fn snr(&self) -> f64 {
        f64::from(self.power) / f64::from(self.noise)
    }
}

/// Signal that is arriving at a modem.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Signal {
    /// Index of the transmission in `NetworkState::transmissions`.
    pub transmission: u32,
    /// Index of the transmitting modem.
    pub from: u32,
    /// Index of the reception in `Transmission::receptions`.
    pub reception: u32,
    /// Part of the band that the signal occupies.
    pub part: BandPart,
    /// Received power with fading, linear, in the unit of the medium.
    pub power: f64,
    /// Noise power in the part of the band.
    pub noise: f64,
    /// Start of the arrival [ns].
    pub start_ns: u64,
    /// Whether carrier sensing detects the signal.
    pub is_sensed: bool,
    /// Whether the receiver decodes the signal.
    pub is_locked: bool,
    /// Whether another signal overlapped.
    pub is_disturbed: bool,
    /// Current power of the other signals in the part of the band.
    pub interference: f64,
    /// Start of the time for which `interference` is valid [ns].
    pub since_ns: u64,
    /// Probability that the frame has no error so far.
    pub survival: f64,
}

/// Frame without data of a message.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct ControlFrame {
    /// Purpose of the frame with its content.
    pub kind: ControlKind,
    /// Address of the destination.
    pub destination: u16,
    /// Sequence number in the header.
    pub sequence: u16,
    /// Fragment number in the header.
    pub fragment: u8,
    /// Earliest time of transmission [ns].
    pub ready_ns: u64,
    /// Whether it is transmitted without medium access.
    pub is_immediate: bool,
}

/// Purpose of a control frame.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub enum ControlKind {
    /// Acknowledges a frame with data.
    Acknowledgement,
    /// Requests a range reply.
    RangeRequest,
    /// Replies to a range request: times of its arrival and of the reply by the clock of the
    /// replying modem [ns].
    RangeReply { arrived_ns: i64, replied_ns: i64 },
    /// Signal for one-way ranging: time of transmission by the clock of the transmitter [ns].
    RangeSignal { sent_ns: i64 },
    /// Permits a modem to transmit.
    Poll,
    /// Reply to a poll without data.
    NoData,
    /// Result of a slot: number of open groups of the conflict, whether the slot contained a
    /// collision, and whether the station received a frame.
    SlotReport {
        open: u32,
        is_collision: bool,
        is_received: bool,
    },
    /// Requests a transmit power [W] from the station.
    PowerRequest { power: f64 },
}
