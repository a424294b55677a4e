//! Runs of the program as a process: signals, a full disk, the rate of diagnostics, the text of
//! `describe`.
//!
//! A run ends as requested with a complete recording, and reports why if it cannot. Method: the
//! program itself with real signals and file size limits.

use crate::common::folder::Folder;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const MERROW: &str = env!("CARGO_BIN_EXE_merrow");

/// Starts `merrow run` without ROS that records `bag`, the file in the folder of a bag.
fn start(world: &str, pace: &str, bag: &Path) -> Child {
    Command::new(MERROW)
        .args(["run", world, "--no-ros", "--pace", pace, "--record"])
        .args(bag.parent())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("merrow starts")
}

fn send(signal: Signal, child: &Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id")).expect("above 0");
    kill_process(pid, signal).expect("the process runs");
}

/// Waits until the recording has begun, after which signals are handled.
fn wait_for_recording(bag: &Path) {
    let start = Instant::now();
    while !bag.with_file_name("metadata.yaml").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no recording");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(200));
}

/// Returns the standard output and standard error.
fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Returns the number of messages in `metadata.yaml`: of the bag, or of the topic `name`.
fn message_count(bag: &Path, name: Option<&str>) -> u64 {
    let text = std::fs::read_to_string(bag.with_file_name("metadata.yaml")).expect("metadata");
    let from = name.map_or(0, |n| {
        text.find(&format!("name: \"{n}\"")).expect("the topic")
    });
    let key = "message_count: ";
    let rest = &text[from + text[from..].find(key).expect("a count") + key.len()..];
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

fn is_complete(bag: &Path) -> bool {
    std::fs::read(bag)
        .expect("a recording")
        .ends_with(b"\x89MCAP0\r\n")
}

// A run without a node reports refused messages and their number. Method: a bridge whose messages,
// with the names of their frames, do not fit into the frames of its modem.
#[test]
fn refused_messages_are_reported_without_a_node() {
    let modem = "model: {extends: robots/bluerov2.yaml, modems: {m: {modem: {extends: \
                 modems/thetis_modem.yaml, framing: {max_payload_bytes: 710, max_fragments: 1}}}}}";
    let world = format!(
        "seabed: {{depth_m: 20}}\nrobots:\n  a: {{{modem}, position_m: [0, 0, -3]}}\n  \
         b: {{{modem}, position_m: [9, 0, -3]}}\n\
         bridges: {{pose: {{from: a/m, to: b/m, topic: /a/odometry, max_rate_hz: 5}}}}\n"
    );
    let folder = Folder::new("refused_messages", &[("w.yaml", &world)]);
    let output = Command::new(MERROW)
        .args(["run", "--no-ros", "--pace", "max", "--for", "2"])
        .arg(folder.0.join("w.yaml"))
        .output()
        .expect("merrow runs");
    let (out, err) = texts(&output);
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 1, "{err}");
    assert!(
        lines[0].starts_with("merrow: a: request refused: ")
            && lines[0].contains("expected at most 710"),
        "{err}"
    );
    let count = out
        .lines()
        .find_map(|line| line.strip_prefix("refused commands: "))
        .unwrap_or_else(|| panic!("{out}"));
    assert!(count.parse::<u64>().is_ok_and(|n| n >= 9), "{out}");
}

// Two signals at once, as launchers deliver them, end a run cleanly. Method: SIGINT and SIGTERM
// within microseconds, because the kernel merges two equal pending signals; status 0, a summary, a
// complete recording.
#[test]
fn simultaneous_signals_count_as_one() {
    let folder = Folder::new("two_signals", &[]);
    let bag = folder.0.join("run/run_0.mcap");
    let child = start("pool", "realtime", &bag);
    wait_for_recording(&bag);
    send(Signal::INT, &child);
    send(Signal::TERM, &child);
    let output = child.wait_with_output().expect("the run ends");
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{:?}: {out}{err}", output.status);
    assert!(
        out.contains("state hash: ") && out.contains("recorded "),
        "{out}"
    );
    assert!(is_complete(&bag) && message_count(&bag, None) > 0);
}

