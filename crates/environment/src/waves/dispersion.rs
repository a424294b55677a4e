//! Dispersion relation: wave number of a wave of given frequency in water of given depth.
//!
//! # Law
//! ```text
//!   ω² = g k tanh(k h)  (1)  [Airy 1845; Fossen 2021, eq. 10.74]
//! ```
//! solved by Newton's method to a residual of 1e-12. The initial guess is correct in the limits of
//! deep and of shallow water.
//!
//! # Symbols
//! ω angular frequency [rad/s] · k wave number [rad/m] · h depth of the water at rest [m] · g
//! gravity [m/s²].
//!
//! # Limits
//! Small waves over a level seabed, in water at rest: a current neither convects nor refracts them.
//!
//! # Checked by
//! tests below; V60

/// Returns the wave number [rad/m] of a wave of angular frequency `omega` [rad/s] in water of
/// `depth` [m], with `gravity` [m/s²]. (1)
pub fn wave_number(omega: f64, depth: f64, gravity: f64) -> f64 {
    // in units of the depth: x tanh x = y
    let y = omega * omega * depth / gravity;
    if y > 40.0 {
        return y / depth;
    }
    // x lies between sqrt(y) (shallow water) and y (deep water)
    let mut x = if y < 1.0 {
        y.sqrt() * (1.0 + y / 6.0)
    } else {
        y * (1.0 + 2.0 * libm::exp(-2.0 * y))
    };
    for _ in 0..20 {
        let t = libm::tanh(x);
        let error = x * t - y;
        if error.abs() <= 1e-15 * y {
            break;
        }
        x -= error / (t + x * (1.0 - t * t));
    }
    x / depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispersion_residual_is_rounding_error() {
        for k in 0..400 {
            let depth = libm::pow(10.0, -2.0 + f64::from(k % 20) * 0.35);
            let omega = 0.05 * libm::pow(1.3, f64::from(k / 20));
            let k = wave_number(omega, depth, 9.81);
            let residual = 9.81 * k * libm::tanh(k * depth) / (omega * omega) - 1.0;
            assert!(
                residual.abs() < 1e-12,
                "omega {omega}, depth {depth}: {residual:e}"
            );
        }
    }
}
