//! Tests of closed-form solutions of mechanics, a test program that `test/run` runs.

#[path = "../analytic/mod.rs"]
mod analytic;
#[path = "../common/mod.rs"]
mod common;
