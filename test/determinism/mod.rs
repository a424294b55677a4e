//! Tests that the same seed gives bit-identical results for any threads, blocks and neighbouring
//! robots.

mod acoustic;
mod checkpoint;
mod contacts;
mod estuary;
mod faults;
pub(crate) mod fleet;
mod flight;
mod frames;
mod hull;
mod instruments;
mod kernels;
mod lanes;
mod replacement;
mod river;
mod same_bits;
mod schedule;
mod simd_batch;
mod sites;
mod sonar;
pub(crate) mod tethers;
mod usv;
mod waves;
