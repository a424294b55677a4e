//! Commands to modems.

use crate::persist::Persist;
use crate::scene::comms::{MacProtocol, RateChoice};

/// Command to one modem, addressed by its index in the scene.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Debug, PartialEq)]
pub enum ModemCommand {
    /// Queues a message for the modem with the address `destination` or for all modems. `priority`:
    /// larger first. `is_acknowledged`: every frame is repeated until it is acknowledged. `key`:
    /// replaces the waiting message with the same key and destination. `power`: transmit power [W];
    /// `None` selects the power of the modem.
    Send {
        modem: usize,
        destination: u16,
        payload: Vec<u8>,
        priority: u8,
        is_acknowledged: bool,
        key: Option<u32>,
        power: Option<f64>,
    },
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
            Self::Send { modem, .. }
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
