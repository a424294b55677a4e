//! Tests with real DDS peers and bag readers, one of the test programs that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../ros/mod.rs"]
mod ros;
