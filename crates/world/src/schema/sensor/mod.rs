//! Keys of sensors, one module per group of sensors.

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod laser;
pub mod navigation;
pub mod obstacle;
pub mod on_board;
pub mod probe;
pub mod radar;
pub mod sonar;
