//! Modem: a transceiver with framing, a transmit queue, medium access and a clock.

use crate::persist::Persist;
use crate::scene::comms::clock::ClockError;
use crate::scene::comms::mac::MacProtocol;
use crate::scene::comms::queue::QueueLimits;
use crate::scene::comms::transceiver::Transceiver;
use crate::scene::computer::TaskIndex;
use crate::scene::nanoseconds::nanoseconds;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

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
    /// Type of the modem.
    pub transceiver: Transceiver,
    /// Medium access at the start of a run.
    pub mac: MacProtocol,
    /// Error of the clock at the start of a run.
    pub clock: ClockError,
    /// Limits of the transmit queue.
    pub queue: QueueLimits,
    /// Transmit power at the start of a run [W].
    pub power_w: f64,
    /// Data rate at the start of a run.
    pub rate: RateChoice,
    /// Whether the modem also delivers messages with the address of another modem.
    pub promiscuous: bool,
    /// Task of the robot that received messages pass through; `None`: they are delivered at once.
    pub task: Option<TaskIndex>,
    /// Requests for the transmit power of another modem; `None`: no requests.
    pub power_control: Option<PowerControl>,
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

spec! {
    /// Adaptive power control: if no message of a station arrives within a period, the modem
    /// requests a higher transmit power from it.
    pub struct PowerControl {
        /// Address of the station.
        station: u16 [in 0.0..=65534.0],
        /// Period within which a message of the station is expected.
        period_s: f64 [in 1e-3..=1e6],
        /// Signal-to-noise ratio that the requested power restores.
        target_snr_db: f64 [in -100.0..=200.0],
        /// Minimum increase between two requested powers.
        step_db: f64 [in 0.0..=100.0] = 1.0,
        /// Payload of a request.
        payload_bytes: usize [in 0.0..=65535.0] = 8,
    }
}

impl PowerControl {
    /// Returns the period within which a message of the station is expected [ns].
    pub fn period_ns(&self) -> u64 {
        nanoseconds(self.period_s)
    }
}
