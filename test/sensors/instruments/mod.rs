//! Tests of sensors of water, air and the vehicle itself.

mod air_sensors;
mod ctd;
mod probe;
mod sampler;
mod telemetry;
mod wrench;
