//! Featherstone's algorithms and the integrators.

pub mod aba;
pub mod crba;
pub mod integrate;
pub mod mimic;
pub mod rnea;
