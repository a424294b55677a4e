//! The mission: its nodes and way-points, the simulator that it starts, its score and its report.

pub mod fleet;
pub mod report;
pub mod run;
pub mod score;
pub mod seeds;
pub mod structures;
