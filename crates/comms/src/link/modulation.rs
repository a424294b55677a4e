//! Bit error rate of modulation and coding schemes in Gaussian noise.
//!
//! # Law
//! ```text
//!   γ = (S/N) (B/R) G                                                        (1)
//!   BPSK, QPSK        P = Q(√(2γ))                                           (2)  [Proakis 2008, ch. 4]
//!   DBPSK             P = ½ e^(-γ)                                           (3)  [Proakis 2008, ch. 4]
//!   FSK, coherent     P = Q(√γ)                                              (4)  [Proakis 2008, ch. 4]
//!   FSK, incoherent   P = ½ e^(-γ/2)                                         (5)  [Proakis 2008, ch. 4]
//!   QAM, Gray code    P = 1/m Σ_k P_k,  m = ½ log₂ M,                        (6)  [Cho and Yoon 2002]
//!     P_k = 1/√M Σ_i (-1)^⌊i 2^(k-1)/√M⌋ (2^(k-1) - ⌊i 2^(k-1)/√M + ½⌋) 2 Q((2i+1) √(6 m γ/(M-1)))
//!   LoRa              P = ½ Q(√(2^(F+1) Γ) - √(1.386 F + 1.154)),  Γ = (S/N) G   (7)  [Elshabrawy and Robert 2018]
//!   OOK               P = Q(G P_s/P_n)                                       (8)  [Kahn and Barry 1997]
//! ```
//! # Symbols
//! P bit error rate · γ ratio of the energy per information bit to the noise density, with coding ·
//! S/N ratio of signal to noise and interference in the bandwidth B · R information rate · G coding
//! gain, linear · Q tail of the normal distribution · M number of points, k = 1 to m, i = 0 to
//! (1 - 2^-k) √M - 1 · F spreading factor · P_s mean optical power, P_n noise-equivalent optical
//! power.
//!
//! # Limits
//! - Noise and interference are Gaussian and white within the band.
//! - The coding gain is constant, whereas the gain of a real code decreases at high error rates. An
//!   error rate is at most ½.
//! - OFDM is QAM of its subcarriers: the guard interval is part of the rate, and interference
//!   between carriers is not modelled.
//! - (7) approximates the incoherent detection of chirps; the error in Γ is below 0.1 dB at error
//!   rates of 1e-2 to 1e-5.
//!
//! # Checked by
//! crates/comms/tests/link.rs

use merrow_math::decibels::power;
use merrow_model::scene::comms::scheme::{Modulation, Scheme};
use std::f64::consts::FRAC_1_SQRT_2;

/// Returns the tail of the normal distribution: the probability of a value above `x` [-].
pub fn normal_tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * FRAC_1_SQRT_2)
}

/// Computes the bit error rate [-] of `scheme` at the ratio `snr` [-] of signal to noise and
/// interference in the bandwidth `bandwidth` [Hz]. (1) to (8)
pub fn bit_error_rate(scheme: &Scheme, snr: f64, bandwidth: f64) -> f64 {
    let coding_gain = match scheme.coding_gain_db {
        0.0 => 1.0,
        gain => power(gain),
    };
    let snr = snr.max(0.0) * coding_gain;
    let per_bit = snr * bandwidth / scheme.rate_bit_s;
    let rate = match scheme.modulation {
        Modulation::Bpsk | Modulation::Qpsk => normal_tail((2.0 * per_bit).sqrt()),
        Modulation::Dbpsk => 0.5 * libm::exp(-per_bit),
        Modulation::Fsk { is_coherent: true } => normal_tail(per_bit.sqrt()),
        Modulation::Fsk { is_coherent: false } => 0.5 * libm::exp(-0.5 * per_bit),
        Modulation::Qam { order } => gray_qam(order, per_bit),
        Modulation::LoRa { spreading_factor } => {
            let factor = f64::from(spreading_factor);
            let chips = libm::exp2(factor + 1.0);
            0.5 * normal_tail((chips * snr).sqrt() - (1.386 * factor + 1.154).sqrt())
        }
        Modulation::Ook => normal_tail(snr),
    };
    rate.min(0.5)
}

/// Computes the bit error rate of square QAM with `order` points at the ratio γ. (6)
fn gray_qam(order: u16, per_bit: f64) -> f64 {
    let points = f64::from(order);
    // points per dimension and bits per dimension
    let side = points.sqrt().max(2.0);
    let bits = libm::log2(side);
    let distance = (6.0 * bits * per_bit / (points - 1.0)).sqrt();
    let mut sum = 0.0;
    for k in 1..=bits as i32 {
        let half = libm::exp2(f64::from(k - 1));
        let terms = ((1.0 - 0.5 / half) * side) as i32;
        for i in 0..terms {
            let position = f64::from(i) * half / side;
            let sign = if libm::floor(position) % 2.0 == 0.0 {
                1.0
            } else {
                -1.0
            };
            let weight = sign * (half - libm::floor(position + 0.5));
            sum += weight * 2.0 * normal_tail(f64::from(2 * i + 1) * distance);
        }
    }
    sum / (side * bits)
}
