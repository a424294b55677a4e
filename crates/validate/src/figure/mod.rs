//! SVG figures: a drawing canvas and line charts.

pub mod canvas;
pub mod chart;
