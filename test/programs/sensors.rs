//! Tests of closed-form solutions of measurement, a test program that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../sensors/mod.rs"]
mod sensors;
