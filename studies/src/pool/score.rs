//! Scores the difference between a replay and the measurement.
//!
//! # Law
//! ```text
//!   rmse(δ) = √( mean_k (y(t_k + δ) - m_k)² )                        (1)
//!   lag     = argmin_δ rmse(δ),           -3 s <= δ <= 3 s           (2)
//!   lag     = argmin_δ min_b √( mean_k (y(t_k + δ) - m_k - b)² )     (3)
//! ```
//! The lag is positive if the simulation is later than the measurement. It is searched in steps of
//! 0.01 s over the samples whose shifted time the simulation covers. (2) is the lag of one angle.
//! (3), with one b per angle and one δ for both, is the lag of a trial. In a manoeuvre in one
//! direction, (2) confuses a constant offset with a shift.
//!
//! # Symbols
//! m measured angle at t_k · y simulated angle · δ shift [s].
//!
//! # Frames
//! Roll and pitch of the vehicle, ZYX.
//!
//! # Limits
//! If the angle hardly changes in a trial, (1) is flat and its lag is not meaningful.
//!
//! # Checked by
//! The unit tests below

/// Maximum shift of the search [s].
pub(crate) const LAG_MAX: f64 = 3.0;

/// Step of the search [s].
pub(crate) const LAG_STEP: f64 = 0.01;

/// A curve sampled at equal intervals.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Time of the first value [s].
    pub start: f64,
    /// Interval between the samples [s].
    pub step: f64,
    /// Values of the curve.
    pub values: Vec<f64>,
}

impl Curve {
    /// Returns the value at `t` [s] by linear interpolation, or `None` outside the curve.
    pub fn value_at(&self, t: f64) -> Option<f64> {
        let x = (t - self.start) / self.step;
        let last = self.values.len().checked_sub(1)? as f64;
        if !(-1e-6..=last + 1e-6).contains(&x) {
            return None;
        }
        let x = x.clamp(0.0, last);
        let k = (x as usize).min(self.values.len().saturating_sub(2));
        let next = *self.values.get(k + 1)?;
        Some(self.values[k] + (x - k as f64) * (next - self.values[k]))
    }

    /// Returns the curve with all values multiplied by `factor` [-].
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            values: self.values.iter().map(|v| v * factor).collect(),
            ..*self
        }
    }

    /// Returns the curve with `offset`, in the unit of the curve, added to all values.
    #[must_use]
    pub fn shifted(&self, offset: f64) -> Self {
        Self {
            values: self.values.iter().map(|v| v + offset).collect(),
            ..*self
        }
    }

    /// Returns times [s] and values.
    pub fn points(&self) -> Vec<[f64; 2]> {
        self.values
            .iter()
            .enumerate()
            .map(|(k, v)| [self.start + k as f64 * self.step, *v])
            .collect()
    }

    /// Returns the mean of the curve minus the measurement, in the unit of the curve, over the
    /// measured samples (time [s], value) that the curve covers.
    pub fn offset(&self, measured: &[(f64, f64)]) -> f64 {
        let (n, sum, _) = moments(self, measured, 0.0);
        sum / n
    }
}

/// Score of one angle in one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Root mean square error without shift, in the unit of the curve.
    pub rmse: f64,
    /// Lag of the best correlation [s].
    pub lag: f64,
    /// Root mean square error at the best lag, in the unit of the curve.
    pub(crate) rmse_at_lag: f64,
}

/// Returns the number of samples, the sum and the sum of squares of the error at one shift [s].
fn moments(curve: &Curve, measured: &[(f64, f64)], shift: f64) -> (f64, f64, f64) {
    let mut sum = (0.0, 0.0, 0.0);
    for (t, m) in measured {
        if let Some(y) = curve.value_at(t + shift) {
            sum.0 += 1.0;
            sum.1 += y - m;
            sum.2 += (y - m) * (y - m);
        }
    }
    sum
}

/// Returns the mean square error at one shift [s], without the mean error if `free`; infinite
/// without overlap.
fn mean_square(curve: &Curve, measured: &[(f64, f64)], shift: f64, free: bool) -> f64 {
    let (n, sum, square) = moments(curve, measured, shift);
    if n == 0.0 {
        return f64::INFINITY;
    }
    let mean = if free { sum / n } else { 0.0 };
    let spread = square / n - mean * mean;
    // rounding may make it negative; NaN must stay NaN
    if spread < 0.0 { 0.0 } else { spread }
}