// A second signal within 2 s does not end a run whose loop does not react; a later signal does, and
// the recording is complete. Method: 500 robots in waves with steps of 1 us. The loop completes
// 10000 steps before it checks for signals, which takes ten times longer than the test; SIGTERM 1 s
// and SIGINT 2.3 s after the first SIGINT. Between them the program runs and its recording is open.
// Status 130, and one report.
#[test]
fn only_a_later_signal_forces_the_exit() {
    let world = "step: {dt_s: 1.0e-6}
water: {waves: {kind: jonswap, hs_m: 0.4, tp_s: 3.5, components: 200}}
seabed: {depth_m: 100}
robots:
  r:
    model: bluerov2
    position_m: [0, 0, -0.1]
    repeat: {count: [25, 20, 1], spacing_m: [2, 2, 2]}
";
    let folder = Folder::new("late_signal", &[("w.yaml", world)]);
    let bag = folder.0.join("run/run_0.mcap");
    let mut child = start(
        folder.0.join("w.yaml").to_str().expect("UTF-8"),
        "max",
        &bag,
    );
    wait_for_recording(&bag);
    sleep(Duration::from_millis(500));
    send(Signal::INT, &child);
    sleep(Duration::from_millis(1000));
    send(Signal::TERM, &child);
    sleep(Duration::from_millis(1300));
    let ended = child.try_wait().expect("a process");
    assert_eq!(ended, None, "after the second signal");
    assert!(!is_complete(&bag), "after the second signal");
    send(Signal::INT, &child);
    let output = child.wait_with_output().expect("the run ends");
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(130), "{out}{err}");
    let reports = err.matches("repeated signal: exiting without waiting");
    assert_eq!(reports.count(), 1, "{err}");
    assert!(err.contains("recorded ") && is_complete(&bag), "{err}");
}

/// Checks that a run of 120 s whose recording `bag` could not be written continues and reports the
/// `reason` of the operating system. `kept` is the recording after the run.
fn check_failed_recording(output: &Output, reason: &str, bag: &Path, kept: &Path) {
    let (out, err) = texts(output);
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("simulated 120.000 s"), "{out}");
    let reason = format!("cannot write {}: {reason}", bag.display());
    for line in ["recording stopped", "the recording is incomplete"] {
        assert!(err.contains(&format!("{line}: {reason}")), "{err}");
    }
    let bytes = std::fs::metadata(kept).expect("a recording").len();
    assert!((500_000..3_145_728).contains(&bytes), "{bytes} bytes");
    assert!(is_complete(kept));
    let read = messages(kept);
    assert!(read > 1000, "{read} messages");
    assert_eq!(message_count(kept, None), read);
}

