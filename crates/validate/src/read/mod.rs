//! Readers of recorded trials and reference data.

pub mod materials;
pub mod trials;
