//! Acoustic channel: travel time, loss, directivity and Doppler shift between moving modems.
//!
//! # Law
//! ```text
//!   S = S_0 p G_t G_r e^(-α l ln(10)/10)/A                                      (1)  [Urick 1983, ch. 2]
//!   |p_r + v_r τ - p_s|² = l² = (c τ)²                                          (2)
//!   τ = (b + √(b² + a d²))/a,  a = c² - v_r², b = d·v_r, d = p_r - p_s          (3)  from (2)
//!   δ = (1 - n·v_r/c)/(1 - n·v_s/c) - 1                                         (4)
//!   N = (N_a + N_0 + N_th) B                                                    (5)
//! ```
//! (4) is computed by `crates/environment/src/sound/doppler.rs`.
//! `crates/sensors/src/acoustic/path.rs` computes A, α and the travel time along refracted rays. It
//! also solves (2) in water that is not homogeneous.
//!
//! # Symbols
//! S received power [µPa²] · S_0 squared pressure at 1 m at maximum power, p fraction of the
//! maximum power · G_t, G_r gains of the two transducers · A spreading, α absorption, l length of
//! the path · p_s, v_s position and velocity of the source at the transmission, p_r, v_r of the
//! receiver, τ travel time, n direction of the ray · c speed of sound · δ relative frequency shift
//! · N noise [µPa²], N_a ambient noise of the sea (`crates/environment/src/sound/noise.rs`), N_0
//! self-noise, N_th noise of the own thrusters (`thruster_noise.rs`), B bandwidth.
//!
//! # Frames
//! World (ENU); directivity in the frame M of each modem.
//!
//! # Limits
//! - Both ends keep the velocity and the attitude that they have at the start of the step.
//! - Absorption, directivity and noise are evaluated at the centre of the band.
//! - With spreading other than spherical, or with reflections (`multipath.rs`), straight rays have
//!   the length and the mean absorption of the direct path.
//! - The water is at rest: a current changes neither travel time nor frequency.
//!
//! # Checked by
//! crates/comms/tests/acoustic.rs; test/sensors/acoustic.rs

use crate::channel::{Arrival, End, Ends};
use merrow_environment::sound::doppler::frequency_ratio;
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_sensors::acoustic::directivity::gain_level;
use merrow_sensors::acoustic::path::{AcousticMedium, AcousticPath, PathWater};

/// Computes the travel time [s] of waves with the reciprocal speed `slowness` [s/m] over the vector
/// `d` [m] from the source to a receiver of velocity `v` [m/s]; infinite if the receiver moves away
/// faster than the waves. (3)
pub fn moving_travel_time(d: Vec3, v: Vec3, slowness: f64) -> f64 {
    // scaled by the squared slowness
    let a = 1.0 - v.dot(v) * slowness * slowness;
    let b = d.dot(v) * slowness * slowness;
    if a <= 0.0 {
        return f64::INFINITY;
    }
    (b + (b * b + a * d.dot(d) * slowness * slowness).sqrt()) / a
}

/// Computes the path from `source` to `receiver` at the frequency `frequency` [Hz], with both ends
/// moving. Returns `None` in a shadow zone. (2), (3)
#[inline]
pub(crate) fn moving_path(
    medium: &AcousticMedium<'_>,
    source: &End,
    receiver: &End,
    frequency: f64,
) -> Option<AcousticPath> {
    if receiver.v == Vec3::zero() {
        return medium.find_path(source.p, receiver.p, frequency);
    }
    let receiver_after = |time: f64| receiver.p + receiver.v.scale(time);
    if let (PathWater::Homogeneous { slowness, .. }, false) = (medium.water, medium.refracts) {
        let time = moving_travel_time(receiver.p - source.p, receiver.v, *slowness);
        if !time.is_finite() {
            return None;
        }
        return medium.find_path(source.p, receiver_after(time), frequency);
    }
    medium.find_arrival(source.p, receiver_after, frequency)
}

/// Computes the arrival along the direct path `path`, at the speeds of sound `speeds` [m/s] of
/// source and receiver. (1), (4)
#[inline]
pub(crate) fn direct_arrival(path: &AcousticPath, ends: Ends<'_>, speeds: [f64; 2]) -> Arrival {
    let isotropic = path.gain();
    let [source, receiver] = ends.map(|(end, _)| end);
    let is_static = source.v == Vec3::zero() && receiver.v == Vec3::zero();
    let ratio = if is_static {
        1.0
    } else {
        frequency_ratio(
            (source.v, path.to, speeds[0]),
            (receiver.v, -path.from, speeds[1]),
        )
    };
    Arrival {
        time: path.time,
        gain: isotropic * both_gains(ends, path.to, path.from),
        late: 0.0,
        isotropic,
        doppler: ratio - 1.0,
    }
}

/// Returns the product of the gains [-] of both ends for a path that departs along `to` and arrives
/// from `from` (unit vectors in W).
#[inline]
pub(crate) fn both_gains(ends: Ends<'_>, to: Vec3, from: Vec3) -> f64 {
    let level = both_gain_levels(ends, to, from);
    // the most frequent case needs no exponential
    if level == 0.0 { 1.0 } else { power(level) }
}

/// Returns the sum of the gains [dB] of both ends for a path that departs along `to` and arrives
/// from `from` (unit vectors in W).
#[inline]
pub(crate) fn both_gain_levels(ends: Ends<'_>, to: Vec3, from: Vec3) -> f64 {
    let [(source, sender), (receiver, listener)] = ends;
    gain_level(&sender.transmit_pattern, &source.R_WM, to)
        + gain_level(&listener.receive_pattern, &receiver.R_WM, from)
}
