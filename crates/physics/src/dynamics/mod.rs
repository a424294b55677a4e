//! Featherstone's multibody algorithms, time integration of robots, and the steps of tethers.

pub mod aba;
pub mod catenary;
pub mod crba;
pub mod integrate;
pub mod mimic;
pub mod mobility;
pub mod response;
pub mod rnea;
pub mod tether;
