//! How motion changes the frequency of sound on its way.
//!
//! # Law
//! ```text
//!   f_r/f = (1 - n_r·v_r/c_r)/(1 - n_s·v_s/c_s)                      (1)  crests counted where they leave and where they arrive
//! ```
//! An echo from what comes nearer at v is (1) twice, (c + v)/(c - v): higher by about 2vf/c.
//!
//! # Symbols
//! f, f_r frequency sent and received · v_s, v_r velocity of source and receiver through the water [m/s] · n direction of the ray at source and receiver ·
//! c speed of sound there [m/s].
//!
//! # Frames
//! Any one for all vectors.
//!
//! # Limits
//! The water is at rest and does not change with time; both move slower than sound.
//!
//! # Checked by
//! test/analytic/sound.rs; V68

use merrow_math::Vec3;

/// Received over sent frequency: `source` and `receiver` are velocity [m/s], direction of the ray and speed of sound [m/s]. (1)
pub fn ratio(source: (Vec3, Vec3, f64), receiver: (Vec3, Vec3, f64)) -> f64 {
    let left = |(v, n, c): (Vec3, Vec3, f64)| 1.0 - v.dot(n) / c;
    left(receiver) / left(source)
}
