//! V01, V17 and V18: trials in a lake and in a pool.

use crate::cases::check::Check;
use crate::cases::reference_data::ReferenceData;
use crate::cases::{Case, CaseResult, CaseSet};
use crate::pool::model::Model;
use crate::pool::summary;
use crate::pool::summary::{ASCENT, LIMITS, REST_ANGLES};
use crate::pool::trial;
use crate::pool::trial::Mode;
use crate::thetis::{BAND, DEPTH, HEADING, HEADING_BAND, PAPER, TOLERANCE, run_mission};
use std::sync::Arc;

/// Cases of recorded trials.
pub(crate) const CASES: [Case; 3] = [
    Case {
        number: 1,
        set: CaseSet::Thetis,
        title: "lake mission of Taipan 300 (coefficients and gains are Merrow's: docs/thetis.md)",
        source: "figures of Thetis [Parodi 2009]",
        run: lake,
    },
    Case {
        number: 17,
        set: CaseSet::Uvms,
        title: "26 pool trials, measured joint angles (docs/uvms.md)",
        source: "recordings of [Kolano 2022]",
        run: trials,
    },
    Case {
        number: 18,
        set: CaseSet::Uvms,
        title: "vehicle with arm: attitude at rest and ascent speed",
        source: "[Kolano 2022]",
        run: rest,
    },
];

// V01: settling time of about 25 s and overshoot of about 0.4 m, 30 %.
fn lake(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let found = run_mission(Arc::new((data.shipped)("taipan")?))?;
    let last = found.samples.last().map_or(f64::NAN, |s| s.heading);
    let settled = found.settled.unwrap_or(f64::NAN);
    let checks = vec![
        Check::relative(
            format!("settled within {BAND} m of {DEPTH} m"),
            "s",
            PAPER[0],
            settled,
            TOLERANCE,
        ),
        Check::relative("overshoot", "m", PAPER[1], found.overshoot, TOLERANCE),
        Check::absolute("heading at the end", "deg", HEADING, last, HEADING_BAND),
    ];
    Ok(CaseResult::new(checks))
}

fn vehicle(data: &ReferenceData<'_>) -> Result<Model, String> {
    Model::new(
        (data.shipped)("uvms_pool")?,
        &(data.shipped)("uvms_pool_servo")?,
    )
}

// V17: mean errors of roll and pitch and mean absolute lag, within the limits stated in
// docs/uvms.md.
fn trials(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let model = vehicle(data)?;
    let recordings = (data.trials)()?;
    let outcomes: Vec<_> = recordings
        .iter()
        .filter_map(|r| trial::replay_and_score(&model, r, Mode::Measured))
        .collect();
    let all = summary::summarize(&outcomes).ok_or("no trial was replayed")?;
    let checks = vec![
        Check::absolute("trials", "", 26.0, all.trials as f64, 0.0),
        Check::absolute("unstable replays", "", 0.0, all.unstable as f64, 0.0),
        Check::at_most("mean RMSE of roll", "deg", LIMITS[0], all.rmse[0].0),
        Check::at_most("mean RMSE of pitch", "deg", LIMITS[1], all.rmse[1].0),
        Check::at_most(
            "mean absolute value of the best lag",
            "s",
            LIMITS[2],
            all.lag_size,
        ),
    ];
    Ok(CaseResult::new(checks))
}

// V18: attitude at rest within the spread between trials, ascent speed within the measured range.
fn rest(data: &ReferenceData<'_>) -> Result<CaseResult, String> {
    let model = vehicle(data)?;
    let home = model.joints.map(|j| model.robot.start.q[j]);
    let found = summary::simulate_rest(&model, home);
    let [low, high] = ASCENT;
    let checks = vec![
        Check::absolute(
            "roll at rest",
            "deg",
            REST_ANGLES[0][0],
            found.angles[0],
            REST_ANGLES[0][1],
        ),
        Check::absolute(
            "pitch at rest",
            "deg",
            REST_ANGLES[1][0],
            found.angles[1],
            REST_ANGLES[1][1],
        ),
        Check::absolute(
            "ascent",
            "m/s",
            0.5 * (low + high),
            found.ascent,
            0.5 * (high - low),
        ),
    ];
    Ok(CaseResult::new(checks))
}
