//! Reads a folder of recorded trials of the vehicle with arm (format of [Kolano 2022]) into
//! [`Recording`]s.
//!
//! A trial with missing or invalid files gives one error line; the other trials are still replayed.
//! This module checks only whether the files can be read, not the measured values.
//!
//! For a trial `NAME` (`traj...` or `baseline...`) the folder contains `NAME_imu.csv` and
//! `NAME_joint_states.csv`. A trajectory also has `metadata_....yml` (start time) and
//! `commanded/NAME.yaml` (commanded motion); a baseline has `NAME_mocap.csv`.

use std::path::{Path, PathBuf};

use crate::pool::recording::{AttitudeSample, JOINTS, JointSample, Quintic, Recording};
use merrow_math::Quat;
use merrow_yaml::error::{Place, Problem, Problems, quote};
use merrow_yaml::node::{Node, Value};
use merrow_yaml::parse::parse;
use merrow_yaml::scalars::number;

/// Content of a folder of trials.
#[derive(Debug, Default)]
pub struct Trials {
    /// Trials that can be replayed, sorted by name.
    pub recordings: Vec<Recording>,
    /// Errors of the unreadable trials, and missing optional data of the readable trials.
    pub problems: Problems,
}

/// Encoder columns of the joints from base to wrist, and the encoder position at which the robot's
/// joint is at 0 [rad] (hkolano/UVMS-SysID-with-EAs, MainPitchValidation.jl).
const ENCODERS: [(&str, f64); JOINTS] = [
    ("axis_e_pos", 3.07),
    ("axis_d_pos", 0.0),
    ("axis_c_pos", 0.0),
    ("axis_b_pos", 2.879),
];

/// Reads all trials in `folder`.
///
/// # Errors
/// The folder cannot be read or contains no trial.
pub fn load_trials(folder: &Path) -> Result<Trials, String> {
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).map_err(|e| {
        format!("{shown}: cannot read the folder: {e}; expected one with NAME_imu.csv files")
    })?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|e| {
            let file = e.file_name().into_string().ok()?;
            let name = file
                .strip_suffix("_imu.csv")
                .or_else(|| file.strip_suffix("_joint_states.csv"))?;
            Some(name.to_string())
        })
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Err(format!(
            "{shown}: expected files NAME_imu.csv and NAME_joint_states.csv, found no trial"
        ));
    }
    let mut trials = Trials::default();
    for name in names {
        let read = attitude(
            &folder.join(format!("{name}_imu.csv")),
            &mut trials.problems,
        )
        .zip(encoders(
            &folder.join(format!("{name}_joint_states.csv")),
            &mut trials.problems,
        ));
        let Some((attitude, joints)) = read else {
            continue;
        };
        if let Err(text) = check_overlap(&attitude, &joints) {
            trials.problems.push(
                &Place::file(&folder.join(format!("{name}_imu.csv")).display().to_string()),
                text,
            );
            continue;
        }
        let height = height(
            &folder.join(format!("{name}_mocap.csv")),
            &mut trials.problems,
        );
        let command = command(folder, &name, &mut trials.problems);
        trials.recordings.push(Recording {
            name,
            attitude,
            joints,
            height,
            command,
        });
    }
    let commanded = folder.join(COMMANDED);
    let is_trajectory = |r: &&Recording| r.name.starts_with("traj");
    let n = trials.recordings.iter().filter(is_trajectory).count();
    if n > 0 && !commanded.is_dir() {
        let text =
            format!("no such folder; without it {n} trials are replayed from the encoders only");
        let place = Place::file(&commanded.display().to_string());
        trials.problems.push(&place, text);
    }
    Ok(trials)
}

/// Folder of the commanded motions.
const COMMANDED: &str = "commanded";

/// Maximum duration of a trial [s]. A time stamp in other units must not cause hours of simulation.
const DURATION_MAX: f64 = 3600.0;

