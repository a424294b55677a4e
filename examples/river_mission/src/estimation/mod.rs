//! State estimation of a boat from GNSS, IMU and compass.

pub mod ekf;
pub mod node;
