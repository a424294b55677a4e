//! Force laws of tethers and mooring lines.

pub mod bending;
pub mod catenary;
pub mod tether;
