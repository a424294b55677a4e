//! The program itself: errors, and a mission in lock-step with the simulator, twice.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs `river_mission run` with these arguments and a folder of its own.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_river_mission"))
        .arg("run")
        .args(arguments)
        .arg("--out")
        .arg(folder)
        .env_remove("ROS_DOMAIN_ID")
        .output()
        .expect("the program starts")
}

/// Returns an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // it does not exist in the first run
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder is created");
    folder
}

/// Returns the only line of the standard error stream of a run that fails.
fn error(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(text.lines().count(), 1, "{text}");
    text.trim_end().to_owned()
}

#[test]
fn wrong_arguments_are_one_line() {
    let folder = folder("wrong_arguments");
    let found = error(&folder, &["--pairs", "2"]);
    assert_eq!(found, "river_mission: --pairs: expected 1 or 3, found 2");
    let output = run(&folder, &["--scout-time", "nan"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("expected seconds from 0 to 1e8"), "{text}");
    let found = error(&folder, &["--merrow", "/does/not/exist"]);
    assert!(
        found.ends_with("; name the program with --merrow"),
        "{found}"
    );
}

/// Writes a shell script as the simulator of the missions in a folder, with an empty valley.
fn simulator(folder: &Path, text: &str) -> PathBuf {
    let valley = folder.join("valley");
    std::fs::create_dir_all(&valley).expect("the folder is created");
    std::fs::write(valley.join("valley.yaml"), "structures: {}\n").expect("written");
    let script = folder.join("merrow");
    std::fs::write(&script, format!("#!/bin/sh\n{text}")).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("executable");
    script
}

/// Starts the program with its standard error stream as a pipe.
fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_river_mission"))
        .args(arguments)
        .env_remove("ROS_DOMAIN_ID")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Sends a signal to a process.
fn kill(process: &Child, signal: &str) {
    let status = Command::new("kill")
        .args(["-s", signal, &process.id().to_string()])
        .status();
    assert!(status.expect("kill starts").success());
}

/// Waits until a condition holds, 20 s at most.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// SIGTERM and SIGINT end the simulator too, also one that does not react.
#[test]
fn signals_end_the_simulator() {
    for (signal, reaction) in [("TERM", ""), ("INT", "trap '' TERM\n")] {
        let folder = folder(&format!("signal_{signal}"));
        let script =
            format!("{reaction}echo $$ > pid.new\nmv pid.new pid\nwhile :; do sleep 1; done\n");
        let script = simulator(&folder, &format!("cd '{}'\n{script}", folder.display()));
        let (script, out) = (script.to_string_lossy(), folder.to_string_lossy());
        let process = start(&["run", "--merrow", &script, "--out", &out]);
        let pid = folder.join("pid");
        wait_until("the simulator starts", || pid.is_file());
        let pid = std::fs::read_to_string(pid).expect("a number");
        let is_running = || Path::new("/proc").join(pid.trim()).exists();
        assert!(is_running());
        kill(&process, signal);
        let output = process.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text, format!("river_mission: ended by SIG{signal}\n"));
        assert!(!is_running());
    }
}

// A node of its own runs until it is interrupted.
#[test]
fn nodes_run_until_they_are_interrupted() {
    for (node, robot) in [("mapper", "usv_2"), ("pad_finder", "uav")] {
        let mut process = start(&["node", node, "--robot", robot]);
        std::thread::sleep(Duration::from_secs(1));
        assert!(process.try_wait().expect("a process").is_none());
        kill(&process, "INT");
        let output = process.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text, format!("node {robot}_{node}; Ctrl-C ends it\n"));
    }
    for (arguments, expected) in [
        (
            ["node", "maper", "--robot", "usv"],
            "no node \"maper\"; expected one of estimator, mapper",
        ),
        (
            ["node", "pilot", "--robot", "boat"],
            "no robot \"boat\"; expected one of usv, uav, usv_2",
        ),
    ] {
        let output = start(&arguments).wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(
            text.starts_with(&format!("river_mission: {expected}")),
            "{text}"
        );
    }
}

// Launch files read way-points and nodes from the program.
#[test]
fn missions_are_described() {
    let describe = |arguments: &[&str]| -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_river_mission"))
            .arg("describe")
            .args(arguments)
            .output();
        serde_json::from_slice(&output.expect("the program starts").stdout).expect("JSON")
    };
    let pair = &describe(&[])["pairs"][0];
    assert_eq!(pair["boat"], "usv");
    assert_eq!(pair["boat_nodes"][0], "estimator");
    assert_eq!(pair["drone_nodes"][3], "pilot");
    assert_eq!(pair["way_points_m"].as_array().expect("a list").len(), 6);
    let pair = &describe(&["--way-points", "2", "--no-drones"])["pairs"][0];
    assert_eq!(pair["way_points_m"][1], serde_json::json!([9.0, 20.0]));
    assert_eq!(pair["drone_nodes"], Value::Array(Vec::new()));
}

