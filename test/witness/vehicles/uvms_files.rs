//! Tests folders of trials with missing or invalid files: one problem line each, and the other
//! trials still load.

use merrow_studies::pool::trials;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Creates a folder with one valid trial, `traj1`, and applies `damage_file` to it.
fn folder(name: &str, damage_file: impl Fn(&Path)) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("merrow_trials_{name}_{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("commanded")).unwrap();
    trial(&folder, "traj1");
    damage_file(&folder);
    folder
}

fn trial(folder: &Path, name: &str) {
    let mut imu = "time_secs,x_ori,y_ori,z_ori,w_ori\n".to_string();
    let mut joints =
        "time_secs,axis_a_pos,axis_b_pos,axis_c_pos,axis_d_pos,axis_e_pos\n".to_string();
    for k in 0..60 {
        let _ = writeln!(imu, "{},0.01,0,0,0.99995", 0.05 * f64::from(k));
        let _ = writeln!(joints, "{},0,1.6,0,0,3.1", 0.05 * f64::from(k));
    }
    write(folder, &format!("{name}_imu.csv"), &imu);
    write(folder, &format!("{name}_joint_states.csv"), &joints);
    let number = name.strip_prefix("traj").unwrap();
    write(
        folder,
        &format!("metadata_{number}.yml"),
        "start_time: 1.5\n",
    );
    let five = "[0, 1.6, 0, 0, 3.1]";
    let zero = "[0, 0, 0, 0, 0]";
    let text = format!(
        "duration: 2\nstart_pos: {five}\nend_pos: {five}\nstart_vel: {zero}\nend_vel: {zero}\n"
    );
    write(folder, &format!("commanded/{name}.yaml"), &text);
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Returns the names of the trials read, whether each has its command, and the problem lines
/// without the folder.
fn read(folder: &Path) -> (Vec<(String, bool)>, Vec<String>) {
    let trials = trials::load_trials(folder).unwrap();
    let prefix = format!("{}/", folder.display());
    let lines = trials
        .problems
        .iter()
        .map(|p| p.to_string().replace(&prefix, ""))
        .collect();
    let names = trials
        .recordings
        .iter()
        .map(|r| (r.name.clone(), r.command.is_some()))
        .collect();
    std::fs::remove_dir_all(folder).unwrap();
    (names, lines)
}

#[test]
fn valid_trial_has_no_problems() {
    let (names, lines) = read(&folder("good", |_| ()));
    assert_eq!(names, [("traj1".to_string(), true)]);
    assert!(lines.is_empty(), "{lines:?}");
}

// A folder without commanded motions gives one warning, not one for each trial. Method: two trials
// without `commanded/`.
#[test]
fn missing_commands_are_reported_once() {
    let (names, lines) = read(&folder("commands", |folder| {
        trial(folder, "traj2");
        std::fs::remove_dir_all(folder.join("commanded")).unwrap();
    }));
    assert_eq!(names, [("traj1".into(), false), ("traj2".into(), false)]);
    assert_eq!(
        lines,
        ["commanded: no such folder; without it 2 trials are replayed from the encoders only"]
    );
}

#[test]
fn invalid_trial_gives_one_problem_line() {
    let cases: [(&str, &str, &str, &str); 7] = [
        (
            "column",
            "traj2_imu.csv",
            "time_secs,x\n0,1\n",
            "traj2_imu.csv:1:1: no column `w_ori`",
        ),
        (
            "text",
            "traj2_imu.csv",
            "time_secs,x_ori,y_ori,z_ori,w_ori\n0,0,0,0,1\n0.1,0,0,up,1\n",
            "traj2_imu.csv:3:1: z_ori: expected a number, found `up`",
        ),
        (
            "short",
            "traj2_imu.csv",
            "time_secs,x_ori,y_ori,z_ori,w_ori\n0,0,0,0,1\n0.1,0,0,0,1\n",
            "traj2_imu.csv: expected at least 20 rows over 1 s, found 2",
        ),
        (
            "empty",
            "traj2_joint_states.csv",
            "",
            "traj2_joint_states.csv:1:1: no column `time_secs`",
        ),
        (
            "quaternion",
            "traj2_imu.csv",
            &format!("time_secs,x_ori,y_ori,z_ori,w_ori\n{}", rows("3,3,3,3")),
            "traj2_imu.csv: w_ori, x_ori, y_ori, z_ori are not unit quaternions",
        ),
        (
            "nan",
            "traj2_imu.csv",
            &format!("time_secs,x_ori,y_ori,z_ori,w_ori\n{}", rows("nan,0,0,1")),
            "traj2_imu.csv:2:1: x_ori: expected a number, found `nan`",
        ),
        (
            "binary",
            "traj2_imu.csv",
            "\0\u{1}\u{2},\"",
            "traj2_imu.csv:1:1: no column `time_secs`",
        ),
    ];
    for (name, file, text, expected) in cases {
        let (names, lines) = read(&folder(name, |f| {
            trial(f, "traj2");
            write(f, file, text);
        }));
        assert_eq!(names, [("traj1".to_string(), true)], "{name}: {lines:?}");
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
        assert!(lines[0].starts_with(expected), "{name}: {lines:?}");
    }
}

fn rows(rest: &str) -> String {
    (0..30)
        .map(|k| format!("{},{rest}\n", 0.05 * f64::from(k)))
        .collect()
}

#[test]
fn inconsistent_clocks_are_reported() {
    let row = |t: f64| format!("{t},0,0,0,1\n");
    let imu = |step: f64, start: f64| {
        let rows: String = (0..60).map(|k| row(start + step * f64::from(k))).collect();
        format!("time_secs,x_ori,y_ori,z_ori,w_ori\n{rows}")
    };
    let cases = [
        (
            imu(0.05, 1.6e9),
            "traj2_imu.csv: recorded from 1600000000.000 to 1600000002.950 s, the joint states from 0.000",
        ),
        (
            imu(100.0, 0.0),
            "traj2_imu.csv: the trial lasts 5900 s; expected at most 3600 s",
        ),
    ];
    for (k, (text, expected)) in cases.into_iter().enumerate() {
        let (names, lines) = read(&folder(&format!("clock{k}"), |f| {
            trial(f, "traj2");
            write(f, "traj2_imu.csv", &text);
        }));
        assert_eq!(names.len(), 1, "{lines:?}");
        assert!(
            lines.len() == 1 && lines[0].starts_with(expected),
            "{lines:?}"
        );
    }
}

#[test]
fn trial_without_command_uses_encoders() {
    let cases = [
        (
            "metadata_1.yml",
            "",
            "metadata_1.yml: missing key `start_time`",
        ),
        (
            "metadata_1.yml",
            "start_time: soon\n",
            "metadata_1.yml:1:13: `start_time`: expected a number, found string `soon`",
        ),
        (
            "commanded/traj1.yaml",
            "duration: [\n",
            "commanded/traj1.yaml:",
        ),
    ];
    for (k, (file, text, expected)) in cases.into_iter().enumerate() {
        let (names, lines) = read(&folder(&format!("command{k}"), |f| write(f, file, text)));
        assert_eq!(names, [("traj1".to_string(), false)], "{file}");
        assert!(lines.iter().any(|l| l.starts_with(expected)), "{lines:?}");
    }
    let missing = |f: &Path| std::fs::remove_file(f.join("commanded/traj1.yaml")).unwrap();
    let (names, lines) = read(&folder("command_missing", missing));
    assert_eq!(names, [("traj1".to_string(), false)]);
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].starts_with("commanded/traj1.yaml: cannot be read"),
        "{lines:?}"
    );
}

#[test]
fn folder_without_trials_is_reported() {
    let text = trials::load_trials(Path::new("/nowhere")).unwrap_err();
    assert!(
        text.starts_with("/nowhere: cannot read the folder"),
        "{text}"
    );
    let empty = folder("none", |f| {
        std::fs::remove_dir_all(f).unwrap();
        std::fs::create_dir_all(f).unwrap();
    });
    assert!(
        trials::load_trials(&empty)
            .unwrap_err()
            .contains("found no trial")
    );
    std::fs::remove_dir_all(&empty).unwrap();
}
