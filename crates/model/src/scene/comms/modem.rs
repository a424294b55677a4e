//! Modem: a transceiver with framing, a transmit queue, medium access and a clock.

use crate::persist::Persist;
use crate::scene::comms::clock::ClockError;
use crate::scene::comms::framing::{Acknowledgement, Framing};
use crate::scene::comms::mac::MacProtocol;
use crate::scene::comms::queue::QueueLimits;
use crate::scene::comms::transceiver::Transceiver;
use crate::scene::computer::TaskIndex;
use merrow_math::Vec3;

/// Modem of a robot or of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Modem {
    /// Name of the modem.
    pub name: String,
    /// Index of the robot and of the link that carry it; `None`: fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Position in L, or in W if no link carries it [m].
    pub p: Vec3,
    /// Acoustic axis or boresight in L, or in W if no link carries it; a unit vector.
    pub axis: Vec3,
    /// Address, unique among the modems that can communicate with this modem.
    pub address: u16,
    /// Physical properties of transmitter and receiver.
    pub transceiver: Transceiver,
    /// Division of messages into frames.
    pub framing: Framing,
    /// Repetition of frames that are not acknowledged.
    pub acknowledgement: Acknowledgement,
    /// Medium access at the start of a run.
    pub mac: MacProtocol,
    /// Offset [s] and rate error [-] of the clock at the start of a run.
    pub clock: ClockError,
    /// Limits of the transmit queue.
    pub queue: QueueLimits,
    /// Transmit power at the start of a run [W].
    pub power: f64,
    /// Data rate at the start of a run.
    pub rate: RateChoice,
    /// Delay between the end of a received frame and an immediate reply to it [ns].
    pub turn_around_ns: u64,
    /// Array that measures the direction of a range reply; `None`: only the range is measured.
    pub array: Option<UsblArray>,
    /// Standard deviation of a measured range [m].
    pub range_std: f64,
    /// Whether the modem also delivers messages with the address of another modem.
    pub is_promiscuous: bool,
    /// Task of the robot that received messages pass through; `None`: they are delivered at once.
    pub task: Option<TaskIndex>,
    /// Requests for the transmit power of another modem; `None`: no requests.
    pub power_control: Option<PowerControl>,
}

/// Array of a modem that measures the direction of range replies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsblArray {
    /// Standard deviation of the direction at a large signal-to-noise ratio [rad].
    pub bearing_std: f64,
}

/// Data rate of a modem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum RateChoice {
    /// Index into the rates of the transceiver.
    Fixed(usize),
    /// Rate that the receiver selects for the last signal-to-noise ratio of the link. The first
    /// rate applies to broadcasts and before a frame was received.
    Adaptive,
}

/// Adaptive power control: a modem that receives no message from a station within a period
/// requests a higher transmit power from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerControl {
    /// Address of the modem whose messages are expected and whose power is requested.
    pub station: u16,
    /// Period within which a message of the station is expected [ns].
    pub period_ns: u64,
    /// Signal-to-noise ratio that the requested power restores, linear.
    pub target_snr: f64,
    /// Minimum factor between two requested powers.
    pub step: f64,
    /// Payload of a request [byte].
    pub payload: usize,
}
