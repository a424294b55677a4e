//! Tests of input and output (world files, error messages, documented examples, analysis of
//! recordings), of the live view and of code rules, a test program that `test/run` runs.

#[path = "../analysis.rs"]
mod analysis;
#[path = "../common/mod.rs"]
mod common;
#[path = "../docs.rs"]
mod docs;
#[path = "../input/mod.rs"]
mod input;
#[path = "../../crates/ros2/tests/common/samples.rs"]
mod samples;
#[path = "../tidy.rs"]
mod tidy;
#[path = "../view/mod.rs"]
mod view;
