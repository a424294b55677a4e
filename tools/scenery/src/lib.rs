//! Generators of the scenery of bundled worlds: a river valley, a harbour quay and a wreck on sand.
//!
//! A seed determines each scenery. `merrow terrain` writes the files; no simulation uses this
//! crate.
//!
//! # Example
//! ```
//! use merrow_scenery::river::River;
//!
//! let river = River::new(1);
//! let height = |s, n| river.valley.height(river.valley.course.to_position(s, n));
//! // 200 m along the course: the channel is below the water level, the flood plain above it
//! let (channel, plain) = (height(200.0, 0.0), height(200.0, 60.0));
//! assert!(channel < 0.0 && plain > 0.0, "{channel} {plain}");
//! // the same seed gives the same valley
//! let again = River::new(1).valley.height([12.0, 34.0]);
//! assert_eq!(river.valley.height([12.0, 34.0]), again);
//! ```

pub mod river;
pub mod sites;

/// Returns the smoothstep function: from 0 at 0 to 1 at 1, with zero slope at both ends.
pub(crate) fn smoothstep(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
