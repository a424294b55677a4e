//! What users read and write: world files, error messages, documented examples; rules of the code.
//! One of the test programs that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../docs.rs"]
mod docs;
#[path = "../input/mod.rs"]
mod input;
#[path = "../tidy.rs"]
mod tidy;
