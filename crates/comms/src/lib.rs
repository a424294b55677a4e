//! Communication networks: channels of sound, radio and light, modems and medium access.
//!
//! [`propagation::Channel`] is the interface between the channels and the network of modems.
//! [`network::Network`] is the discrete-event engine, [`mac`] contains the medium access protocols.

pub mod mac;
pub mod network;
pub mod propagation;
