//! First-order lag of slow parts of an instrument (for example the cells of a CTD).
//!
//! # Law
//! ```text
//!   τ ẏ + y = x                                                                   (1)
//!   y_k = x_k - τ s + (y_{k-1} - x_{k-1} + τ s) e^(-T/τ),  s = (x_k - x_{k-1})/T  (2)
//!   (2) exact for x linear between samples
//! ```
//! # Symbols
//! x input · y output · τ time constant · T time between two samples.
//!
//! # Limits
//! Changes of x between two samples are not resolved. A NaN input gives a NaN output. At the next
//! finite input the output starts again at that input.
//!
//! # Checked by
//! tests below; test/sensors/instruments/probe.rs

use merrow_model::state::SensorLag;

/// Computes the outputs at time `t` [s] of three lags with time constants `tau` [s] and inputs `x`.
/// The first sample returns `x`.
pub(crate) fn first_order_lag(
    memory: &mut Option<SensorLag>,
    t: f64,
    x: [f64; 3],
    tau: [f64; 3],
) -> [f64; 3] {
    let mut now = SensorLag {
        time: t,
        input: x,
        output: x,
    };
    if let Some(before) = memory {
        let T = t - before.time;
        for i in 0..3 {
            let (x0, y0) = (before.input[i], before.output[i]);
            if T <= 0.0 {
                now.output[i] = y0;
            } else if tau[i] > 0.0 && x[i].is_finite() && y0.is_finite() {
                let lag_behind = tau[i] * (x[i] - x0) / T;
                now.output[i] = x[i] - lag_behind + (y0 - x0 + lag_behind) * libm::exp(-T / tau[i]); // (2)
            }
        }
    }
    *memory = Some(now);
    now.output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_and_ramp_are_exact() {
        let tau = [0.7, 2.0, 0.0];
        let mut memory = None;
        assert_eq!(
            first_order_lag(&mut memory, 0.0, [1.0, 5.0, 3.0], tau),
            [1.0, 5.0, 3.0]
        );
        let mut output = [0.0; 3];
        let mut t = 0.0;
        // ramp with uneven sample times
        for dt in [0.1, 0.4, 0.05, 1.3] {
            t += dt;
            output = first_order_lag(&mut memory, t, [1.0 + 2.0 * t, 5.0 - t, 3.0 + t], tau);
        }
        let ramp = |from: f64, slope: f64, tau: f64| {
            from + slope * (t - tau * (1.0 - libm::exp(-t / tau)))
        };
        assert!(
            (output[0] - ramp(1.0, 2.0, 0.7)).abs() < 1e-12,
            "{output:?}"
        );
        assert!((output[1] - ramp(5.0, -1.0, 2.0)).abs() < 1e-12);
        assert_eq!(output[2], 3.0 + t);
    }

    #[test]
    fn lag_restarts_after_missing_input() {
        let tau = [1.0; 3];
        let mut memory = None;
        first_order_lag(&mut memory, 0.0, [1.0; 3], tau);
        assert!(first_order_lag(&mut memory, 1.0, [f64::NAN, 2.0, 2.0], tau)[0].is_nan());
        assert_eq!(
            first_order_lag(&mut memory, 2.0, [7.0, 2.0, 2.0], tau)[0],
            7.0
        );
    }
}
