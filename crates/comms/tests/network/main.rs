//! Tests of the network of modems: throughput, conservation, medium access, resuming and cost.

mod access;
mod allocation;
#[path = "../../../../test/common/balance.rs"]
mod balance;
mod common;
mod conservation;
mod input;
mod modems;
mod replacement;
mod resume;
mod speed;
mod throughput;
mod traffic;