/// Checks that attitude and encoders were recorded at the same time and not for too long.
fn check_overlap(attitude: &[AttitudeSample], joints: &[JointSample]) -> Result<(), String> {
    let (a, b) = (
        [attitude[0].t, attitude[attitude.len() - 1].t],
        [joints[0].t, joints[joints.len() - 1].t],
    );
    let (length, overlap) = (
        a[1].max(b[1]) - a[0].min(b[0]),
        a[1].min(b[1]) - a[0].max(b[0]),
    );
    if overlap < 1.0 {
        return Err(format!(
            "recorded from {:.3} to {:.3} s, the joint states from {:.3} to {:.3} s; expected both at the same time",
            a[0], a[1], b[0], b[1]
        ));
    }
    if length > DURATION_MAX {
        return Err(format!(
            "the trial lasts {length:.0} s; expected at most {DURATION_MAX} s"
        ));
    }
    Ok(())
}

/// Reads the named columns as numbers, time first. Rows that are not later than the previous row
/// are skipped.
fn columns<const N: usize>(
    path: &Path,
    names: [&str; N],
    problems: &mut Problems,
) -> Option<Vec<[f64; N]>> {
    read_columns(path, names)
        .map_err(|p| problems.push(&p.place, p.text))
        .ok()
}

fn read_columns<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<[f64; N]>, Problem> {
    let file = path.display().to_string();
    let wrong = |line: u64, text: String| Problem {
        place: Place::new(
            &file.as_str().into(),
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::from(line > 0),
        ),
        text,
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .from_path(path)
        .map_err(|e| wrong(0, format!("cannot be read: {}", cause(&e))))?;
    let head = reader
        .headers()
        .map_err(|e| wrong(1, format!("no header line: {}", cause(&e))))?
        .clone();
    let mut at = [0; N];
    for (k, name) in names.into_iter().enumerate() {
        at[k] = head.iter().position(|h| h == name).ok_or_else(|| {
            wrong(
                1,
                format!(
                    "no column {}; expected {}",
                    quote(name),
                    merrow_yaml::error::quoted_list(names)
                ),
            )
        })?;
    }
    let mut rows: Vec<[f64; N]> = Vec::new();
    for (n, record) in reader.records().enumerate() {
        let line = n as u64 + 2;
        let record =
            record.map_err(|e| wrong(line, format!("not a row of numbers: {}", cause(&e))))?;
        let mut row = [0.0; N];
        for (k, name) in names.into_iter().enumerate() {
            let text = record.get(at[k]).unwrap_or_default();
            row[k] = text
                .parse()
                .ok()
                .filter(|x: &f64| x.is_finite())
                .ok_or_else(|| {
                    wrong(
                        line,
                        format!("{name}: expected a number, found {}", quote(text)),
                    )
                })?;
        }
        if rows.last().is_none_or(|last| row[0] > last[0]) {
            rows.push(row);
        }
    }
    let long = rows.len() >= 20 && rows[rows.len() - 1][0] - rows[0][0] >= 1.0;
    if long {
        Ok(rows)
    } else {
        Err(wrong(
            0,
            format!("expected at least 20 rows over 1 s, found {}", rows.len()),
        ))
    }
}

/// Returns the cause of an error without the path, which already begins the error line.
fn cause(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(e) => e.to_string(),
        _ => error.to_string(),
    }
}

fn attitude(path: &Path, problems: &mut Problems) -> Option<Vec<AttitudeSample>> {
    let rows = columns(
        path,
        ["time_secs", "w_ori", "x_ori", "y_ori", "z_ori"],
        problems,
    )?;
    let off = rows
        .iter()
        .position(|[_, w, x, y, z]| !(0.9..=1.1).contains(&(w * w + x * x + y * y + z * z)));
    if off.is_some() {
        let text =
            "w_ori, x_ori, y_ori, z_ori are not unit quaternions; expected attitudes".to_string();
        problems.push(&Place::file(&path.display().to_string()), text);
        return None;
    }
    let sample = |[t, w, x, y, z]: [f64; 5]| AttitudeSample {
        t,
        q_WB: Quat { w, x, y, z }.normalized(),
    };
    Some(rows.into_iter().map(sample).collect())
}

fn encoders(path: &Path, problems: &mut Problems) -> Option<Vec<JointSample>> {
    let [e, d, c, b] = ENCODERS.map(|(name, _)| name);
    let rows = columns(path, ["time_secs", e, d, c, b], problems)?;
    let sample = |[t, e, d, c, b]: [f64; 5]| JointSample {
        t,
        q: to_robot([e, d, c, b]),
    };
    Some(rows.into_iter().map(sample).collect())
}

