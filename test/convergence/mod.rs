//! Tests that the error decreases with the step by the order of the integrator.

mod integrators;
mod tether;
mod waves;