/// Computes (1) at one shift [s].
pub fn rmse(curve: &Curve, measured: &[(f64, f64)], shift: f64) -> f64 {
    mean_square(curve, measured, shift, false).sqrt()
}

/// Returns the shift [s] of minimum `cost` and that cost; 0 s if no cost is finite.
fn search(cost: impl Fn(f64) -> f64) -> (f64, f64) {
    let n = libm::round(LAG_MAX / LAG_STEP) as i32;
    let at = |k: i32| (f64::from(k) * LAG_STEP, cost(f64::from(k) * LAG_STEP));
    (-n..=n).map(at).fold((0.0, f64::INFINITY), |best, next| {
        if next.1 < best.1 { next } else { best }
    })
}

/// Computes (1) and (2) of one angle; `measured` contains pairs of time [s] and angle, in the unit
/// of the curve.
pub fn score(curve: &Curve, measured: &[(f64, f64)]) -> Score {
    let (lag, square) = search(|shift| mean_square(curve, measured, shift, false));
    Score {
        rmse: rmse(curve, measured, 0.0),
        lag,
        rmse_at_lag: square.sqrt(),
    }
}

/// Computes (3) for several angles with a common shift, and the error there. Without `free`, b is
/// zero as in (2).
pub(crate) fn best_lag(pairs: &[(&Curve, &[(f64, f64)])], free: bool) -> (f64, f64) {
    let cost = |shift: f64| {
        pairs
            .iter()
            .map(|(c, m)| mean_square(c, m, shift, free))
            .sum::<f64>()
    };
    let (lag, square) = search(cost);
    (lag, (square / pairs.len() as f64).sqrt())
}

/// Returns the common factor on all curves that best fits the measurements, after subtracting the
/// means of curves and measurements.
pub(crate) fn best_gain(pairs: &[(&Curve, &[(f64, f64)])]) -> f64 {
    let mut sum = (0.0, 0.0);
    for (curve, measured) in pairs {
        let both: Vec<[f64; 2]> = measured
            .iter()
            .filter_map(|(t, m)| Some([curve.value_at(*t)?, *m]))
            .collect();
        let n = both.len().max(1) as f64;
        let mean = |k: usize| both.iter().map(|b| b[k]).sum::<f64>() / n;
        let (y, m) = (mean(0), mean(1));
        for b in &both {
            sum.0 += (b[0] - y) * (b[1] - m);
            sum.1 += (b[0] - y) * (b[0] - y);
        }
    }
    sum.0 / sum.1
}

/// Returns the mean and the sample standard deviation.
pub(crate) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (
        mean,
        if values.len() > 1 {
            (square / (n - 1.0)).sqrt()
        } else {
            0.0
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_simulation_has_a_positive_lag() {
        let f = |t: f64| libm::sin(0.7 * t) + 0.3 * libm::sin(1.9 * t);
        let late = Curve {
            start: 0.0,
            step: 0.01,
            values: (0..3000).map(|k| f(k as f64 * 0.01 - 0.8)).collect(),
        };
        let measured: Vec<(f64, f64)> = (10..400)
            .map(|k| k as f64 * 0.05)
            .map(|t| (t, f(t)))
            .collect();
        let delayed: Vec<(f64, f64)> = measured.iter().map(|(t, _)| (*t, f(t - 0.8))).collect();
        let s = score(&late, &measured);
        assert!((s.lag - 0.8).abs() < 1e-9, "{s:?}");
        assert!(s.rmse_at_lag < 1e-4 && s.rmse > 0.3, "{s:?}");
        assert!((best_gain(&[(&late.scaled(2.5).shifted(1.0), &delayed)]) - 0.4).abs() < 1e-3);
        // a constant offset changes (2), but not (3)
        let higher = late.shifted(0.4);
        let (lag, rest) = best_lag(&[(&higher, &measured)], true);
        assert!((lag - 0.8).abs() < 1e-9 && rest < 1e-4, "{lag} {rest}");
    }

    #[test]
    fn a_constant_offset_is_the_error() {
        let curve = Curve {
            start: 0.0,
            step: 0.5,
            values: vec![2.0; 20],
        };
        let measured: Vec<(f64, f64)> = (0..10).map(|k| (k as f64, 1.5)).collect();
        assert!((rmse(&curve, &measured, 0.0) - 0.5).abs() < 1e-15);
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
    }
}
