//! Tests of input and output (world files, error messages, documented examples), of the live view
//! and of code rules, a test program that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../docs.rs"]
mod docs;
#[path = "../input/mod.rs"]
mod input;
#[path = "../tidy.rs"]
mod tidy;
#[path = "../view/mod.rs"]
mod view;
