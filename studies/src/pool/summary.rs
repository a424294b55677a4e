//! Summarizes all trials: means, limits and a JSON report.

use crate::pool::joints::JointMotion;
use crate::pool::model::Model;
use crate::pool::recording::{JOINTS, JointSample};
use crate::pool::replay::{ArmMotion, Plan, replay};
use crate::pool::score::mean_and_deviation;
use crate::pool::trial::{Mode, Outcome};
use merrow_math::Quat;
use serde_json::{Value, json};

/// [Kolano 2022, table II]: mean and standard deviation of the roll and pitch errors over its 50
/// trials [deg].
pub const PAPER: [[f64; 2]; 2] = [[1.27, 0.69], [1.73, 0.82]];

/// Limits of `--check` for the mean errors in roll and pitch [deg] and for the mean absolute lag
/// [s], with the measured joint angles.
pub(crate) const LIMITS: [f64; 3] = [0.85, 0.90, 0.2];

/// Limit of the mean absolute lag [s] in the servo mode. The time from the command to the motion of
/// the real arm varies between trials. It changes the lag of single trials by -0.32 to 0.29 s and
/// the mean lag by less than 0.01 s, so that the mean of the absolute values is greater.
pub(crate) const SERVO_LAG_LIMIT: f64 = 0.25;

/// Returns the limits of `--check` in `mode`, in the order of [`LIMITS`]: mean errors in roll and
/// pitch [deg] and mean absolute lag [s].
pub fn limits(mode: Mode) -> [f64; 3] {
    let [roll, pitch, lag] = LIMITS;
    match mode {
        Mode::Measured => [roll, pitch, lag],
        Mode::Servo => [roll, pitch, SERVO_LAG_LIMIT],
    }
}

/// Attitude at the home position in the paper and its spread over the trials: roll, pitch [deg].
pub(crate) const REST_ANGLES: [[f64; 2]; 2] = [[3.8, 0.22], [1.5, 0.40]];

/// Measured range of the ascent speed [m/s].
pub(crate) const ASCENT: [f64; 2] = [0.02, 0.03];

/// Means and standard deviations over all trials except the baselines.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of trials in the summary.
    pub trials: usize,
    /// Error in roll and pitch, mean and standard deviation [deg].
    pub rmse: [(f64, f64); 2],
    /// Best lag of each trial with constant offsets removed, mean and standard deviation [s].
    pub lag: (f64, f64),
    /// Mean absolute value of the best lags [s].
    pub lag_size: f64,
    /// Best lag with the offsets included: mean, standard deviation and mean absolute value [s].
    pub lag_with_offset: (f64, f64, f64),
    /// Mean error of the best constant, roll and pitch [deg].
    pub rmse_without_model: [f64; 2],
    /// Number of replays that diverged.
    pub unstable: usize,
}

/// Summarizes `outcomes`, or returns `None` without a trial.
pub fn summarize(outcomes: &[Outcome]) -> Option<Summary> {
    let trials: Vec<&Outcome> = outcomes.iter().filter(|o| !o.baseline).collect();
    if trials.is_empty() {
        return None;
    }
    let statistics = |f: &dyn Fn(&Outcome) -> f64| {
        mean_and_deviation(&trials.iter().map(|o| f(o)).collect::<Vec<f64>>())
    };
    Some(Summary {
        trials: trials.len(),
        rmse: [
            statistics(&|o| o.score[0].rmse),
            statistics(&|o| o.score[1].rmse),
        ],
        lag: statistics(&|o| o.lag),
        lag_size: statistics(&|o| o.lag.abs()).0,
        lag_with_offset: {
            let (mean, deviation) = statistics(&|o| o.lag_with_offset);
            (mean, deviation, statistics(&|o| o.lag_with_offset.abs()).0)
        },
        rmse_without_model: [
            statistics(&|o| o.rmse_without_model[0]).0,
            statistics(&|o| o.rmse_without_model[1]).0,
        ],
        unstable: trials
            .iter()
            .filter(|o| o.track.diverged_at.is_some())
            .count(),
    })
}

/// State of the model at rest with the arm in one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestState {
    /// Roll and pitch [deg].
    pub angles: [f64; 2],
    /// Mean ascent speed, positive up [m/s].
    pub ascent: f64,
}

