//! Same seed, same bits: however many threads, blocks and neighbours.

mod acoustic;
mod contacts;
mod estuary;
mod faults;
pub mod fleet;
mod flight;
mod frames;
mod hull;
mod instruments;
mod kernels;
mod lanes;
mod river;
mod same_bits;
mod sites;
mod sonar;
mod squad;
pub mod tethers;
mod usv;
mod waves;