// A mission that others start is scored with the names after remapping; what is missing is reported.
#[test]
#[ignore = "takes 25 s"]
fn scores_name_the_missing_topics() {
    let folder = folder("missing_topics");
    simulator(&folder, "");
    let process = Command::new(env!("CARGO_BIN_EXE_river_mission"))
        .args(["score", "--out", &folder.to_string_lossy(), "--ros-args"])
        .args(["-r", "/usv/mission/odometry:=/usv/odometry/filtered"])
        .env("ROS_DOMAIN_ID", "76")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_secs(25));
    kill(&process, "INT");
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(
        text.contains("no publisher of /usv/odometry/filtered"),
        "{text}"
    );
    assert!(!text.contains("/usv/mission/odometry"), "{text}");
    assert!(text.ends_with("river_mission: ended by SIGINT\n"), "{text}");
}

// A simulator that ends is reported at once, with its last words.
#[test]
fn a_dead_simulator_is_reported_within_seconds() {
    let folder = folder("dead_simulator");
    let script = simulator(&folder, "echo out of fuel >&2\nexit 3\n");
    let start = Instant::now();
    let found = error(&folder, &["--merrow", &script.to_string_lossy()]);
    assert!(
        found.ends_with("the simulator ended (exit status: 3): out of fuel"),
        "{found}"
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

// The mission in real time: the nodes follow the clock of the simulator.
#[test]
#[ignore = "takes a quarter of a minute"]
fn missions_run_in_real_time() {
    let folder = folder("real_time");
    let arguments = [
        "--realtime",
        "--no-drones",
        "--seed",
        "3",
        "--time-limit",
        "10",
    ];
    let start = Instant::now();
    let output = run(&folder, &arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(start.elapsed() > Duration::from_secs(9));
    let score: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let time_s = score["time_s"].as_f64().expect("a number");
    assert!((9.0..12.0).contains(&time_s), "{time_s}");
    let boat = &score["boats"][0];
    let error_m = boat["position_error_rms_m"].as_f64().expect("a number");
    assert!(error_m < 0.2, "{error_m}");
    assert!(boat["energy_wh"].as_f64().expect("a number") > 1.0);
    assert_eq!(boat["landings"], Value::Array(Vec::new()));
}

// A mission in lock-step is the same in every run: state of the world and all messages of the nodes.
// The drone takes off from the deck of the boat that drives, flies ahead, finds the pad and lands.
// It needs the program merrow next to this one (`cargo build --bin merrow`).
#[test]
#[ignore = "takes three minutes"]
fn two_missions_with_a_landing_have_one_hash() {
    let mission = |name: &str| -> (Value, String) {
        let folder = folder(name);
        let output = run(
            &folder,
            &["--seed", "3", "--way-points", "1", "--scout-time", "15"],
        );
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        for file in ["map.svg", "plume.svg", "report.html", "water_samples.csv"] {
            assert!(folder.join(file).is_file(), "{file}");
        }
        let score = std::fs::read_to_string(folder.join("score.json")).expect("score.json");
        (serde_json::from_str(&score).expect("JSON"), text)
    };
    let ((first, text), (second, _)) = (mission("first"), mission("second"));
    assert_eq!(first, second);
    assert!(first["messages"].as_u64().expect("a number") > 1000);
    assert_ne!(first["message_hash"], first["state_hash"]);
    let boat = &first["boats"][0];
    let number = |value: &Value| value.as_f64().expect("a number");
    assert_eq!(boat["way_points_reached"], 1);
    assert!(number(&boat["position_error_rms_m"]) < 0.1, "{boat}");
    for phase in [
        "taking_off",
        "scouting",
        "returning",
        "descending",
        "touching_down",
        "docked",
    ] {
        assert!(
            text.contains(&format!("uav_pilot: {phase}: ")),
            "{phase}: {text}"
        );
    }
    let landing = &boat["landings"][0];
    assert!(number(&landing["error_m"]) < 0.16, "{boat}");
    assert!(
        number(&boat["drone_charge"]) > number(&landing["charge"]),
        "{boat}"
    );
    for area in ["surveyed_water_m2", "surveyed_land_m2"] {
        assert!(number(&boat[area]) > 200.0, "{boat}");
    }
}
