//! Sensors of the vehicle's own equipment and of the air.

pub mod anemometer;
pub mod barometer;
pub mod leak;
pub mod motor;
pub mod odometry;
pub mod power_meter;
pub mod wrench;
