//! Sensors of the water and of the distance to the seabed.

pub mod altimeter;
pub mod ctd;
pub mod dvl;
pub mod moving_targets;
pub mod pressure;
pub mod probe;
pub mod sampler;
