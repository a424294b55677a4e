//! Tests of contacts and couplings.

mod contact;
mod coupling;
mod docking;
