//! Where the beams of an echo sounder find the bottom, and that of a profiler what stands there.
//!
//! # Law
//! ```text
//!   r = Σ P_k r_k / Σ P_k      over the ranges about the strongest whose power is above a tenth of it        (1)  [Lurton 2010, ch. 8]
//! ```
//! The bottom counts as found if the strongest is above the noise by the threshold.
//!
//! # Symbols
//! P power of a range, evened out over three.
//!
//! # Frames
//! Along each beam.
//!
//! # Limits
//! By amplitude alone: beams far from upright find the middle of what they light, not the zero of the phase between two parts of the array.
//!
//! # Checked by
//! test/analytic/sonar.rs

use super::super::sample::Spoiling;
use super::decibels::level;
use super::echoes::Picture;
use super::receive;
use crate::scene::sonar::SonarSpec;
use crate::state::ping::Sounding;

/// Power over the strongest that still counts.
const LEAST: f64 = 0.1;

/// What each beam has found. (1)
pub fn find(picture: &Picture, spec: &SonarSpec, wind: f64, by: &Spoiling) -> Vec<Sounding> {
    let floor = receive::floor(spec, wind);
    let mut draw = by.stream.draw((by.sample + 1).wrapping_mul(1 << 20).wrapping_sub(1));
    let one = |beam: usize| {
        // gathered once: the bins of a beam lie far apart
        let own: Vec<f64> =
            picture.power.iter().skip(beam).step_by(picture.beams).map(|x| f64::from(*x)).collect();
        let power = |k: usize| own[k];
        let even = |k: usize| {
            let (a, b) = (k.saturating_sub(1), (k + 1).min(spec.bins - 1));
            0.25 * power(a) + 0.5 * power(k) + 0.25 * power(b)
        };
        let mut best = (0, 0.0);
        for k in 0..spec.bins {
            let p = even(k);
            if p > best.1 {
                best = (k, p);
            }
        }
        if best.1 < floor {
            return Sounding { range: f64::INFINITY, level: f64::NEG_INFINITY };
        }
        let (mut first, mut last) = (best.0, best.0);
        while first > 0 && even(first - 1) > LEAST * best.1 {
            first -= 1;
        }
        while last + 1 < spec.bins && even(last + 1) > LEAST * best.1 {
            last += 1;
        }
        let (mut sum, mut moment) = (0.0, 0.0);
        for k in first..=last {
            let p = power(k);
            (sum, moment) = (sum + p, moment + p * spec.range(k));
        }
        let mut range = moment / sum + by.fault.offset;
        if by.fault.noise > 0.0 {
            range += by.fault.noise * draw.normal();
        }
        Sounding { range, level: level(best.1) }
    };
    (0..picture.beams).map(one).collect()
}
