//! Tests of closed-form solutions of measurement, one of the test programs that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../sensors/mod.rs"]
mod sensors;