/// Converts positions of the arm's driver, base to wrist, to the robot's joint zeros [rad].
fn to_robot(axes: [f64; JOINTS]) -> [f64; JOINTS] {
    std::array::from_fn(|j| axes[j] - ENCODERS[j].1)
}

/// Reads the height from motion capture (time [s], height [m]) if the file exists.
fn height(path: &Path, problems: &mut Problems) -> Vec<(f64, f64)> {
    if !path.is_file() {
        return Vec::new();
    }
    let rows = columns(path, ["time_secs", "z_pose"], problems).unwrap_or_default();
    rows.into_iter().map(|[t, z]| (t, z)).collect()
}

/// Reads the start time and the commanded motion of a trajectory. Baselines have none.
fn command(folder: &Path, name: &str, problems: &mut Problems) -> Option<(f64, Quintic)> {
    let trial = name.strip_prefix("traj")?;
    if !folder.join(COMMANDED).is_dir() {
        return None; // reported once for the whole folder
    }
    let metadata = map(&folder.join(format!("metadata_{trial}.yml")), problems)?;
    let commanded = map(
        &folder.join(COMMANDED).join(format!("{name}.yaml")),
        problems,
    )?;
    let start = metadata.number("start_time", problems);
    let duration = commanded.number("duration", problems);
    let mut five = |key| {
        commanded
            .five_numbers(key, problems)
            .map(|[_, b, c, d, e]| [e, d, c, b])
    };
    let (from, to) = (five("start_pos"), five("end_pos"));
    let speeds = (five("start_vel"), five("end_vel"));
    let (Some(start), Some(duration), Some(from), Some(to), (Some(v0), Some(v1))) =
        (start, duration, from, to, speeds)
    else {
        return None;
    };
    if duration <= 0.0 {
        problems.push(
            &commanded.place(),
            format!("`duration`: expected a number above 0, found {duration}"),
        );
        return None;
    }
    Some((
        start,
        Quintic {
            from: to_robot(from),
            to: to_robot(to),
            end_speeds: [v0, v1],
            duration,
        },
    ))
}

/// A small YAML file of numbers. Unused keys are ignored.
struct Numbers {
    path: PathBuf,
    node: Node,
}

fn map(path: &Path, problems: &mut Problems) -> Option<Numbers> {
    let shown = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) => {
            let text = format!(
                "cannot be read: {e}; without it the trial is replayed from the encoders only"
            );
            problems.push(&Place::file(&shown), text);
            return None;
        }
    };
    let node = parse(&shown, &text, problems)?;
    Some(Numbers {
        path: path.to_path_buf(),
        node,
    })
}

impl Numbers {
    fn place(&self) -> Place {
        Place::file(&self.path.display().to_string())
    }

    fn get(&self, key: &str, problems: &mut Problems) -> Option<&Node> {
        let found = match &self.node.value {
            Value::Map(map) => map.get(key),
            _ => None,
        };
        if found.is_none() {
            problems.push(&self.place(), format!("missing key {}", quote(key)));
        }
        found
    }

    fn number(&self, key: &str, problems: &mut Problems) -> Option<f64> {
        finite(self.get(key, problems)?, key, problems)
    }

    /// Reads a list of five numbers, axes A to E.
    fn five_numbers(&self, key: &str, problems: &mut Problems) -> Option<[f64; 5]> {
        let node = self.get(key, problems)?;
        let Value::Seq(items) = &node.value else {
            problems.push(
                &node.place,
                format!("{}: expected a list of 5 numbers, axes a to e", quote(key)),
            );
            return None;
        };
        let values: Vec<f64> = items
            .iter()
            .filter_map(|item| finite(item, key, problems))
            .collect();
        let found = values.len();
        let five = <[f64; 5]>::try_from(values).ok();
        if five.is_none() && found == items.len() {
            problems.push(
                &node.place,
                format!(
                    "{}: expected 5 numbers, axes a to e, found {found}",
                    quote(key)
                ),
            );
        }
        five
    }
}

fn finite(node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
    let value = match &node.value {
        Value::Scalar {
            text,
            quoted: false,
        } => number(text).filter(|x| x.is_finite()),
        _ => None,
    };
    if value.is_none() {
        let text = format!(
            "{}: expected a number, found {}",
            quote(key),
            merrow_yaml::read::describe_node(node)
        );
        problems.push(&node.place, text);
    }
    value
}
