//! Exit status of all commands, as docs/reference/exit_status.md states it.

use crate::common::folder::Folder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const MERROW: &str = env!("CARGO_BIN_EXE_merrow");

/// A robot whose state stops being finite: damping that is too large for the step.
const HALTS: &str = "step: {dt_s: 0.01}
robots:
  r:
    position_m: [0, 0, -5]
    model: {source: t, body: {source: t, axes: flu, mass_kg: 10, volume_m3: 0.01, inertia_kg_m2:
      {xx: 0.1, yy: 0.1, zz: 0.1}, quadratic_damping: {kind: diagonal, values: [1.0e7, 0, 0, 0, 0, 0]}}}
schedule:
  push: {time_s: 0.1, kind: push, robot: r, force_n: [1.0e5, 0, 0], duration_s: 1}
";

/// A robot with an implausible mass.
const WARNS: &str = "robots:
  r:
    position_m: [0, 0, -5]
    model: {source: t, body: {source: t, axes: flu, mass_kg: 1.0e6, volume_m3: 0.01, inertia_kg_m2:
      {xx: 0.1, yy: 0.1, zz: 0.1}, linear_damping: {kind: diagonal, values: [1, 1, 1, 1, 1, 1]}}}
";

const FILES: [(&str, &str); 5] = [
    ("bad.yaml", "robots: {r: {model: bluerov2, depth: 3}}\n"),
    ("warns.yaml", WARNS),
    ("halts.yaml", HALTS),
    ("taken.mcap", "a letter"),
    ("text.cp", "a letter"),
];

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(MERROW);
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Runs a world without ROS at maximum pace.
const RUN: &str = "--no-ros --pace max --for 0.1";

