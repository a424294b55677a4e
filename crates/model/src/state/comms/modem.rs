//! State of one modem.

use crate::persist::Persist;
use crate::scene::comms::{MacProtocol, RateChoice};
use crate::state::comms::LossCause;
use crate::state::comms::mac::MacState;
use crate::state::comms::output::Activity;
use crate::state::comms::signal::{ControlFrame, ControlKind, Signal};
use std::collections::VecDeque;

/// State of one modem.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct ModemState {
    /// Whether the modem operates. `ModemCommand::Switch` and changes of the power of its robot set
    /// it.
    pub is_on: bool,
    /// Whether the modem can operate.
    pub supply: Supply,
    /// Transmit power of frames whose message states no power [W].
    pub power: f64,
    /// Data rate of frames with data.
    pub rate: RateChoice,
    /// Medium access protocol in use.
    pub mac: MacProtocol,
    /// State of medium access.
    pub mac_state: MacState,
    /// Identifies the pending decision of medium access; other decisions have no effect.
    pub access_serial: u32,
    /// Whether a decision of medium access is pending.
    pub is_access_pending: bool,
    /// Deviation of the clock of the modem from simulated time.
    pub clock: ClockState,
    /// Waiting messages in the order of transmission.
    pub queue: Vec<u32>,
    /// Sum of the payloads of the waiting messages [byte].
    pub queued_bytes: usize,
    /// Message that is being transmitted.
    pub service: Option<Service>,
    /// Identifies the pending wait for an acknowledgement; the ends of other waits have no effect.
    pub repetition_serial: u32,
    /// Waiting control frames in the order of transmission.
    pub control: VecDeque<ControlFrame>,
    /// Index of the transmission in progress.
    pub transmission: Option<u32>,
    /// Sequence number of the next message.
    pub sequence: u16,
    /// Number of random numbers drawn.
    pub draws: u64,
    /// Signals that are arriving at the modem, decodable or not.
    pub signals: Vec<Signal>,
    /// Use of the medium as sensed by this modem.
    pub carrier: CarrierState,
    /// Open two-way range measurements.
    pub range_requests: Vec<RangeRequest>,
    /// Powers that other modems requested [W], by address; sorted.
    pub requested_powers: Vec<(u16, f64)>,
    /// Power that this modem last requested from its station [W]; 0 before the first request.
    pub last_request: f64,
    /// Whether a frame of the station of power control arrived in the current period.
    pub has_station_frame: bool,
    /// Number of control frames that were discarded: too many waited, medium access ended its
    /// attempts, or the modem was switched off.
    pub discarded_control: u64,
    /// Number of messages of bridges that were discarded, because they exceeded the maximum rate of
    /// the bridge.
    pub over_rate: u64,
    /// Energy and time by activity.
    pub energy: EnergyState,
    /// Current activity of the modem.
    pub activity: Activity,
    /// Start of the current activity [ns].
    pub activity_ns: u64,
}

/// Whether a modem can operate: power of its robot, and faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Supply {
    /// The robot that carries the modem has no power.
    Unpowered,
    /// The modem can operate.
    #[default]
    Powered,
    /// A fault of the modem prevents transmission and reception.
    Broken,
}

impl ModemState {
    /// Returns the cause of the losses of the modem while it is switched off.
    pub fn cause_of_silence(&self) -> LossCause {
        match self.supply {
            Supply::Broken => LossCause::Fault,
            Supply::Unpowered | Supply::Powered => LossCause::NoPower,
        }
    }

    /// Creates a control frame with the next sequence number; it waits for medium access from
    /// `ready_ns` [ns] on.
    pub fn control_frame(
        &mut self,
        kind: ControlKind,
        destination: u16,
        ready_ns: u64,
    ) -> ControlFrame {
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        ControlFrame {
            kind,
            destination,
            sequence,
            fragment: 0,
            ready_ns,
            is_immediate: false,
        }
    }

    /// Returns the transmit power of a broadcast whose message states no power [W]: the set power,
    /// or the greatest power that other modems requested by power control.
    pub fn greatest_power(&self) -> f64 {
        let requested = self.requested_powers.iter().map(|(_, power)| *power);
        requested.fold(self.power, f64::max)
    }
}

/// Error of a clock since the last adjustment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct ClockState {
    /// Simulated time of the last adjustment [ns].
    pub since_ns: u64,
    /// Offset of the reading at `since_ns` [ns].
    pub offset_ns: i64,
    /// Relative error of the rate.
    pub skew: f64,
}

/// Message that is being transmitted, frame by frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Service {
    /// Index of the message in `NetworkState::messages`.
    pub message: u32,
    /// Index of the current frame.
    pub fragment: u8,
    /// Number of repetitions of the frame.
    pub retries: u16,
    /// Progress of the frame.
    pub phase: ServicePhase,
}

/// Progress of the frame that is being transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum ServicePhase {
    /// Waits for medium access.
    Ready,
    /// The frame is being transmitted.
    Transmitting,
    /// Waits for the acknowledgement by the receiver, up to its time-out.
    AwaitsAcknowledgement,
    /// Waits for the end of the random delay before a repetition.
    BacksOff,
    /// Waits for the result that the medium access protocol reports.
    AwaitsResult,
}

/// Use of the medium as sensed by a modem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct CarrierState {
    /// Number of sensed signals that are arriving.
    pub count: u32,
    /// Start of the current busy period; if the medium is idle, end of the last busy period [ns].
    pub since_ns: u64,
    /// Total duration of the ended busy periods [ns].
    pub busy_ns: u64,
}

/// Open two-way range measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct RangeRequest {
    /// Sequence number of the request.
    pub sequence: u16,
    /// Address of the replying modem.
    pub destination: u16,
    /// Time of transmission by the clock of the modem [ns].
    pub sent_ns: i64,
}

/// Energy and time by activity. The current activity is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct EnergyState {
    /// Energy of the ended transmissions [J].
    pub transmit: f64,
    /// Time in transmission [ns].
    pub transmit_ns: u64,
    /// Time in reception [ns].
    pub receive_ns: u64,
    /// Time without transmission and reception [ns].
    pub idle_ns: u64,
}
