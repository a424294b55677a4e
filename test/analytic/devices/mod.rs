//! Tests of batteries, solar panels, faults and the timing of sensors.

mod battery;
mod fault;
mod schedule;
mod solar;
