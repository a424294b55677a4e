//! SVG figures.

pub mod canvas;
pub mod chart;
