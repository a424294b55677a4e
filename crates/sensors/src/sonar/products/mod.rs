//! Results that are computed from the pings of a sonar.

pub(crate) mod detection;
pub mod display;
