//! V90 to V106: cases from public bug reports of simulators, each with the right answer of a closed
//! solution or an outside program.
//!
//! The sources name tracker and report (read in November 2026). A report describes what another
//! program did; the case states what physics requires and what Merrow computes.

pub mod bodies;
pub mod sensors;
