//! Recorded experiments and cases with a known answer against the simulator: runs, scores and draws them. No part of a running simulation.

pub mod cases;
pub mod figure;
pub mod pool;
pub mod read;
pub mod thetis;
