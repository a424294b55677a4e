//! The program itself: errors, and a mission in lock-step with the simulator, twice.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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
    let found = error(&folder, &["--merrow", "/does/not/exist"]);
    assert!(
        found.ends_with("; name the program with --merrow"),
        "{found}"
    );
}

// A simulator that ends is reported at once, with its last words.
#[test]
fn a_dead_simulator_is_reported_within_seconds() {
    let folder = folder("dead_simulator");
    let valley = folder.join("valley");
    std::fs::create_dir_all(&valley).expect("the folder is created");
    std::fs::write(valley.join("valley.yaml"), "structures: {}\n").expect("written");
    let script = folder.join("merrow");
    std::fs::write(&script, "#!/bin/sh\necho out of fuel >&2\nexit 3\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("executable");
    let start = Instant::now();
    let found = error(&folder, &["--merrow", &script.to_string_lossy()]);
    assert!(
        found.ends_with("the simulator ended (exit status: 3): out of fuel"),
        "{found}"
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

// A mission in lock-step is the same in every run: state of the world and all messages of the nodes.
// It needs the program merrow next to this one (`cargo build --bin merrow`).
#[test]
#[ignore = "takes a minute"]
fn two_missions_have_one_hash() {
    let mission = |name: &str| -> Value {
        let folder = folder(name);
        let output = run(
            &folder,
            &["--seed", "3", "--way-points", "1", "--time-limit", "150"],
        );
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        for file in ["map.svg", "report.html"] {
            assert!(folder.join(file).is_file(), "{file}");
        }
        let text = std::fs::read_to_string(folder.join("score.json")).expect("score.json");
        serde_json::from_str(&text).expect("JSON")
    };
    let (first, second) = (mission("first"), mission("second"));
    assert_eq!(first, second);
    assert_eq!(first["success"], true);
    let boat = &first["boats"][0];
    assert_eq!(boat["way_points_reached"], 1);
    let error_m = boat["position_error_rms_m"].as_f64().expect("a number");
    assert!(error_m < 0.1, "{error_m}");
    assert!(first["messages"].as_u64().expect("a number") > 1000);
    assert_ne!(first["message_hash"], first["state_hash"]);
}
