//! Receiver of a sonar: noise, speckle, time-varying gain and quantisation of the mean echo powers.
//!
//! # Law
//! ```text
//!   P = (P_echo + N) E,   E = |z_1 + ... + z_n|²/n  (1)  fully developed speckle [Goodman 1975]
//!   L = 10 log P + g log r + 2 α_g r                (2)
//!   number = (2^bits - 1) (L - L_0)/(L_1 - L_0)     (3)
//! ```
//! The z are complex normal variates of power 1, a new variate for each range bin; n bins lie
//! within half a pulse length. The amplitude therefore has a Rayleigh distribution and the power an
//! exponential one. Bins closer than half a pulse length are correlated. For n = 1 the power is
//! drawn directly.
//!
//! # Symbols
//! P power [µPa²] · N noise · L level after the gain [dB], from L_0 to L_1 · g gain per decade [dB]
//! · α_g absorption that the gain compensates [dB/m].
//!
//! # Limits
//! Speckle of neighbouring beams is independent, even where the beams overlap. Single strong
//! targets have the same speckle as all other echoes.
//!
//! # Checked by
//! test/sensors/sonar.rs

use crate::sample::SampleErrors;
use crate::sonar::decibels::{fast_level, power};
use crate::sonar::echoes::EchoPowers;
use crate::sonar::medium::Medium;
use crate::sonar::noise;
use merrow_math::rng::Draw;
use merrow_model::sensor::sonar::SonarSpec;

/// Adds noise and speckle. (1)
pub(crate) fn add_noise_and_speckle(
    echo_powers: &mut EchoPowers,
    spec: &SonarSpec,
    wind: f64,
    errors: &SampleErrors,
) {
    let noise = noise::beam_noise(spec, wind) as f32;
    echo_powers.power.iter_mut().for_each(|p| *p += noise);
    if !(spec.sonar.speckle && errors.noise) {
        return;
    }
    let correlated_bins = ((echo_powers.cell / spec.bin()).round() as usize).max(1);
    // Each range has its own random stream, independent of the ranges before it.
    let rows = echo_powers
        .power
        .chunks_exact_mut(echo_powers.beams)
        .enumerate();
    if correlated_bins == 1 {
        // The power of one complex normal variate is exponential.
        for (k, row) in rows {
            let mut draw = errors.draw(k as u64);
            row.iter_mut().for_each(|p| *p *= draw.exponential() as f32);
        }
        return;
    }
    let mut filter = SpeckleFilter::new(echo_powers.beams, correlated_bins);
    for (k, row) in rows {
        let mut draw = errors.draw(k as u64);
        if k == 0 {
            (1..correlated_bins).for_each(|_| filter.step(&mut draw));
        }
        filter.step(&mut draw);
        row.iter_mut()
            .enumerate()
            .for_each(|(b, p)| *p *= filter.factor(b));
    }
}

/// Moving sum of the last complex variates of each beam.
struct SpeckleFilter {
    /// Ring buffer of the terms of the sum, and the index of the next term.
    ring: Vec<[f32; 2]>,
    next: usize,
    sums: Vec<[f32; 2]>,
    /// Number of terms of the sum.
    correlated_bins: usize,
}

impl SpeckleFilter {
    fn new(beams: usize, correlated_bins: usize) -> Self {
        Self {
            ring: vec![[0.0; 2]; beams * correlated_bins],
            next: 0,
            sums: vec![[0.0; 2]; beams],
            correlated_bins,
        }
    }

    fn step(&mut self, draw: &mut Draw) {
        let beams = self.sums.len();
        let ring = &mut self.ring[self.next * beams..][..beams];
        for (old, sum) in ring.iter_mut().zip(&mut self.sums) {
            let z = [draw.normal() as f32, draw.normal() as f32];
            *sum = [0, 1].map(|i| sum[i] - old[i] + z[i]);
            *old = z;
        }
        self.next = (self.next + 1) % self.correlated_bins;
    }

    fn factor(&self, beam: usize) -> f32 {
        let [x, y] = self.sums[beam];
        0.5 * (x * x + y * y) / self.correlated_bins as f32
    }
}

/// Returns the quantised levels of all range bins and beams. (2), (3)
pub fn quantise(echo_powers: &EchoPowers, spec: &SonarSpec, medium: &Medium) -> Vec<u16> {
    let spreading = spec.sonar.gain_per_decade_db;
    let loss = spec.sonar.absorption_gain_db_per_m;
    let loss = loss.unwrap_or(medium.at_sonar[1]);
    let max_number = ((1_u32 << spec.sonar.bits) - 1) as f32;
    let [low, high] = spec.sonar.levels_db.map(|x| x as f32);
    let scale = max_number / (high - low);
    // Adding 2^23 rounds to an integer, which is left in the lowest bits.
    const ROUND: f32 = 8_388_608.0;
    let mut out = vec![0; echo_powers.power.len()];
    let rows = echo_powers
        .power
        .chunks_exact(echo_powers.beams)
        .zip(out.chunks_exact_mut(echo_powers.beams));
    for (k, (row, out)) in rows.enumerate() {
        let r = spec.range(k);
        let gain = (spreading * libm::log10(r) + 2.0 * loss * r) as f32 - low;
        for (p, out) in row.iter().zip(out) {
            let level = fast_level(p.max(f32::MIN_POSITIVE)) + gain;
            *out = ((level * scale).max(0.0).min(max_number) + ROUND).to_bits() as u16;
        }
    }
    out
}

/// Returns the level that a number represents, including the time-varying gain [dB].
pub fn sample_level(spec: &SonarSpec, number: u16) -> f64 {
    let max_number = f64::from((1_u32 << spec.sonar.bits) - 1);
    spec.sonar.levels_db[0]
        + f64::from(number) / max_number * (spec.sonar.levels_db[1] - spec.sonar.levels_db[0])
}

/// Returns the detection threshold of an echo [µPa²].
pub(crate) fn detection_threshold(spec: &SonarSpec, wind: f64) -> f64 {
    noise::beam_noise(spec, wind) * power(spec.threshold_db)
}