#[test]
fn every_command_ends_with_the_stated_status() {
    let folder = Folder::new("status", &FILES);
    let prepare = format!("run pool {RUN} --checkpoint pool.cp --record dive.mcap");
    let output = command(&folder.0, &prepare).output().expect("a run");
    assert!(output.status.success(), "{}", texts(&output).1);
    // status, arguments, and a part of the last line of the standard error
    let mut cases = vec![
        (0, "--help".to_string(), ""),
        (0, "--version".to_string(), ""),
        (2, String::new(), ""),
        (2, "swim".to_string(), ""),
        (0, format!("run pool {RUN}"), ""),
        (2, format!("run pool {RUN} --pace fast"), "--help"),
        (2, format!("run pool {RUN} --bogus"), "--help"),
        (2, format!("run pool {RUN} --threads 0"), "--help"),
        (
            2,
            "run pool --pace lockstep --no-ros --for 1".to_string(),
            "remove --no-ros, add --view, or use --pace max",
        ),
        (2, format!("run nowhere {RUN}"), "nowhere"),
        (
            2,
            format!("run bad.yaml {RUN}"),
            "bad.yaml:1:31: unknown key `depth`",
        ),
        (
            1,
            format!("run halts.yaml {RUN}").replace("0.1", "5"),
            "the run ends with a halted robot",
        ),
        (
            1,
            format!("run pool {RUN} --record taken.mcap"),
            "taken.mcap exists",
        ),
        (
            1,
            format!("run pool {RUN} --record none/a.mcap"),
            "no folder none",
        ),
        (
            2,
            format!("run pool {RUN} --record .."),
            "cannot name a bag",
        ),
        (1, format!("run pool {RUN} --checkpoint none/a.cp"), "none"),
        (1, format!("run pool {RUN} --resume none.cp"), "none.cp"),
        (1, format!("run pool {RUN} --resume text.cp"), "text.cp"),
        (1, format!("run usv {RUN} --resume pool.cp"), "pool.cp"),
        (0, format!("run pool {RUN} --resume pool.cp"), ""),
        (
            1,
            format!("run pool {RUN} --replay-commands none.mcap"),
            "none.mcap",
        ),
        (
            1,
            format!("run pool {RUN} --replay-commands taken.mcap"),
            "taken.mcap",
        ),
        (
            2,
            format!("run pool {RUN} --ros-args --bogus").replace("--no-ros ", ""),
            "--bogus",
        ),
    ];
    for (status, line, expected) in [
        (0, "check pool", ""),
        (0, "check warns.yaml", "warning"),
        (2, "check bad.yaml", "bad.yaml:1:31: unknown key `depth`"),
        (2, "check nowhere", "nowhere"),
        (0, "describe pool", ""),
        (2, "describe nowhere", "nowhere"),
        (2, "describe bad.yaml --json", "unknown key"),
        (2, "describe pool --robot x", "no robot"),
        (2, "describe pool --urdf x", "no robot"),
        (0, "list", ""),
        (0, "schema", ""),
        (0, "save pool -o saved.yaml", ""),
        (1, "save pool -o none/saved.yaml", "none"),
        (2, "save bad.yaml -o saved2.yaml", "unknown key"),
        (1, "save pool -o saved3.yaml --resume text.cp", "text.cp"),
        (2, "snapshot nowhere --view -o a.png", "nowhere"),
        (
            2,
            "snapshot pool --view -o a.txt",
            "expected a file name that ends in",
        ),
        (1, "snapshot pool --view -o none/a.png", "no folder `none`"),
        (
            2,
            "snapshot pool --robot x --sensor imu -o a.svg",
            "no robot",
        ),
        (
            2,
            "layout pool -o a.txt",
            "expected a file name that ends in",
        ),
        (2, "layout nowhere -o a.json", "nowhere"),
        (2, "layout pool --robot x -o a.json", "no robot"),
        (0, "layout pool -o a.json", ""),
        (2, "terrain hill", "--help"),
        (2, "validate nothing", "--help"),
        (0, "replay dive.mcap --check", ""),
        (1, "replay none.mcap --check", "none.mcap"),
        (1, "replay taken.mcap --check", "taken.mcap"),
        (2, "replay dive.mcap --check --world nowhere", "nowhere"),
        (0, "export dive.mcap --csv tables", ""),
        (1, "export none.mcap --csv tables", "none.mcap"),
        (1, "export dive.mcap --csv taken.mcap", "taken.mcap"),
        (
            0,
            "plot dive.mcap /bluerov2/odometry.pose.pose.position.z -o a.svg",
            "",
        ),
        (1, "plot dive.mcap /bluerov2/odometry.none -o a.svg", "none"),
        (
            2,
            "plot dive.mcap /bluerov2/odometry.pose.pose.position.z -o a.txt",
            "ends in",
        ),
        (0, "report dive.mcap -o a.html", ""),
        (1, "report taken.mcap -o a.html", "taken.mcap"),
        (0, "repair dive.mcap", ""),
        (1, "repair dive.mcap", "dive_repaired.mcap exists"),
        (1, "repair none.mcap", "none.mcap"),
    ] {
        cases.push((status, line.to_string(), expected));
    }
    let mut wrong = Vec::new();
    for (status, line, expected) in &cases {
        let output = command(&folder.0, line)
            .output()
            .expect("the program starts");
        let (_, errors) = texts(&output);
        let last = errors.lines().last().unwrap_or_default();
        if output.status.code() != Some(*status) || !last.contains(expected) {
            wrong.push(format!(
                "{line}: {:?}, expected {status}: {errors}",
                output.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Starts a run with a checkpoint, and waits until signals end it cleanly.
fn start(folder: &Folder, line: &str) -> Child {
    let arguments = format!("run {line} --no-ros --json --record bag");
    let mut command = command(&folder.0, &arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().expect("the program starts");
    let (begin, file) = (Instant::now(), folder.0.join("bag/metadata.yaml"));
    while !file.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no recording");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    child
}

fn send(signal: Signal, child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id")).expect("above 0");
    kill_process(pid, signal).expect("the process runs");
}

// A signal ends a run without `--for` regularly, and one with `--for` too early. Method: real
// signals; the summary, its key `error` and the recording exist in both cases.
#[test]
fn signals_end_a_run_with_the_stated_status() {
    for (signal, line, status, reason) in [
        (Signal::INT, "pool", 0, None),
        (Signal::TERM, "pool", 0, None),
        (
            Signal::INT,
            "pool --for 600",
            130,
            Some("SIGINT ended the run at "),
        ),
        (
            Signal::TERM,
            "pool --for 600",
            143,
            Some("SIGTERM ended the run at "),
        ),
        (
            Signal::HUP,
            "pool --for 600",
            129,
            Some("SIGHUP ended the run at "),
        ),
    ] {
        let folder = Folder::new("status_signal", &[]);
        let child = start(&folder, line);
        send(signal, &child);
        let output = child.wait_with_output().expect("the run ends");
        let (out, errors) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{line}: {errors}");
        let summary: Value = serde_json::from_str(&out).expect("a summary");
        let found = summary["error"].as_str();
        match reason {
            Some(reason) => {
                let found = found.expect("an error");
                assert!(found.starts_with(reason) && found.ends_with("before 600 s of --for"));
                assert_eq!(errors.lines().last(), Some(&*format!("merrow: {found}")));
            }
            None => assert_eq!((found, errors.as_str()), (None, "")),
        }
        let bag = std::fs::read(folder.0.join("bag/bag_0.mcap")).expect("a recording");
        assert!(bag.ends_with(b"\x89MCAP0\r\n"));
    }
}

// A signal ends a program that loads a world, before it can end cleanly. Method: a world of 20000
// robots, which takes much longer to load than the signal to arrive; there is no summary.
#[test]
fn signals_end_the_loading_of_a_world() {
    let world = "robots: {r: {model: bluerov2_heavy, position_m: [0, 0, -5], repeat: {count: [100, 100, \
                 2], spacing_m: [3, 3, 3]}}}\n";
    let folder = Folder::new("status_loading", &[("w.yaml", world)]);
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut command = command(&folder.0, "run w.yaml --no-ros --json");
        let child = command.stdout(Stdio::piped()).spawn();
        let child = child.expect("the program starts");
        sleep(Duration::from_millis(300));
        send(signal, &child);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(status));
        assert_eq!(texts(&output).0, "");
    }
}

// The summary states why a run failed. Method: a robot that halts, and a run without a fault.
#[test]
fn summaries_state_the_error() {
    let folder = Folder::new("status_summary", &FILES);
    for (line, status, halted, reason) in [
        (
            "halts.yaml --for 5",
            1,
            1,
            Some("the run ends with a halted robot; "),
        ),
        ("pool --for 0.1", 0, 0, None),
    ] {
        let arguments = format!("run {line} --no-ros --pace max --json");
        let output = command(&folder.0, &arguments).output().expect("a run");
        let (out, errors) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{errors}");
        let summary: Value = serde_json::from_str(&out).expect("a summary");
        assert_eq!(summary["halted"], halted);
        match (summary["error"].as_str(), reason) {
            (Some(found), Some(reason)) => assert!(found.starts_with(reason), "{found}"),
            (found, reason) => assert_eq!(found, reason),
        }
    }
}

// A reader that closes the pipe is no error. Method: `true` reads nothing.
#[test]
fn closed_pipes_are_no_error() {
    for line in ["list", "schema", "describe pool", "check pool"] {
        let script = format!("set -o pipefail; {MERROW} {line} | true");
        let output = Command::new("bash").args(["-c", &script]).output();
        let output = output.expect("bash starts");
        assert!(output.status.success(), "{line}: {}", texts(&output).1);
        assert_eq!(texts(&output).1, "", "{line}");
    }
}
