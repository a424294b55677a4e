//! Recorded experiments and cases with a known answer against the simulator: runs, scores and draws them. No part of a running simulation.

pub mod baseline;
pub mod canvas;
pub mod cases;
pub mod chart;
pub mod coupling;
pub mod delayed;
pub mod joints;
pub mod model;
pub mod recording;
pub mod replay;
pub mod score;
pub mod servo;
pub mod study;
pub mod summary;
pub mod thetis;
pub mod trial;
