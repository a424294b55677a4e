//! Functions of complex numbers that are the same on every machine.

use num_complex::Complex64;

/// Creates a number of magnitude `size` [-] and phase `phase` [rad].
pub(crate) fn polar(size: f64, phase: f64) -> Complex64 {
    let (s, c) = merrow_math::real::sin_cos(phase);
    Complex64::new(size * c, size * s)
}

/// Returns the square root of `z` whose real part is not negative.
pub(crate) fn root(z: Complex64) -> Complex64 {
    let size = z.norm_sqr().sqrt();
    let re = (0.5 * (size + z.re)).max(0.0).sqrt();
    let im = (0.5 * (size - z.re)).max(0.0).sqrt();
    Complex64::new(re, if z.im < 0.0 { -im } else { im })
}
