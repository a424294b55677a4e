//! What several test programs need: a counting allocator, and random numbers that are the same on
//! every machine.

pub mod allocator;
pub mod random;
