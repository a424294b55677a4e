//! Batteries, chargers and power consumption.

pub mod battery;
pub mod charging;
pub mod power;