/// Simulates 120 s of free ascent with the arm held at `hold` [rad].
pub fn simulate_rest(model: &Model, hold: [f64; JOINTS]) -> RestState {
    let still = JointMotion::fit(&[JointSample { t: 0.0, q: hold }]);
    let q_WB = Quat::from_rpy(0.0, 0.0, 0.0);
    let plan = Plan {
        q_WB,
        settle: 110.0,
        span: [0.0, 10.0],
        hold,
        arm: ArmMotion::Measured(&still),
    };
    let track = replay(model, &plan);
    let last = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
    let height = &track.height.values;
    let rise = last(height) - height.first().copied().unwrap_or(f64::NAN);
    let angle = |k: usize| last(&track.rpy[k].values).to_degrees();
    RestState {
        angles: [angle(0), angle(1)],
        ascent: rise / 10.0,
    }
}

/// Returns one line for each limit of `mode` that is exceeded.
pub fn missed_limits(summary: &Summary, rest: &RestState, mode: Mode) -> Vec<String> {
    let [roll, pitch, lag] = limits(mode);
    let mut lines = Vec::new();
    let mut check_limit = |what: &str, value: f64, limit: f64| {
        // false for NaN too
        let held = value <= limit;
        if !held {
            lines.push(format!("{what} {value:.3}; expected at most {limit}"));
        }
    };
    check_limit("mean RMSE of roll [deg]", summary.rmse[0].0, roll);
    check_limit("mean RMSE of pitch [deg]", summary.rmse[1].0, pitch);
    check_limit(
        "mean absolute value of the best lag [s]",
        summary.lag_size,
        lag,
    );
    check_limit("unstable replays", summary.unstable as f64, 0.0);
    for (k, name) in ["roll", "pitch"].iter().enumerate() {
        let [center, spread] = REST_ANGLES[k];
        check_limit(
            &format!("distance of the {name} at rest from {center} deg"),
            (rest.angles[k] - center).abs(),
            spread,
        );
    }
    if !(ASCENT[0]..=ASCENT[1]).contains(&rest.ascent) {
        lines.push(format!(
            "ascent {:.4} m/s; expected {} to {}",
            rest.ascent, ASCENT[0], ASCENT[1]
        ));
    }
    lines
}

/// Returns the full report of the replays in `mode` as JSON.
pub fn json(
    outcomes: &[Outcome],
    summary: Option<&Summary>,
    rest: &RestState,
    mode: Mode,
) -> Value {
    let [roll, pitch, lag] = limits(mode);
    let trials: Vec<Value> = outcomes
        .iter()
        .map(|o| {
            json!({
                "trial": o.name, "baseline": o.baseline,
                "roll_rmse_deg": o.score[0].rmse, "pitch_rmse_deg": o.score[1].rmse,
                "roll_lag_s": o.score[0].lag, "pitch_lag_s": o.score[1].lag, "lag_s": o.lag,
                "lag_with_offset_s": o.lag_with_offset,
                "roll_offset_deg": o.offset[0], "pitch_offset_deg": o.offset[1],
                "roll_rmse_without_model_deg": o.rmse_without_model[0], "pitch_rmse_without_model_deg": o.rmse_without_model[1],
                "diverged_at_s": o.track.diverged_at,
            })
        })
        .collect();
    let overall = summary.map(|s| {
        json!({
            "trials": s.trials,
            "roll_rmse_deg": s.rmse[0].0, "roll_rmse_deviation_deg": s.rmse[0].1,
            "pitch_rmse_deg": s.rmse[1].0, "pitch_rmse_deviation_deg": s.rmse[1].1,
            "lag_s": s.lag.0, "lag_deviation_s": s.lag.1, "mean_lag_size_s": s.lag_size,
            "lag_with_offset_s": s.lag_with_offset.0, "lag_with_offset_deviation_s": s.lag_with_offset.1,
            "mean_lag_with_offset_size_s": s.lag_with_offset.2,
            "roll_rmse_without_model_deg": s.rmse_without_model[0], "pitch_rmse_without_model_deg": s.rmse_without_model[1],
            "unstable": s.unstable,
        })
    });
    json!({
        "overall": overall,
        "rest": { "roll_deg": rest.angles[0], "pitch_deg": rest.angles[1], "ascent_m_s": rest.ascent },
        "paper": {
            "roll_rmse_deg": PAPER[0][0], "roll_rmse_deviation_deg": PAPER[0][1],
            "pitch_rmse_deg": PAPER[1][0], "pitch_rmse_deviation_deg": PAPER[1][1], "lag_s": [1.0, 2.0],
        },
        "limits": { "roll_rmse_deg": roll, "pitch_rmse_deg": pitch, "mean_lag_size_s": lag },
        "trials": trials,
    })
}
