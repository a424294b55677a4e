//! Tests of position and velocity sensors.

mod altimeter;
mod dvl;
mod gnss;
mod position_sensors;
mod pressure_height;
