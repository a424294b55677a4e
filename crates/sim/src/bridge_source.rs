//! Interface of the codec that turns outputs of a simulation into messages of bridges, and messages
//! into positions for the firmware.
//!
//! A bridge transmits an output at the instant at which the simulation produces it, so that the
//! time of transmission does not depend on threads and on the lengths of blocks. The simulation
//! therefore ends a block at each such instant and calls the codec. Message formats are known to
//! the ROS node only, which implements the codec.

use crate::simulation::Simulation;
use merrow_math::Vec3;
use std::fmt::Debug;

/// Outputs of a simulation that are new for the encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewOutputs {
    /// Readings, frames and states of the current instant.
    Instant {
        /// For each robot, number of earlier readings in its outbox.
        readings: Vec<usize>,
        /// Number of earlier frames.
        frames: usize,
    },
    /// Results in the output of the network state.
    Network,
}

/// Message in CDR with the index of its bridge.
pub type BridgeMessage = (usize, Vec<u8>);

/// Codec of the outputs that bridges transmit and of the positions that arrive over them.
pub trait BridgeSource: Debug + Send {
    /// Returns the time of the next output that a bridge transmits [ns]; `u64::MAX`: none.
    fn next_ns(&self, simulation: &Simulation) -> u64;

    /// Returns the time after `now_ns` of the next output without a time of measurement [ns].
    fn next_output_ns(&self, now_ns: u64) -> u64;

    /// Returns the messages of new outputs in the order of their transmission.
    fn encode(&mut self, simulation: &Simulation, new: &NewOutputs) -> Vec<BridgeMessage>;

    /// Decodes a message that has arrived over a bridge with a correction of the position: returns
    /// the position in W [m] and the time of its measurement [ns].
    ///
    /// # Errors
    /// The reason why the message is invalid.
    fn decode_fix(&self, bridge: usize, message: &[u8]) -> Result<(Vec3, u64), String>;
}
