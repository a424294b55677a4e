//! Tests of contacts and couplings.

mod contact;
mod coupling;
mod docking;
mod free_pose;
