//! Tests that the same seed gives bit-identical results for any threads, blocks and neighbouring
//! robots.

mod acoustic;
pub(crate) mod batch;
pub(crate) mod communication;
mod computers;
mod frames;
mod instruments;
mod sonar;
mod state;
pub(crate) mod worlds;
