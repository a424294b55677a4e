//! Log-normal shadowing of radio waves, correlated in space.
//!
//! # Law
//! ```text
//!   L = σ (s(p_a) + s(p_b))/√2                                             (1)  [Rappaport 2002, ch. 4]
//!   s(p) = Σ w_i(x) w_j(y) n_ij,   w_0 = cos(πu/2), w_1 = sin(πu/2)        (2)
//! ```
//! s has the mean 0 and the variance 1 at every position.
//!
//! # Symbols
//! L loss [dB] · σ standard deviation · p_a, p_b positions of the ends · n_ij independent normal
//! numbers on a square lattice, functions of the seed · u position between two lattice lines.
//!
//! # Frames
//! World (ENU); horizontal positions.
//!
//! # Limits
//! The variance of (1) is σ² for ends that are farther apart than the correlation distance; for
//! ends at the same position it is 2 σ². All links of a world share one field s.
//!
//! # Checked by
//! crates/comms/tests/fading.rs

use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::medium::Shadowing;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

/// Returns the field s at `p` [m], W. (2)
fn field(stream: Stream, cell: f64, p: Vec3) -> f64 {
    let interval = |x: f64| {
        let n = libm::floor(x / cell);
        let (s, c) = sin_cos(FRAC_PI_2 * (x / cell - n));
        (n as i32, [c, s])
    };
    let ((i, wx), (j, wy)) = (interval(p.x), interval(p.y));
    let mut sum = 0.0;
    for (di, x) in wx.iter().enumerate() {
        for (dj, y) in wy.iter().enumerate() {
            let column = i.wrapping_add(di as i32) as u32;
            let row = j.wrapping_add(dj as i32) as u32;
            let index = u64::from(column) << 32 | u64::from(row);
            sum += x * y * stream.draw(index).normal();
        }
    }
    sum
}

/// Returns the loss [dB] between the ends `a` and `b` [m], W, with the random numbers `stream`. (1)
pub fn loss(shadowing: &Shadowing, stream: Stream, a: Vec3, b: Vec3) -> f64 {
    let s = |p: Vec3| field(stream, shadowing.distance_m, p);
    shadowing.std_db * FRAC_1_SQRT_2 * (s(a) + s(b))
}
