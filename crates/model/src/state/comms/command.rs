//! Commands to modems.

use crate::persist::Persist;
use crate::scene::comms::{BridgeQueue, MacProtocol, RateChoice};

/// Message for transmission by a modem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Send<P = Vec<u8>> {
    /// Index of the transmitting modem.
    pub modem: usize,
    /// Address of the receiving modem, or that of all modems.
    pub destination: u16,
    /// Content of the message.
    pub payload: P,
    /// Whether the payload begins with the number of a bridge in two bytes.
    pub is_bridged: bool,
    /// Larger priorities are transmitted first.
    pub priority: u8,
    /// Whether every frame is repeated until it is acknowledged; not for broadcasts.
    pub is_acknowledged: bool,
    /// Messages with which the message shares a limit in the queue, if any.
    pub group: Option<MessageGroup>,
    /// Transmit power [W]; `None`: transmit power of the modem.
    pub power: Option<f64>,
}

impl<P> Send<P> {
    /// Returns a message of priority 0 with the power of the modem, without acknowledgement.
    pub fn new(modem: usize, destination: u16, payload: P) -> Self {
        Self {
            modem,
            destination,
            payload,
            is_bridged: false,
            priority: 0,
            is_acknowledged: false,
            group: None,
            power: None,
        }
    }
}

/// Messages with a common limit in the queue of a modem: those with the same key and destination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageGroup {
    /// Key that distinguishes the messages from others.
    pub key: u32,
    /// Number and age limits that apply to the waiting messages of the group.
    pub limits: BridgeQueue,
}

impl MessageGroup {
    /// Returns a group in which a new message replaces the waiting one.
    pub fn newest_only(key: u32) -> Self {
        Self {
            key,
            limits: BridgeQueue::NEWEST_ONLY,
        }
    }
}

/// Command to one modem, addressed by its index in the scene.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq)]
pub enum ModemCommand {
    /// Queues a message.
    Send(Send),
    /// Sets the transmit power [W].
    SetPower { modem: usize, power: f64 },
    /// Sets the data rate of the following frames.
    SetRate { modem: usize, rate: RateChoice },
    /// Selects a medium access protocol and restarts medium access.
    SetMac { modem: usize, mac: MacProtocol },
    /// Sets the current error of the clock [s] and its rate error [-].
    SetClock {
        modem: usize,
        offset: f64,
        skew: f64,
    },
    /// Measures the range to the modem with the address `destination`, or to all modems that
    /// receive a one-way signal.
    Range {
        modem: usize,
        destination: u16,
        kind: Ranging,
    },
    /// Switches a modem on or off. A modem that is switched off loses its queue and its receptions.
    Switch { modem: usize, is_on: bool },
}

impl ModemCommand {
    /// Returns a mutable reference to the index of the modem, which `Command::in_scene` replaces
    /// after a change of the scene.
    pub fn modem_mut(&mut self) -> &mut usize {
        match self {
            Self::Send(Send { modem, .. })
            | Self::SetPower { modem, .. }
            | Self::SetRate { modem, .. }
            | Self::SetMac { modem, .. }
            | Self::SetClock { modem, .. }
            | Self::Range { modem, .. }
            | Self::Switch { modem, .. } => modem,
        }
    }
}

/// Method of a range measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Ranging {
    /// From the time of transmission by the clock of the transmitter to the time of arrival by the
    /// clock of the receiver.
    OneWay,
    /// From a request to the reply, less the delay that the reply contains.
    TwoWay,
}
