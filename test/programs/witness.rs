//! Programs and published data of others, the cases of `merrow validate`, hours of extreme seas.
//! One of the test programs that `test/run` runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../hours.rs"]
mod hours;
#[path = "../validation.rs"]
mod validation;
#[path = "../witness/mod.rs"]
mod witness;
