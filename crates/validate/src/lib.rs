//! Validation of the simulator: replays recorded experiments and runs cases with a known answer,
//! scores them and draws figures. The simulation itself does not use this crate.

pub mod cases;
pub mod figure;
pub mod pool;
pub mod read;
pub mod thetis;
