//! Featherstone's algorithms and the integrators.

pub mod aba;
pub mod catenary;
pub mod crba;
pub mod integrate;
pub mod mimic;
pub mod mobility;
pub mod response;
pub mod rnea;
pub mod tether;
