//! The error falls with the step as the integrator's order says.

mod integrators;
mod tether;
mod waves;
