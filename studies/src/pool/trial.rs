//! Compares one recorded trial with one replay of it.

use crate::pool::joints::JointMotion;
use crate::pool::model::Model;
use crate::pool::recording::{JOINT_NAMES, Recording};
use crate::pool::replay::{ArmMotion, Plan, Track, replay};
use crate::pool::score::{Curve, Score, best_lag, score};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{BLACK, COLOURS, Panel, PlotCurve, draw_figure};

/// Time to settle before the first sample [s].
pub(crate) const SETTLE: f64 = 10.0;

/// Motion of the arm in a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The arm moves as measured by the encoders.
    Measured,
    /// The servo moves the arm along the commanded quintic.
    Servo,
}

/// Replay of a trial and its score, angles in degrees.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the trial.
    pub name: String,
    /// True for an ascent with the arm at rest.
    pub baseline: bool,
    /// Scores of roll and pitch.
    pub score: [Score; 2],
    /// Best common lag of roll and pitch with constant offsets removed [s].
    pub lag: f64,
    /// Best common lag with the offsets included [s].
    pub lag_with_offset: f64,
    /// Root mean square error of the best constant for roll and pitch [deg], the error without any
    /// model.
    pub rmse_without_model: [f64; 2],
    /// Mean of simulation minus measurement, roll and pitch [deg].
    pub offset: [f64; 2],
    /// Measured roll and pitch over time (time [s], angle [deg]).
    pub measured: [Vec<(f64, f64)>; 2],
    /// Measured motion of the joints.
    pub joints: JointMotion,
    /// Curves of the replay, angles in radians.
    pub track: Track,
    /// Simulated roll and pitch [deg].
    pub simulated: [Curve; 2],
}

/// Replays `recording` and scores it. Returns `None` if the mode needs a command that was not
/// recorded.
pub fn replay_and_score(model: &Model, recording: &Recording, mode: Mode) -> Option<Outcome> {
    let joints = JointMotion::fit(&recording.joints);
    let arm = match (mode, &recording.command) {
        (Mode::Measured, _) => ArmMotion::Measured(&joints),
        (Mode::Servo, Some((start, quintic))) => ArmMotion::Servo(quintic, *start),
        (Mode::Servo, None) => return None,
    };
    let span = recording.span();
    let first = recording.attitude[0].q_WB;
    let plan = Plan {
        q_WB: first,
        settle: SETTLE,
        span,
        hold: joints.state_at(span[0]).q,
        arm,
    };
    let track = replay(model, &plan);
    let measured: [Vec<(f64, f64)>; 2] = std::array::from_fn(|k| {
        let angle = |q: &merrow_math::Quat| q.matrix().to_rpy()[k].to_degrees();
        recording
            .attitude
            .iter()
            .map(|s| (s.t, angle(&s.q_WB)))
            .collect()
    });
    let simulated: [Curve; 2] = std::array::from_fn(|k| track.rpy[k].scaled(1f64.to_degrees()));
    let score: [Score; 2] = std::array::from_fn(|k| score(&simulated[k], &measured[k]));
    let offset = std::array::from_fn(|k| simulated[k].offset(&measured[k]));
    let pairs: [(&Curve, &[(f64, f64)]); 2] =
        [(&simulated[0], &measured[0]), (&simulated[1], &measured[1])];
    let [lag, lag_with_offset] = [true, false].map(|free| best_lag(&pairs, free).0);
    let unmodelled = std::array::from_fn(|k| {
        let values: Vec<f64> = measured[k].iter().map(|(_, m)| *m).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / values.len() as f64).sqrt()
    });
    Some(Outcome {
        name: recording.name.clone(),
        baseline: recording.is_baseline(),
        score,
        lag,
        lag_with_offset,
        rmse_without_model: unmodelled,
        offset,
        measured,
        joints,
        track,
        simulated,
    })
}

impl Outcome {
    /// Plots roll, pitch and joints over time, measured and simulated.
    pub fn figure(&self, mode: Mode) -> Drawing {
        let panel = |k: usize, name: &str| {
            let measured = self.measured[k].iter().map(|(t, v)| [*t, *v]).collect();
            let lines = vec![
                PlotCurve::new("measured", BLACK, false, measured),
                PlotCurve::new("simulated", COLOURS[0], false, self.simulated[k].points()),
            ];
            let y_label = format!("{name} [deg], RMSE {:.2}", self.score[k].rmse);
            Panel::new(y_label, "", lines)
        };
        let mut panels = vec![panel(0, "roll"), panel(1, "pitch")];
        let mut lines = Vec::new();
        for (j, name) in JOINT_NAMES.iter().enumerate() {
            let curve = &self.track.joints[j];
            let read = curve
                .points()
                .iter()
                .map(|[t, _]| [*t, self.joints.state_at(*t).q[j]])
                .collect();
            let colour = COLOURS[j + 1];
            lines.push(PlotCurve::new(*name, colour, false, read));
            if mode == Mode::Servo {
                lines.push(PlotCurve::new("", colour, true, curve.points()));
            }
        }
        let y_label = match mode {
            Mode::Measured => "joints [rad], measured and followed exactly",
            Mode::Servo => "joints [rad], measured; dashed: servo",
        };
        panels.push(Panel::new(y_label, "time [s]", lines));
        draw_figure(&self.name, &panels, 760, 190)
    }
}
