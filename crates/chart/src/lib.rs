//! SVG figures: a drawing canvas and line charts.
//!
//! # Example
//! ```
//! use merrow_chart::chart::{Panel, coloured, draw_figure};
//!
//! let points = (0..100).map(|k| [f64::from(k), (0.1 * f64::from(k)).sin()]).collect();
//! let panel = Panel::new("depth [m]", "time [s]", coloured([("vehicle", points)]));
//! let svg = draw_figure("a dive", &[panel], 600, 300).svg();
//! assert!(svg.starts_with("<svg") && svg.contains("a dive"));
//! ```

#![forbid(unsafe_code)]

pub mod canvas;
pub mod chart;
