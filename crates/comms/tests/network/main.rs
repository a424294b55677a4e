//! Tests of the network of modems: throughput, conservation, medium access, resuming and cost.

mod access;
mod allocation;
mod common;
mod conservation;
mod input;
mod modems;
mod resume;
mod speed;
mod throughput;
mod traffic;
