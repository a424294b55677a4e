//! Tests of closed-form solutions of mechanics, one of the test programs that `test/run` runs.

#[path = "../analytic/mod.rs"]
mod analytic;
#[path = "../common/mod.rs"]
mod common;
