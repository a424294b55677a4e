//! Readers of recorded trials and reference data.

pub mod reference_data;
pub mod trials;
