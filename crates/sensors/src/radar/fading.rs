//! How echoes of a radar fade.
//!
//! # Law
//! ```text
//!   P = m G_n                       noise, rain and land: n pulses of many scatterers, averaged        (1)  [Skolnik 2008, ch. 7]
//!   P = m G_ν G_n                   sea: K distribution                                                (2)  [Ward 2013, ch. 4]
//!   P = m G_1, one for a turn       vessels: Swerling's first case                                     (3)  [Swerling 1960]
//! ```
//! # Symbols
//! m mean · G_k a number of the gamma distribution with the shape k and the mean 1.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Spikes of the sea are a new draw in each cell and turn: they do not last or move.
//!
//! # Checked by
//! tests below; test/analytic/radar.rs

use merrow_math::rng::Draw;

/// A number of the gamma distribution with a shape and the mean 1, by rejection [Marsaglia and Tsang 2000].
pub fn gamma(shape: f64, draw: &mut Draw) -> f64 {
    if shape < 1.0 {
        // one shape higher, and a power of a uniform number
        let u = draw.uniform().max(1e-300);
        return gamma_from_one(shape + 1.0, draw) * libm::pow(u, 1.0 / shape) / shape;
    }
    gamma_from_one(shape, draw) / shape
}

/// One of a shape of 1 at least, with the mean of its shape.
fn gamma_from_one(shape: f64, draw: &mut Draw) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = draw.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = draw.uniform().max(1e-300);
        if libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    // mean 1, variance 1/k; of 40 000 numbers within 5 standard errors
    #[test]
    fn gamma_numbers_have_their_moments() {
        let n = 40_000;
        for shape in [0.2, 1.0, 3.5, 40.0] {
            let mut draw = Stream::new(3, "gamma").draw(0);
            let all: Vec<f64> = (0..n).map(|_| gamma(shape, &mut draw)).collect();
            let mean = all.iter().sum::<f64>() / f64::from(n);
            let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
            let error = (1.0 / shape / f64::from(n)).sqrt();
            assert!((mean - 1.0).abs() < 5.0 * error, "{shape}: {mean}");
            // the fourth moment over the square of the second is 3 + 6/k
            let error = (2.0 + 6.0 / shape).sqrt() / shape / f64::from(n).sqrt();
            assert!(
                (variance - 1.0 / shape).abs() < 5.0 * error,
                "{shape}: {variance}"
            );
        }
    }
}