// A full disk is reported with its reason and its path, the run continues, the recording stays
// readable and its metadata counts its messages. Method: a file system in memory of 3 MB, and of
// 600 kB, which is less than a chunk of messages, in a mount namespace of its own; 120 s at maximum
// pace. Skipped where the system does not permit such a namespace.
#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new("full_disk", &[]);
    for size in ["3m", "600k"] {
        let disk = folder.0.join(size).join("disk");
        std::fs::create_dir_all(&disk).expect("a folder");
        let namespace = |script: &str| {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--mount", "bash", "-c"]);
            command.arg(format!(
                "mount -t tmpfs -o size={size} tmpfs \"$1\" && {{ {script}; }}"
            ));
            command.arg(MERROW).arg(&disk).output()
        };
        if !namespace("true").is_ok_and(|output| output.status.success()) {
            println!("skipped: no permission to mount a file system in a namespace");
            return;
        }
        let script = r#""$0" run pool --no-ros --pace max --for 120 --record "$1/run"; code=$?;
            cp -r "$1"/* "$(dirname "$1")"; exit $code"#;
        let output = namespace(script).expect("unshare starts");
        let reason = "No space left on device (os error 28)";
        let kept = folder.0.join(size).join("run/run_0.mcap");
        check_failed_recording(&output, reason, &disk.join("run/run_0.mcap"), &kept);
    }
}

// Goal, method: as for the full disk, with a limit of 3 MB on the size of a file.
#[test]
fn a_file_size_limit_is_reported() {
    let folder = Folder::new("file_size_limit", &[]);
    let bag = folder.0.join("run/run_0.mcap");
    let script = r#"ulimit -f 3000; trap "" XFSZ; exec "$0" run pool --no-ros --pace max --for 120 --record "$1""#;
    let output = Command::new("bash")
        .args(["-c", script, MERROW])
        .args(bag.parent())
        .output()
        .expect("bash starts");
    check_failed_recording(&output, "File too large (os error 27)", &bag, &bag);
}

/// Returns the number of messages in the chunks of an MCAP file, which are not compressed.
fn messages(bag: &Path) -> u64 {
    const MESSAGE: u8 = 5;
    const CHUNK: u8 = 6;
    fn count(mut records: &[u8]) -> u64 {
        let mut n = 0;
        while records.len() >= 9 {
            let length = u64::from_le_bytes(records[1..9].try_into().expect("8 bytes")) as usize;
            let content = &records[9..9 + length];
            match records[0] {
                MESSAGE => n += 1,
                // times, size, CRC; then the name of no compression, and the length of the records
                CHUNK => n += count(&content[8 + 8 + 8 + 4 + 4 + 8..]),
                _ => {}
            }
            records = &records[9 + length..];
        }
        n
    }
    let bytes = std::fs::read(bag).expect("a recording");
    count(&bytes[8..bytes.len() - 8])
}

// Diagnostics and battery states follow simulated time at any pace. Method: 10 s at maximum pace,
// which take much less wall time: one message a second and one at the start.
#[test]
fn diagnostics_follow_simulated_time() {
    let folder = Folder::new("diagnostics", &[]);
    let bag = folder.0.join("run/run_0.mcap");
    let output = Command::new(MERROW)
        .args([
            "run", "pool", "--no-ros", "--pace", "max", "--for", "10", "--record",
        ])
        .args(bag.parent())
        .output()
        .expect("merrow starts");
    assert!(output.status.success(), "{}", texts(&output).1);
    assert_eq!(message_count(&bag, Some("/diagnostics")), 11);
    assert_eq!(message_count(&bag, Some("/bluerov2/battery_state")), 11);
}

// A grid that is shortened during a run ends it with the reason and a complete recording. Method: a
// raw seabed of 2.3 million samples, which is mapped, below a robot with an altimeter; the file is
// emptied during the run.
#[test]
fn a_shortened_grid_is_reported() {
    let header = "data: depth.raw
number: i16
unit: m
axes:
  - {name: y, start: -750.0, step: 1.0, count: 1500}
  - {name: x, start: -750.0, step: 1.0, count: 1500}
";
    let world = "seabed: {terrain: {file: depth.yaml, factor: -1}}
robots: {r: {model: bluerov2, position_m: [0, 0, -5]}}
";
    let folder = Folder::new("grid", &[("w.yaml", world), ("depth.yaml", header)]);
    let grid = folder.0.join("depth.raw");
    let depth = 20_i16.to_le_bytes().repeat(1500 * 1500);
    std::fs::write(&grid, depth).expect("a file");
    let bag = folder.0.join("run/run_0.mcap");
    let child = start(
        folder.0.join("w.yaml").to_str().expect("UTF-8"),
        "realtime",
        &bag,
    );
    wait_for_recording(&bag);
    std::fs::write(&grid, "").expect("a file");
    let output = child.wait_with_output().expect("the run ends");
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(err.contains("was shortened during the run"), "{err}");
    assert!(is_complete(&bag) && message_count(&bag, None) > 0);
}

/// Returns the output of `merrow describe`.
pub(super) fn describe(arguments: &[&str]) -> String {
    let mut merrow = Command::new(MERROW);
    let output = merrow.arg("describe").args(arguments).output();
    let output = output.expect("merrow starts");
    assert!(output.status.success(), "{}", texts(&output).1);
    texts(&output).0
}

// `describe` prints the added mass and the damping of a floating body that its dynamics uses:
// the coefficients of the submerged part. Method: a box of 100 kg that displaces 200 kg when
// submerged, so that half of it is submerged at rest; coefficients of the submerged body, and at
// the waterline. Tolerance: printed digits.
#[test]
fn describe_prints_the_effective_added_mass() {
    for (reference, added, linear, quadratic) in [
        (
            "submerged",
            "[20.0000, 30.0000, 40.0000]",
            "[5.0000, 10.0000, 15.0000, 2.0000, 2.5000, 3.0000]",
            "[50.0000, 60.0000, 70.0000, 8.0000, 9.0000, 10.0000]",
        ),
        (
            "waterline",
            "[40.0000, 60.0000, 80.0000]",
            "[10.0000, 20.0000, 30.0000, 4.0000, 5.0000, 6.0000]",
            "[100.0000, 120.0000, 140.0000, 16.0000, 18.0000, 20.0000]",
        ),
    ] {
        let world = format!(
            "water: {{density_kg_m3: 1000}}
robots:
  r:
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 100
        inertia_kg_m2: {{xx: 9, yy: 20, zz: 25}}
        volume_m3: 0.2
        center_of_mass_m: [0, 0, -0.1]
        hull: {{kind: box, size_m: [1, 1, 0.2]}}
        coefficients_at: {reference}
        added_mass: {{kind: diagonal, values: [40, 60, 80, 0, 0, 0]}}
        linear_damping: {{kind: diagonal, values: [10, 20, 30, 4, 5, 6]}}
        quadratic_damping: {{kind: diagonal, values: [100, 120, 140, 16, 18, 20]}}
"
        );
        let folder = Folder::new(&format!("effective_{reference}"), &[("w.yaml", &world)]);
        let path = folder.0.join("w.yaml");
        let text = describe(&[path.to_str().expect("UTF-8")]);
        let line = format!("submerged fraction of the base 0.5000, its added mass {added} kg");
        assert!(text.contains(&line), "{reference}: {text}");
        let damping = format!("linear {linear}, quadratic {quadratic}");
        assert!(text.contains(&damping), "{reference}: {text}");
    }
}

// `describe` prints no rounding errors of unit conversions. Method: no number of four worlds,
// as text and as JSON, has more than 12 significant digits; the latitude and the slopes of their
// units do otherwise.
#[test]
fn describe_prints_rounded_numbers() {
    for (world, option) in ["pool", "usv", "sonar", "riverwatch"]
        .into_iter()
        .flat_map(|world| [(world, None), (world, Some("--json"))])
    {
        let arguments: Vec<_> = [world].into_iter().chain(option).collect();
        let text = describe(&arguments);
        let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let long = numbers.filter(|n| n.contains('.')).find(|n| {
            let digits = n.replace('.', "");
            digits.trim_start_matches('0').len() > 12
        });
        assert_eq!(long, None, "{arguments:?}");
    }
}

// A program without the native backend refuses it and names the remedy. Method: a run of this
// program, which the tests build without the feature.
#[cfg(not(feature = "native"))]
#[test]
fn a_missing_native_backend_is_reported() {
    let output = Command::new(MERROW)
        .args(["run", "pool", "--ros-backend", "native", "--for", "1"])
        .output()
        .expect("merrow starts");
    let (_, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let expected = "--ros-backend native: this program was built without it; source ROS 2 and \
                    build with `--features native` or with colcon";
    assert!(errors.contains(expected), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

// An invalid address is one line with an example. Method: the options of the live view and of
// MAVLink with a word.
#[test]
fn invalid_addresses_are_reported() {
    for option in ["--view=abc", "--mavlink=abc"] {
        let output = Command::new(MERROW)
            .args(["run", "pool", "--no-ros", "--for", "0.1", option])
            .output()
            .expect("merrow starts");
        let (_, error) = texts(&output);
        let expected = "expected an IP address and a port, such as 127.0.0.1:8080, found \"abc\"";
        assert!(
            !output.status.success() && error.contains(expected),
            "{error}"
        );
    }
}

/// Runs the pool for a second with this shell redirection; returns the status and the checkpoint.
fn run_redirected(folder: &Folder, name: &str, redirection: &str) -> (bool, Vec<u8>) {
    let file = folder.0.join(name);
    let line = format!(
        "exec {MERROW} run pool --no-ros --pace max --for 1 --checkpoint {} {redirection}",
        file.display()
    );
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
    (output.status.success(), std::fs::read(&file).unwrap())
}

#[test]
fn closed_outputs_do_not_cost_the_last_checkpoint() {
    let folder = Folder::new("closed_outputs", &[]);
    let (_, expected) = run_redirected(&folder, "normal.cp", "");
    for (k, (redirection, is_success)) in [
        (">&- 2>&-", true),
        ("> >(exit) 2> >(exit)", true),
        ("> /dev/full", false),
        ("2> /dev/full", true),
        ("--json > /dev/full", false),
    ]
    .into_iter()
    .enumerate()
    {
        let (status, found) = run_redirected(&folder, &format!("{k}.cp"), redirection);
        assert!(found == expected, "{redirection}: another checkpoint");
        // without descriptors the standard library writes nowhere
        assert_eq!(status, is_success, "{redirection}");
    }
}

#[test]
fn older_checkpoints_are_kept() {
    let folder = Folder::new("older_checkpoints", &[]);
    let (_, first) = run_redirected(&folder, "a.cp", "");
    let (_, second) = run_redirected(&folder, "a.cp", "--seed 5");
    assert!(first != second);
    assert!(std::fs::read(folder.0.join("a.cp.old")).unwrap() == first);
    std::fs::write(folder.0.join("b.cp"), "a letter").unwrap();
    let (is_success, content) = run_redirected(&folder, "b.cp", "");
    assert!(!is_success && content == b"a letter");
}
