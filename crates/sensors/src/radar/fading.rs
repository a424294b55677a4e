//! Fluctuation of radar echoes.
//!
//! # Law
//! ```text
//!   P = m G_n                       noise, rain and land: n pulses of many scatterers, averaged  (1)
//!   P = m G_ν G_n                   sea: K distribution                                          (2)
//!   P = m G_1, one per rotation     vessels: Swerling case 1                                     (3)
//!   (1) [Skolnik 2008, ch. 7]
//!   (2) [Ward 2013, ch. 4]
//!   (3) [Swerling 1960]
//! ```
//! # Symbols
//! m mean · G_k variate of the gamma distribution with the shape k and the mean 1.
//!
//! # Limits
//! Sea spikes are drawn independently for each cell and rotation: they neither persist nor move.
//!
//! # Checked by
//! The tests in this file; test/sensors/radar.rs

use merrow_math::rng::Draw;

/// Draws a variate of the gamma distribution with this shape and the mean 1, by rejection
/// [Marsaglia and Tsang 2000].
pub(crate) fn draw_gamma(shape: f64, draw: &mut Draw) -> f64 {
    if shape < 1.0 {
        // Variates of the shape k + 1, times u^(1/k), have the shape k; u is uniform.
        let u = draw.uniform().max(1e-300);
        return gamma_from_one(shape + 1.0, draw) * libm::pow(u, 1.0 / shape) / shape;
    }
    gamma_from_one(shape, draw) / shape
}

/// Returns the variate for a shape of at least 1, with the mean equal to the shape.
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

    // Mean 1, variance 1/k, within 5 standard errors of 40 000 variates.
    #[test]
    fn gamma_variates_have_expected_moments() {
        let n = 40_000;
        for shape in [0.2, 1.0, 3.5, 40.0] {
            let mut draw = Stream::new(3, "gamma").draw(0);
            let all: Vec<f64> = (0..n).map(|_| draw_gamma(shape, &mut draw)).collect();
            let mean = all.iter().sum::<f64>() / f64::from(n);
            let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
            let error = (1.0 / shape / f64::from(n)).sqrt();
            assert!((mean - 1.0).abs() < 5.0 * error, "{shape}: {mean}");
            // The fourth moment over the square of the second is 3 + 6/k.
            let error = (2.0 + 6.0 / shape).sqrt() / shape / f64::from(n).sqrt();
            assert!(
                (variance - 1.0 / shape).abs() < 5.0 * error,
                "{shape}: {variance}"
            );
        }
    }
}
