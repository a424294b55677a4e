//! Evaluates the baseline trials, ascents with the arm at rest: attitude at rest and ascent speed.
//! Only these trials were used to tune the model.

use crate::pool::recording::Recording;

/// The attitude is averaged up to this distance below the highest point [m].
const BELOW_TOP: f64 = 0.1;

/// The speed is fitted from this distance above the start to this distance below the highest point
/// [m].
const STEADY: f64 = 0.2;

/// Measured values of one ascent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// Mean roll and pitch [deg].
    pub angles: [f64; 2],
    /// Mean ascent speed, positive up [m/s].
    pub speed: f64,
}

/// Returns roll, pitch and speed of an ascent with recorded height, or `None` if too little of it
/// was steady.
pub fn measured_ascent(recording: &Recording) -> Option<Ascent> {
    let height = &recording.height;
    let top = height
        .iter()
        .map(|(_, z)| *z)
        .fold(f64::NEG_INFINITY, f64::max);
    let bottom = height.first()?.1;
    // the vehicle rises: use the samples up to the last time at which it was that deep
    let end = height.iter().rev().find(|(_, z)| *z < top - BELOW_TOP)?.0;
    let mut sum = [0.0; 3];
    for sample in recording.attitude.iter().take_while(|s| s.t <= end) {
        let [roll, pitch, _] = sample.q_WB.matrix().to_rpy();
        sum = [
            sum[0] + roll.to_degrees(),
            sum[1] + pitch.to_degrees(),
            sum[2] + 1.0,
        ];
    }
    let steady = height
        .iter()
        .filter(|(_, z)| *z > bottom + STEADY && *z < top - STEADY);
    let speed = slope(&steady.copied().collect::<Vec<_>>())?;
    (sum[2] > 0.0).then(|| Ascent {
        angles: [sum[0] / sum[2], sum[1] / sum[2]],
        speed,
    })
}

/// Returns the mean of several ascents, or `None` without any.
pub fn mean_ascent(ascents: &[Ascent]) -> Option<Ascent> {
    let n = ascents.len() as f64;
    let mean = |f: &dyn Fn(&Ascent) -> f64| ascents.iter().map(f).sum::<f64>() / n;
    let angles = [mean(&|a| a.angles[0]), mean(&|a| a.angles[1])];
    (!ascents.is_empty()).then(|| Ascent {
        angles,
        speed: mean(&|a| a.speed),
    })
}

/// Returns the slope of the least-squares line, or `None` with fewer than two distinct times.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |(xy, xx), p| {
        (xy + (p.0 - x) * (p.1 - y), xx + (p.0 - x) * (p.0 - x))
    });
    (xx > 0.0).then(|| xy / xx)
}
