//! Rayleigh and Rice fading with a coherence time.
//!
//! # Law
//! ```text
//!   X = |√(K/(K+1)) + g/√(K+1)|²,   E X = 1                                (1)  [Proakis 2008, ch. 13]
//!   g(t) = cos(πu/2) z_n + sin(πu/2) z_{n+1},   t = (n + u) T, 0 ≤ u < 1    (2)
//! ```
//! With K = 0 the amplitude √X has a Rayleigh distribution and X an exponential distribution. The
//! distribution of (2) is the same at all times.
//!
//! # Symbols
//! X factor on the received power · K power of the constant part over the power of the random part
//! · g complex normal process with E|g|² = 1 · z_n independent complex normal numbers, functions of
//! seed, pair and n · T coherence time.
//!
//! # Limits
//! - The autocorrelation of g follows from (2): it is at most ½ at a delay of T, and zero from 2 T
//!   on. A Doppler spectrum is not modelled.
//! - The channel is reciprocal: both directions of a pair have the same factor at the same time.
//! - The whole band of a modem fades together.
//!
//! # Checked by
//! crates/comms/tests/fading.rs

use merrow_math::decibels::ratio;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::transceiver::Fading;
use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

/// Returns the random numbers of the pair of two modems with the streams `a` and `b`, in any order.
pub fn pair_stream(a: Stream, b: Stream) -> Stream {
    Stream::from_key(a.key().wrapping_add(b.key()))
}

/// Draws the complex normal number z_n.
fn draw(stream: Stream, n: u64) -> Complex64 {
    let mut draw = stream.draw(n);
    Complex64::new(draw.normal(), draw.normal()).scale(FRAC_1_SQRT_2)
}

/// Computes the factor [-] on the received power of the pair with the random numbers `stream` at
/// `t_ns` [ns]. (1), (2)
pub fn power_factor(fading: &Fading, stream: Stream, t_ns: u64) -> f64 {
    let (k, coherence) = match *fading {
        Fading::None => return 1.0,
        Fading::Rayleigh { coherence_s, .. } => (0.0, coherence_s),
        Fading::Rice {
            k_db, coherence_s, ..
        } => (ratio(k_db), coherence_s),
    };
    let x = t_ns as f64 * 1e-9 / coherence;
    let n = x as u64;
    let (s, c) = sin_cos(FRAC_PI_2 * (x - n as f64));
    let g = draw(stream, n).scale(c) + draw(stream, n.wrapping_add(1)).scale(s);
    let scale = 1.0 / (k + 1.0);
    let (re, im) = (k.sqrt() + g.re, g.im);
    (re * re + im * im) * scale
}
