//! Noise of the thrusters of a robot at its own acoustic receiver, as a function of their shaft
//! speeds.
//!
//! # Law
//! ```text
//!   10 log N = L_0 + a log(n/n_0) - b log(f/f_0)                             (1)  [Ross 1976, ch. 8]
//! ```
//! Ross gives a = 60 for the noise of propellers over the tip speed and b = 20 above the peak of
//! the spectrum. The contributions of all thrusters are added as powers.
//!
//! # Symbols
//! N spectral power at the receiver [µPa²/Hz] · L_0 level at the shaft speed n_0 and the frequency
//! f_0 · n shaft speed · f frequency.
//!
//! # Limits
//! - The coefficients are estimated for each device; the law does not distinguish tones of motor
//!   and controller from broadband noise.
//! - The position of a thruster relative to the receiver is part of L_0.
//! - Noise of other robots is not modelled.
//!
//! # Checked by
//! test/sensors/acoustic/transducers.rs; crates/comms/tests/acoustic.rs

use merrow_math::decibels::power;
use merrow_model::scene::comms::medium::ThrusterNoise;
use merrow_model::scene::robot::thruster::Curve;

/// Computes the spectral power [µPa²/Hz] at the frequency `frequency` [Hz] of thrusters with the
/// `speeds` [rad/s]. (1)
pub fn spectral_power(noise: &ThrusterNoise, speeds: &[f64], frequency: f64) -> f64 {
    let exponent = 0.1 * noise.speed_slope_db;
    let sum: f64 = speeds
        .iter()
        .map(|n| n.abs() / noise.speed_rad_s)
        .filter(|ratio| *ratio > 0.0 && ratio.is_finite())
        .map(|ratio| libm::pow(ratio, exponent))
        .sum();
    if sum == 0.0 {
        return 0.0;
    }
    let decades = libm::log10(frequency / (1e3 * noise.frequency_khz));
    sum * power(noise.level_db - noise.frequency_slope_db * decades)
}

/// Returns the shaft speed [rad/s] for (1) of a thruster with this `curve`. `shaft` [rad/s] is the
/// speed of the drive at the end of the last step (NaN: unknown), `thrust` [N] the thrust.
///
/// A thruster whose curve has no shaft speed is assumed to turn at `max_speed` [rad/s] at the
/// thrust `max_thrust` [N], with a thrust proportional to the square of the speed. A rotor in air
/// causes no noise under water.
pub fn shaft_speed(
    curve: &Curve,
    shaft: f64,
    thrust: f64,
    [max_speed, max_thrust]: [f64; 2],
) -> f64 {
    match curve {
        Curve::Rotor(_) => 0.0,
        Curve::Quadratic { .. } | Curve::OpenWater(_) if shaft.is_finite() => shaft.abs(),
        Curve::Quadratic {
            ahead_n_s2_per_rad2: ahead,
            astern_n_s2_per_rad2: astern,
            ..
        } => (thrust / if thrust < 0.0 { astern } else { ahead })
            .abs()
            .sqrt(),
        Curve::Direct | Curve::Polynomial { .. } | Curve::Table { .. } | Curve::OpenWater(_) => {
            max_speed * (thrust.abs() / max_thrust.max(f64::MIN_POSITIVE)).sqrt()
        }
    }
}
