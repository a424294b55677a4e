//! Same seed, same bits: however many threads, blocks and neighbours.

mod contacts;
mod estuary;
pub mod fleet;
mod kernels;
mod lanes;
mod same_bits;
pub mod tethers;
mod waves;
