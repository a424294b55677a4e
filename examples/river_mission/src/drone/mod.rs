//! Nodes of the drone: take-off, survey, landing and charging.

pub mod node;
pub mod pilot;
pub mod target;
