//! Tests of consistency (identities, convergence, determinism, bounded memory), one of the test
//! programs that `test/run` runs.

#[path = "../budget/mod.rs"]
mod budget;
#[path = "../common/mod.rs"]
mod common;
#[path = "../convergence/mod.rs"]
mod convergence;
#[path = "../determinism/mod.rs"]
mod determinism;
#[path = "../identity/mod.rs"]
mod identity;
