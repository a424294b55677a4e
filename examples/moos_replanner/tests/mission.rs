//! The program itself: errors, and missions in lock-step with the simulator.

use moos_replanner::feature::Shape;
use moos_replanner::mission::run::MISSION;
use moos_replanner::sonar;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moos_replanner"))
        .args(arguments)
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

#[test]
fn errors_are_one_line() {
    let folder = folder("errors");
    let out = folder.display().to_string();
    let mission = folder.join("m.moos");
    let path = mission.display().to_string();
    let error = |arguments: &[&str]| {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        text.trim_end().replace(&path, "m.moos")
    };
    let found = error(&["run", "--out", &out, "--merrow", "/does/not/exist"]);
    assert!(found.ends_with("or name it with --merrow"), "{found}");
    let run = |text: &str| {
        std::fs::write(&mission, text).expect("written");
        error(&["run", "--out", &out, "--mission", &path])
    };
    assert_eq!(
        run(&MISSION.replace("Waypoint = 200, 5", "Waypoint = 200")),
        "moos_replanner: m.moos:69: Waypoint: expected 2 numbers separated by commas, found \"200\""
    );
    assert_eq!(
        run(&MISSION.replace("TriggerDistance = 25", "TriggerDistance = 5")),
        "moos_replanner: m.moos:67: expected a TriggerDistance of at least the TurnRadius, 25 m, found 5 m: the \
         vehicle would circle about its waypoint"
    );
    assert_eq!(
        run("Community = a\n"),
        "moos_replanner: the mission has no block of pFLSim; add `ProcessConfig = pFLSim`"
    );
    std::fs::write(&mission, "ServerPort = 0\n").expect("written");
    assert_eq!(
        error(&["pVPMPlanner", &path]),
        "moos_replanner: m.moos: expected a ServerPort from 1 to 65535 and a MOOSTimeWarp above 0, found 0 and 1"
    );
    let output = program(&["run", "--warp", "0"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The boxes of the script are those that the simulated sonar sees.
#[test]
fn the_world_has_the_boxes_of_the_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let world = std::fs::read_to_string(root.join("worlds/moos_replanner.yaml")).expect("a world");
    let mission = merrow_moos::mission::Mission::from_text(MISSION, "m.moos").expect("a mission");
    let boxes = sonar::obstacles(&mission).expect("boxes");
    assert_eq!(boxes.len(), 4);
    for own in boxes {
        let Shape::Rectangle { half, angle } = own.shape else {
            panic!("{own:?}");
        };
        let line = format!(
            "position_m: [{}, {}, -5], attitude_deg: [0, 0, {:.0}], shapes: {{b: {{kind: box, size_m: [{}, {}, 12]}}}}",
            own.position.x,
            own.position.y,
            angle.to_degrees(),
            2.0 * half.x,
            2.0 * half.y
        );
        assert!(world.contains(&line), "{line}");
    }
}

/// Returns the score of a mission and its log without the stamps of the wall clock.
fn run(name: &str, arguments: &[&str]) -> (Value, String, PathBuf) {
    let folder = folder(name);
    let out = folder.display().to_string();
    let mut all = vec!["run", "--out", &out];
    all.extend(arguments);
    let output = program(&all);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    for file in ["map.svg", "report.html"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let score = std::fs::read_to_string(folder.join("score.json")).expect("a score");
    let score = serde_json::from_str(&score).expect("JSON");
    let log = std::fs::read_to_string(folder.join("mission.alog")).expect("a log");
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with("%%")).collect();
    (score, lines.join("\n"), folder.join("mission.alog"))
}

/// V21 with the REMUS 100 and its firmware: all way-points at a constant depth, and never inside of a
/// box. Two missions in lock-step have the same log, and the planner posts the same for it again.
#[test]
#[ignore = "needs target/debug/merrow"]
fn missions_in_lock_step_have_one_log() {
    let (score, log, path) = run("lock_step", &["--seed", "3"]);
    let (again, second, _) = run("lock_step_again", &["--seed", "3"]);
    assert_eq!(score["state_hash"], again["state_hash"]);
    assert!(log.lines().count() > 100_000 && log == second);
    check(&score, 4);
    let replay = |path: &Path| program(&["replay", &path.display().to_string()]);
    let output = replay(&path);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.ends_with(" values are identical\n"),
        "{output:?}"
    );
    // one position that differs
    let text = std::fs::read_to_string(&path).expect("a log");
    let line = text
        .lines()
        .filter(|line| line.contains(" NAV_X "))
        .nth(100);
    let line = line.expect("a position");
    let changed = text.replacen(line, &line.replacen(" merrow ", " merrow 9", 1), 1);
    assert_ne!(changed, text);
    let other = path.with_file_name("changed.alog");
    std::fs::write(&other, changed).expect("written");
    let output = replay(&other);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// The boxes are those that the simulated forward sonar measures.
#[test]
#[ignore = "needs target/debug/merrow"]
fn the_simulated_sonar_leads_past_the_boxes() {
    let (score, log, _) = run("sonar", &["--sonar", "simulated"]);
    check(&score, 4);
    assert!(log.contains(" FLS_0 ") && !log.contains(" pFLSim "));
}

/// World and programs follow the wall clock.
#[test]
#[ignore = "needs target/debug/merrow, and 30 s"]
fn missions_follow_the_wall_clock() {
    let (score, ..) = run("warp", &["--warp", "20"]);
    check(&score, 4);
}

fn check(score: &Value, boxes: u64) {
    assert_eq!(score["way_points"], serde_json::json!([4, 4]), "{score}");
    assert!(score["closest_m"].as_f64() > Some(3.0), "{score}");
    let depth = |k: usize| score["depth_m"][k].as_f64().expect("a depth");
    assert!(depth(0) > 2.5 && depth(1) < 3.5, "{score}");
    assert!(score["reported_boxes"].as_u64() >= Some(boxes), "{score}");
    assert!(score["planner_ms"]["worst"].as_f64() < Some(1.0), "{score}");
}

// A signal ends the mission, and the simulator that it has started.
#[test]
#[ignore = "needs target/debug/merrow"]
fn signals_end_the_mission_and_its_simulator() {
    use std::time::{Duration, Instant};

    let out = folder("signals");
    let mut child = Command::new(env!("CARGO_BIN_EXE_moos_replanner"))
        .args(["run", "--realtime", "--out", &out.display().to_string()])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let log = out.join("mission.alog");
    let end = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(&log).map_or(0, |own| own.len()) < 100 {
        assert!(Instant::now() < end, "no log");
        std::thread::sleep(Duration::from_millis(50));
    }
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let simulator = std::fs::read_to_string(children).expect("children");
    let simulator = simulator.trim().to_string();
    assert!(
        Path::new(&format!("/proc/{simulator}")).exists(),
        "{simulator:?}"
    );
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    assert_eq!(child.wait().expect("an end").code(), Some(2));
    assert!(!Path::new(&format!("/proc/{simulator}")).exists());
}

/// A process that ends with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// The planner steers a vehicle whose own computer is at the end of a serial line: the simulator, iREMUS
// on its pseudoterminal, pFLSim and pVPMPlanner are processes of their own in a community.
#[test]
#[ignore = "needs target/debug/merrow"]
fn vehicles_are_steered_over_a_serial_line() {
    use merrow_moos::client::{Client, Settings};
    use merrow_moos::clock;
    use merrow_moos::server::{Server, Settings as Community};
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = Path::new(env!("CARGO_BIN_EXE_moos_replanner"));
    let start = |program: &Path, arguments: &[&str]| {
        let child = Command::new(program)
            .args(arguments)
            .current_dir(&root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Running(child.expect("the program starts"))
    };
    let mut world = start(
        &own.with_file_name("merrow"),
        &[
            "run",
            "moos_replanner",
            "--no-ros",
            "--pace",
            "10",
            "--set",
            "robots.remus.moos=null",
            "--set",
            "robots.remus.serial={}",
        ],
    );
    let output = BufReader::new(world.0.stdout.take().expect("an output"));
    let port = output.lines().map_while(Result::ok).find_map(|line| {
        let rest = line.strip_prefix("serial feed of remus: ")?;
        rest.split_once(',').map(|(path, _)| path.to_string())
    });
    let port = port.expect("the path of the feed");
    let warp = clock::wall(10.0);
    let server = Server::start(Community::new("remus", 0), warp.clone()).expect("a server");
    let mission = MISSION
        .replace("MOOSTimeWarp = 1", "MOOSTimeWarp = 10")
        .replace(
            "ServerPort   = 9000",
            &format!("ServerPort = {}", server.port()),
        );
    let mission = format!(
        "{mission}ProcessConfig = iREMUS\n{{\n  AppTick = 10\n  Port = {port}\n  BaudRate = 57600\n}}\n"
    );
    let file = folder("serial").join("serial.moos");
    std::fs::write(&file, mission).expect("written");
    let client = Client::start(Settings::new("test", "127.0.0.1", server.port()), warp);
    client.register("*", 0.0);
    let path = file.display().to_string();
    let programs = ["iREMUS", "pFLSim", "pVPMPlanner"];
    let _programs = programs.map(|name| start(own, &[name, &path]));
    let end = Instant::now() + Duration::from_secs(120);
    let (mut reached, mut depth) = (false, f64::NAN);
    while !reached || (depth - 3.0).abs() > 0.5 {
        assert!(Instant::now() < end, "{reached}, {depth} m");
        for message in client.wait(Duration::from_millis(100)) {
            match message.key.as_str() {
                "VPM_STATE" => reached |= message.text() == "waypoint 1 of 4",
                "NAV_DEPTH" => depth = message.number().expect("a depth"),
                _ => {}
            }
        }
    }
}
