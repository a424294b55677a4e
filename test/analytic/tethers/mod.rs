//! Tests of tethers, mooring lines and winches.

mod bending;
mod breaking;
mod catenary;
mod fixed_ends;
mod robot;
mod water;
mod winch;
