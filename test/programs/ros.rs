//! Tests with real DDS peers and bag readers, a test program that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../ros/mod.rs"]
mod ros;
#[path = "../../crates/ros2/tests/common/samples.rs"]
mod samples;
