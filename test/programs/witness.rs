//! Tests against other programs and published data, the cases of `merrow validate`, and hours of
//! extreme seas; a test program that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../hours.rs"]
mod hours;
#[path = "../validation.rs"]
mod validation;
#[path = "../witness/mod.rs"]
mod witness;
