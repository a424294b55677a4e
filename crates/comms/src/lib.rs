//! Communication networks: channels of sound, radio and light, modems and medium access.
//!
//! [`propagation::Channel`] is the interface between the channels and the network of modems.

pub mod propagation;
