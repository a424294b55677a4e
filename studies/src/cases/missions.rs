//! V01, V04, V17 and V18: trials in a lake and in a pool.

use crate::pool::model::Model;
use crate::pool::summary;
use crate::pool::summary::{ASCENT, LIMITS, REST_ANGLES};
use crate::pool::trial;
use crate::pool::trial::Mode;
use crate::pool::trials::load_trials;
use crate::thetis::{
    BAND, Controller, DEPTH, HEADING, HEADING_BAND, Mission, PAPER, STALL, Sample, TOLERANCE,
    run_mission, run_with,
};
use merrow_validate::cases::prelude::*;
use std::path::Path;
use std::sync::Arc;

// V01: settling time of about 25 s and overshoot of about 0.4 m, 30 %.
pub(super) fn lake(data: &ReferenceData) -> Result<CaseResult, String> {
    let found = run_mission(Arc::new(data.shipped("taipan")?))?;
    let last = found.samples.last().map_or(f64::NAN, |s| s.heading);
    let settled = found.settled.unwrap_or(f64::NAN);
    let checks = checks! {
        format!("settled within {BAND} m of {DEPTH} m"), "s", PAPER[0], settled,
            Relative(TOLERANCE);
        "overshoot", "m", PAPER[1], found.overshoot, Relative(TOLERANCE);
        "heading at the end", "deg", HEADING, last, Absolute(HEADING_BAND);
    };
    Ok(CaseResult::new(checks))
}

// V04: the simulation without commands is bit-identical to one in which the last command is
// repeated; the vehicle leaves the path of the controlled run by more than the band of V01.
pub(super) fn stall(data: &ReferenceData) -> Result<CaseResult, String> {
    let scene = Arc::new(data.shipped("taipan")?);
    let run = |controller| run_with(Arc::clone(&scene), controller);
    let (runs, stalls) = (run(Controller::Runs)?, run(Controller::Stalls)?);
    let repeats = run(Controller::Repeats)?;
    let inside = |s: &&Sample| s.t > STALL[0] && s.t <= STALL[1];
    let late: Vec<&Sample> = stalls.samples.iter().filter(inside).collect();
    let span = match late[..] {
        [first, .., last] => last.t - first.t + (stalls.samples[1].t - stalls.samples[0].t),
        _ => f64::NAN,
    };
    let differing = stalls.samples.iter().zip(&repeats.samples);
    let differing = differing.filter(|(a, b)| a != b).count();
    // the fins reach the last command within a second
    let settled = late.iter().filter(|s| s.t > STALL[0] + 1.0);
    let moved = settled
        .flat_map(|s| (0..3).map(|k| (s.fins[k] - late[late.len() - 1].fins[k]).abs()))
        .fold(0.0, f64::max);
    let both = stalls.samples.iter().zip(&runs.samples);
    let left = both.map(|(a, b)| (a.depth - b.depth).abs());
    let checks = checks! {
        "simulated time of the stall", "s", 5.0, span, Absolute(1e-9);
        "samples that differ from the run with repeated commands", "", 0.0, differing as f64,
            Absolute(0.5);
        "motion of the fins from 1 s on", "deg", 0.0, moved, Absolute(1e-3);
        "largest difference of depth from the controlled run", "m", BAND, left.fold(0.0, f64::max),
            MoreThan;
    };
    let heights = |mission: &Mission| mission.samples.iter().map(|s| [s.t, -s.depth]).collect();
    let lines = vec![
        PlotCurve::new("controlled", COLOURS[1], false, heights(&runs)),
        PlotCurve::new(
            "stalled from 20 to 25 s",
            COLOURS[0],
            false,
            heights(&stalls),
        ),
    ];
    let panel = Panel::new("height [m]", "time [s]", lines);
    let title = "Controller that stalls for 5 s (V04)";
    let figure = draw_figure(title, &[panel], 820, 220);
    Ok(CaseResult::new(checks).with_figure("stalled_controller", figure))
}

fn vehicle(data: &ReferenceData) -> Result<Model, String> {
    Model::new(
        data.shipped("uvms_pool")?,
        &data.shipped("uvms_pool_servo")?,
    )
}

// V17: mean errors of roll and pitch and mean absolute lag, within the limits stated in
// docs/explanation/uvms.md.
pub(super) fn trials(data: &ReferenceData) -> Result<CaseResult, String> {
    let model = vehicle(data)?;
    let found = load_trials(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/uvms_pool_2023"))?;
    if !found.problems.is_empty() {
        return Err(found.problems.to_string());
    }
    let recordings = found.recordings;
    let outcomes: Vec<_> = recordings
        .iter()
        .filter_map(|r| trial::replay_and_score(&model, r, Mode::Measured))
        .collect();
    let all = summary::summarize(&outcomes).ok_or("no trial was replayed")?;
    let checks = checks! {
        "trials", "", 26.0, all.trials as f64, Absolute(0.0);
        "unstable replays", "", 0.0, all.unstable as f64, Absolute(0.0);
        "mean RMSE of roll", "deg", LIMITS[0], all.rmse[0].0, AtMost;
        "mean RMSE of pitch", "deg", LIMITS[1], all.rmse[1].0, AtMost;
        "mean absolute value of the best lag", "s", LIMITS[2], all.lag_size, AtMost;
    };
    Ok(CaseResult::new(checks))
}

// V18: attitude at rest within the spread between trials, ascent speed within the measured range.
pub(super) fn rest(data: &ReferenceData) -> Result<CaseResult, String> {
    let model = vehicle(data)?;
    let home = model.joints.map(|j| model.robot.start.q[j]);
    let found = summary::simulate_rest(&model, home);
    let [low, high] = ASCENT;
    let checks = checks! {
        "roll at rest", "deg", REST_ANGLES[0][0], found.angles[0], Absolute(REST_ANGLES[0][1]);
        "pitch at rest", "deg", REST_ANGLES[1][0], found.angles[1], Absolute(REST_ANGLES[1][1]);
        "ascent", "m/s", 0.5 * (low + high), found.ascent, Absolute(0.5 * (high - low));
    };
    Ok(CaseResult::new(checks))
}
