//! Communication modems: what is constant during a run.

pub mod directivity;
pub mod medium;
pub mod scheme;
pub mod transceiver;

pub use crate::scene::comms::transceiver::Transceiver;
