//! Bottom detection: the range of the seabed in each beam of an echo sounder, and of obstacles for
//! a profiler.
//!
//! # Law
//! ```text
//!   r = Σ P_k r_k / Σ P_k      over the ranges around the strongest whose power exceeds a tenth of it  (1)
//!   (1) [Lurton 2010, ch. 8]
//! ```
//! The seabed is detected if the strongest power exceeds the noise by the threshold.
//!
//! # Symbols
//! P power of a range bin, smoothed over three bins.
//!
//! # Frames
//! Along each beam.
//!
//! # Limits
//! Detection is by amplitude only. Oblique beams report the centroid of the insonified area, not
//! the zero of the phase difference between two halves of the array.
//!
//! # Checked by
//! test/sensors/sonar.rs

use crate::sample::SampleErrors;
use crate::sonar::decibels::level;
use crate::sonar::echoes::EchoPowers;
use crate::sonar::receive;
use merrow_model::sensor::sonar::{SonarSpec, Sounding};

/// Minimum power of an included bin, over the strongest.
const MIN_RELATIVE_POWER: f64 = 0.1;

/// Detects the sounding of each beam. A beam without a detection has the range +inf. (1)
pub(crate) fn detect_soundings(
    echo_powers: &EchoPowers,
    spec: &SonarSpec,
    wind: f64,
    errors: &SampleErrors,
) -> Vec<Sounding> {
    let floor = receive::detection_threshold(spec, wind);
    let mut draw = errors.draw(u64::MAX);
    let mut detect = |powers: &[f32]| {
        let power = |k: usize| f64::from(powers[k + 1]);
        let smoothed_at = |k: usize| smoothed(&powers[k..k + 3]);
        let mut best = (0, 0.0);
        for (k, p) in powers.windows(3).map(smoothed).enumerate() {
            if p > best.1 {
                best = (k, p);
            }
        }
        if best.1 < floor {
            return Sounding {
                range: f64::INFINITY,
                level: f64::NEG_INFINITY,
            };
        }
        let (mut first, mut last) = (best.0, best.0);
        while first > 0 && smoothed_at(first - 1) > MIN_RELATIVE_POWER * best.1 {
            first -= 1;
        }
        while last + 1 < spec.bins() && smoothed_at(last + 1) > MIN_RELATIVE_POWER * best.1 {
            last += 1;
        }
        let (mut sum, mut moment) = (0.0, 0.0);
        for k in first..=last {
            let p = power(k);
            (sum, moment) = (sum + p, moment + p * spec.range(k));
        }
        let mut range = moment / sum + errors.fault.offset;
        if errors.fault.noise > 0.0 {
            range += errors.fault.noise * draw.normal();
        }
        Sounding {
            range,
            level: level(best.1),
        }
    };
    by_beam(echo_powers, spec.bins())
        .chunks_exact(spec.bins() + 2)
        .map(&mut detect)
        .collect()
}

/// Returns the power of a bin smoothed with its neighbours.
#[inline(always)]
fn smoothed(three: &[f32]) -> f64 {
    0.25 * f64::from(three[0]) + 0.5 * f64::from(three[1]) + 0.25 * f64::from(three[2])
}

/// Returns the powers sorted by beam, with the first and the last bin of each duplicated. A few
/// beams are copied at a time, as many as one cache line holds.
fn by_beam(echo_powers: &EchoPowers, bins: usize) -> Vec<f32> {
    const BEAMS_PER_PASS: usize = 16;
    let (beams, n) = (echo_powers.beams, bins + 2);
    let mut out = vec![0.0; beams * n];
    for first in (0..beams).step_by(BEAMS_PER_PASS) {
        let last = (first + BEAMS_PER_PASS).min(beams);
        for (k, row) in echo_powers.power.chunks_exact(beams).enumerate() {
            for (beam, power) in (first..last).zip(&row[first..last]) {
                out[beam * n + k + 1] = *power;
            }
        }
    }
    for powers in out.chunks_exact_mut(n) {
        (powers[0], powers[n - 1]) = (powers[1], powers[n - 2]);
    }
    out
}
