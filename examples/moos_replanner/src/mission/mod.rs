//! The mission of figures 6 and 7: world, programs, log, score and figures.

pub mod report;
pub mod run;
pub mod score;
