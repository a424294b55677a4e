//! Doppler shift of sound between a moving source and a moving receiver.
//!
//! # Law
//! ```text
//!   f_r/f = (1 - n_r·v_r/c_r)/(1 - n_s·v_s/c_s)  (1)
//!   (1) crests counted where they leave and where they arrive
//! ```
//! The echo of a target that approaches at v is shifted twice by (1): the ratio is (c + v)/(c - v),
//! an increase of about 2vf/c.
//!
//! # Symbols
//! f, f_r frequency sent and received · v_s, v_r velocity of source and receiver through the water
//! [m/s] · n direction of the ray at source and receiver · c speed of sound there [m/s].
//!
//! # Frames
//! Any frame, the same for all vectors.
//!
//! # Limits
//! The water is at rest and does not change with time. Source and receiver are slower than sound.
//!
//! # Checked by
//! V68

use merrow_math::Vec3;

/// Returns the ratio of received to transmitted frequency by (1).
///
/// `source` and `receiver` are (velocity [m/s], unit direction of the ray, speed of sound [m/s]).
#[inline]
pub fn frequency_ratio(source: (Vec3, Vec3, f64), receiver: (Vec3, Vec3, f64)) -> f64 {
    let factor = |(v, n, c): (Vec3, Vec3, f64)| 1.0 - v.dot(n) / c;
    factor(receiver) / factor(source)
}
