//! Nodes of the drone: take-off, survey, landing and charging.

pub mod pilot;
pub mod target;
