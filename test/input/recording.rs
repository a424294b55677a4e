//! Recordings of `merrow run`: topics, files, compression.
//!
//! A recording contains exactly the selected topics, in files that are complete on their own, with
//! the same messages whatever their number and compression. Method: the program itself; its bags are
//! read by Merrow, and by rosbags and mcap.

use crate::common::folder::Folder;
use crate::common::python::script;
use merrow::node::bridge::Bridge;
use merrow::publisher::state::RecordSettings;
use merrow::publisher::topic_filter::TopicFilter;
use merrow_ros2::bag::topics::visit_messages;
use merrow_sim::{Control, Observer, Pace, Simulation};
use merrow_world::{Overrides, load_text};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const MERROW: &str = env!("CARGO_BIN_EXE_merrow");

/// A vehicle with a camera, so that the test is short.
const CAMERA_WORLD: &str = "extends: pool
robots:
  bluerov2:
    model:
      extends: robots/bluerov2.yaml
      sensors:
        camera: {device: {extends: sensors/lowlight_hd.yaml, width: 64, height: 36}, position_m: [0.2, 0, 0]}
";

/// Arguments, or parts of names.
type Words<'a> = &'a [&'a str];

/// Runs a command in a folder.
fn merrow(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(MERROW);
    command.args(arguments).current_dir(folder);
    command.output().expect("the program starts")
}

/// Runs a world without ROS at maximum pace; returns its standard output.
#[track_caller]
fn run(folder: &Path, arguments: &[&str]) -> String {
    let all = [&["run"], arguments, &["--no-ros", "--pace", "max"]].concat();
    let output = merrow(folder, &all);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Topic, log time [ns] and bytes of the messages of a bag, in the order of its files.
fn messages(bag: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let mut found = Vec::new();
    let content = visit_messages(bag, &mut |topic, message| {
        let bytes = message.cdr.to_vec();
        found.push((topic.name.clone(), message.log_time_ns, bytes));
        Ok(())
    });
    assert_eq!(content.expect("a bag").notes, Vec::<String>::new());
    found
}

fn topics(bag: &Path) -> BTreeSet<String> {
    messages(bag).into_iter().map(|(topic, ..)| topic).collect()
}

/// Returns the MCAP files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "mcap"))
        .collect();
    files.sort();
    files
}

/// Counts the frames that exteroceptive sensors computed.
#[derive(Default)]
struct Frames(usize);

impl Observer for Frames {
    fn after_block(&mut self, simulation: &Simulation, _: &Control) {
        self.0 += simulation.frames.len();
    }
}

#[test]
fn selected_topics_are_recorded_and_computed() {
    let folder = Folder::new("record_topics", &[("w.yaml", CAMERA_WORLD)]);
    let base = ["w.yaml", "--for", "1", "--record"];
    let cases: [(&str, Words<'_>, Words<'_>, Words<'_>); 5] = [
        (
            "all",
            &[],
            &["/bluerov2/camera/", "/bluerov2/imu/data", "/clock"],
            &[],
        ),
        (
            "include",
            &["--record-topics", "imu|^/tf$"],
            &["/bluerov2/imu/data", "/tf"],
            &["/tf_static", "/clock", "camera", "/merrow/actuators"],
        ),
        (
            "exclude",
            &["--record-exclude", "/camera/"],
            &["/bluerov2/imu/data", "/merrow/actuators", "/clock"],
            &["camera"],
        ),
        (
            "both",
            &[
                "--record-topics",
                "/bluerov2/",
                "--record-exclude",
                "camera|imu",
            ],
            &["/bluerov2/odometry"],
            &["camera", "imu", "/tf", "/merrow/actuators"],
        ),
        (
            "own",
            &["--record-topics", "actuators"],
            &["/merrow/actuators"],
            &["/bluerov2"],
        ),
    ];
    for (name, options, present, absent) in cases {
        let bag = format!("{name}.mcap");
        run(&folder.0, &[&base, &[bag.as_str()][..], options].concat());
        let found = topics(&folder.0.join(bag));
        let has = |part: &&&str| found.iter().any(|topic| topic.contains(**part));
        assert_eq!(
            present.iter().find(|part| !has(part)),
            None,
            "{name}: {found:?}"
        );
        assert_eq!(absent.iter().find(has), None, "{name}: {found:?}");
    }
    // the same through the observer of a run, which sees every computed frame
    for (exclude, is_computed) in [(None, true), (Some("/camera/"), false)] {
        let world = load_text("w.yaml", CAMERA_WORLD, Overrides::default()).expect("a world");
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
        let mut bridge = Bridge::without_node(&simulation).expect("a recorder");
        let exclude = exclude.map(|text| Regex::new(text).expect("a pattern"));
        let settings = RecordSettings {
            filter: TopicFilter::new(None, exclude),
            ..RecordSettings::default()
        };
        bridge.set_record_settings(settings).expect("topics");
        let path = folder.0.join(format!("computed_{is_computed}.mcap"));
        bridge.record(path).expect("a recording");
        let mut frames = Frames::default();
        let requests = crossbeam_channel::unbounded().1;
        merrow_sim::run(
            &mut simulation,
            Pace::Max,
            Some(1.0),
            &requests,
            &mut [&mut bridge, &mut frames],
            &AtomicBool::new(false),
        );
        assert_eq!(frames.0 > 0, is_computed, "{} frames", frames.0);
        bridge.stop_recording().expect("a bag");
    }
}

#[test]
fn wrong_options_of_recordings_are_refused() {
    let folder = Folder::new("record_options", &[("w.yaml", CAMERA_WORLD)]);
    for (options, expected) in [
        (
            &["--record", "a", "--record-topics", "/bluerov2/camrea/.*"][..],
            "no topic of this world matches \"/bluerov2/camrea/.*\"; did you mean a part of \
             `/bluerov2/camera/",
        ),
        (
            &["--record", "a", "--record-exclude", "odometri"],
            "no topic of this world matches \"odometri\"; did you mean a part of \
             `/bluerov2/odometry`",
        ),
        (
            &["--record", "a", "--record-exclude", "."],
            "leaves no topic of this world to record",
        ),
        (
            &["--record", "a", "--record-topics", "(imu"],
            "expected a regular expression, found \"(imu\"",
        ),
        (
            &["--record", "a", "--record-topics", ""],
            "expected a regular expression, found an empty text",
        ),
        (&["--record-topics", "imu"], "--record <FILE.mcap|FOLDER>"),
        (
            &["--record", "a.mcap", "--record-max-size", "5"],
            "a.mcap is one file, which cannot be split; name a folder, such as a",
        ),
        (
            &["--record", "a", "--record-max-size", "0"],
            "expected a number of megabytes from 0.1 to 1e9, found \"0\"",
        ),
        (
            &["--record", "a", "--record-max-duration", "0"],
            "expected a number of seconds from 0.1",
        ),
        (
            &["--record", "a", "--record-max-duration", "-1"],
            "expected a number of seconds from 0.1",
        ),
        (
            &["--record", "a", "--record-compression", "zip"],
            "possible values: none, lz4",
        ),
    ] {
        let all = [&["run", "w.yaml", "--no-ros", "--for", "1"], options].concat();
        let output = merrow(&folder.0, &all);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(expected), "{options:?}: {errors}");
        assert_eq!(output.status.code(), Some(2), "{options:?}: {errors}");
        assert!(!folder.0.join("a").exists() && !folder.0.join("a.mcap").exists());
    }
}

/// A file at its size limit is reported by every command, and a recording that could not start leaves
/// nothing. Method: `ulimit -f`, in blocks of 1 kB; a name that is too long for its files.
#[test]
fn size_limits_and_failed_starts_are_reported() {
    let folder = Folder::new("record_limits", &[]);
    run(&folder.0, &["pool", "--for", "2", "--record", "dive.mcap"]);
    for (limit, arguments) in [
        (
            100,
            "run pool --no-ros --pace max --for 20 --record limited",
        ),
        (8, "report dive.mcap -o dive.html"),
        (8, "export dive.mcap --csv tables"),
        (2, "snapshot pool --view -o pool.jpg"),
    ] {
        let script = format!(r#"ulimit -f {limit}; exec "$0" {arguments}"#);
        let mut shell = Command::new("bash");
        let output = shell.args(["-c", &script, MERROW]).current_dir(&folder.0);
        let output = output.output().expect("the shell starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {errors}");
        assert!(errors.contains("too large"), "{arguments}: {errors}");
    }
    let long = "n".repeat(250);
    let arguments = ["run", "pool", "--no-ros", "--for", "1", "--record", &long];
    assert_eq!(merrow(&folder.0, &arguments).status.code(), Some(1));
    assert!(!folder.0.join(&long).exists());
}

/// Links and pipes that have the names of the metadata in the folder of a bag are neither followed nor
/// waited for.
#[test]
fn names_of_metadata_are_not_followed() {
    let folder = Folder::new("record_names", &[("kept", "a letter")]);
    let pipe = |path: &str| {
        let made = Command::new("mkfifo").arg(folder.0.join(path)).status();
        assert!(made.expect("mkfifo").success());
    };
    for name in ["linked", "piped", "read"] {
        std::fs::create_dir(folder.0.join(name)).unwrap();
    }
    std::os::unix::fs::symlink("../kept", folder.0.join("linked/metadata.yaml.new")).unwrap();
    pipe("piped/metadata.yaml.new");
    pipe("read/metadata.yaml");
    for (name, status) in [("linked", 0), ("piped", 0), ("read", 1)] {
        let arguments = ["run", "pool", "--no-ros", "--pace", "max", "--for", "0.2"];
        let output = merrow(&folder.0, &[&arguments[..], &["--record", name]].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{name}: {errors}");
    }
    let kept = std::fs::read_to_string(folder.0.join("kept")).unwrap();
    assert_eq!(kept, "a letter");
}

// Recordings in one file, in several files and with compression have the same messages in the same
// order, for Merrow and for two other readers. Method: runs of the same world at maximum pace,
// without `/diagnostics`, which contain wall-clock times.
#[test]
fn divided_and_compressed_recordings_are_equal() {
    let folder = Folder::new("record_division", &[("w.yaml", CAMERA_WORLD)]);
    let base = [
        "w.yaml",
        "--for",
        "3.5",
        "--record-exclude",
        "diagnostics",
        "--record",
    ];
    let cases: [(&str, &[&str], std::ops::Range<usize>); 4] = [
        ("whole", &[], 1..2),
        ("second", &["--record-max-duration", "1"], 4..5),
        ("size", &["--record-max-size", "0.5"], 2..20),
        (
            "lz4",
            &["--record-compression", "lz4", "--record-max-size", "0.1"],
            2..20,
        ),
    ];
    let mut all = BTreeMap::new();
    for (name, options, count) in cases {
        let line = run(&folder.0, &[&base, &[name][..], options].concat());
        let bag = folder.0.join(name);
        let parts = files(&bag);
        assert!(
            count.contains(&parts.len()),
            "{name}: {} files",
            parts.len()
        );
        if parts.len() > 1 {
            let expected = format!("messages in {name}, {} files", parts.len());
            assert!(line.contains(&expected), "{line}");
        }
        all.insert(name, messages(&bag));
        let size: u64 = parts
            .iter()
            .map(|p| p.metadata().expect("a file").len())
            .sum();
        println!("{name}: {} files, {size} bytes", parts.len());
        // each file is a bag of its own
        for part in &parts {
            let name = part.to_str().expect("UTF-8");
            let checked = merrow(&folder.0, &["replay", name, "--check"]);
            let errors = String::from_utf8_lossy(&checked.stderr);
            assert!(checked.status.success() && errors.is_empty(), "{errors}");
        }
        for command in [
            &["replay", name, "--check"][..],
            &["report", name, "-o", "r.html"],
            &["export", name, "--csv", "tables"],
            &[
                "plot",
                name,
                "/bluerov2/odometry.pose.pose.position.z",
                "-o",
                "z.svg",
            ],
            &["repair", name],
        ] {
            let done = merrow(&folder.0, command);
            let errors = String::from_utf8_lossy(&done.stderr);
            // images are written to files of their own, which is noted
            let mut notes = errors
                .lines()
                .filter(|line| !line.contains("in further files"));
            assert_eq!(
                (done.status.code(), notes.next()),
                (Some(0), None),
                "{command:?}"
            );
        }
        let repaired = messages(&folder.0.join(format!("{name}_repaired.mcap")));
        assert!(repaired == all[name], "{name}");
    }
    let whole = &all["whole"];
    assert!(whole.len() > 1000, "{}", whole.len());
    for (name, found) in &all {
        assert!(found == whole, "{name}: {} of {}", found.len(), whole.len());
    }
    let Some(mut python) = script("ros/bags/same.py") else {
        return;
    };
    let bags = all.keys().map(|name| folder.0.join(name));
    let done = python.args(bags).output().expect("Python starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        done.status.success(),
        "{}{}",
        text(&done.stdout),
        text(&done.stderr)
    );
}

// A replay of commands works from a bag with the topics of commands only. Method: the commands of a
// world file are no messages, so the bag is made of a recorded one: nothing but the clock remains,
// and the program says that the bag has no commands.
#[test]
fn bags_without_commands_are_reported() {
    let folder = Folder::new("record_commands", &[]);
    run(
        &folder.0,
        &[
            "pool",
            "--for",
            "1",
            "--record",
            "c.mcap",
            "--record-topics",
            "clock",
        ],
    );
    let replay = [
        "run",
        "pool",
        "--no-ros",
        "--for",
        "1",
        "--replay-commands",
        "c.mcap",
    ];
    let output = merrow(&folder.0, &replay);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("the bag has no commands for this world"),
        "{errors}"
    );
}

// A recording that cannot be written is reported in the summary too, and what was written stays
// readable. Method: compressed, with a limit on the size of a file that is below the size of the
// recording; and divided into files on a file system in memory of 1.5 MB in a mount namespace of its
// own, which is skipped where the system does not permit it.
#[test]
fn failed_recordings_are_readable() {
    const RUN: &str =
        "run pool --no-ros --pace max --for 60 --json --record-compression lz4 --record";
    let limited = format!(r#"ulimit -f 300; trap "" XFSZ; exec "$0" {RUN} limited"#);
    let mounted = format!(
        r#"mkdir disk; mount -t tmpfs -o size=1500k tmpfs disk || exit 99
        "$0" {RUN} disk/mounted --record-max-duration 5; code=$?; cp -r disk/mounted .; exit $code"#
    );
    let unshare = ["unshare", "--user", "--map-root-user", "--mount"];
    for (name, prefix, script, files_at_least) in [
        ("limited", &[][..], limited, 1),
        ("mounted", &unshare, mounted, 3),
    ] {
        let folder = Folder::new("record_failed", &[]);
        let words = [prefix, &["bash", "-c", &script, MERROW]].concat();
        let mut command = Command::new(words[0]);
        let output = command.args(&words[1..]).current_dir(&folder.0).output();
        let output = output.expect("the shell starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        if !prefix.is_empty() && !folder.0.join(name).exists() {
            println!("skipped: no permission to mount a file system in a namespace: {errors}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let error = summary["error"].as_str().expect("a reason");
        let expected = "the recording is incomplete: cannot write";
        assert!(error.starts_with(expected), "{error}");
        assert!(errors.contains(&format!("merrow: {error}")), "{errors}");
        assert_eq!(summary["simulated_s"], 60.0);
        let bag = folder.0.join(name);
        assert!(files(&bag).len() >= files_at_least, "{name}");
        let found = messages(&bag);
        assert!(found.len() > 1000, "{name}: {}", found.len());
        let text = std::fs::read_to_string(bag.join("metadata.yaml")).expect("metadata");
        let count = format!("\n  message_count: {}\n", found.len());
        assert!(text.contains(&count), "{name}: {count} in {text}");
    }
}

// The commands of docs/guides/recording.md work in the order of the page.
#[test]
fn commands_of_the_guide_work() {
    let folder = Folder::new("record_guide", &[]);
    let bin = folder.0.join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    // a replay ends with a signal
    let wrapper = format!(
        "#!/usr/bin/env bash\n[ \"$1\" = replay ] && set -- \"$@\" --check\nexec {MERROW} \"$@\"\n"
    );
    std::fs::write(bin.join("merrow"), wrapper).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("merrow"), mode).expect("a program");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/recording.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut blocks = page.split("```sh\n").skip(1);
    let mut count = 0;
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    while let Some(block) = blocks.next().and_then(|rest| rest.split("```").next()) {
        // other programs
        if block.lines().any(|line| line.starts_with("ros2")) {
            continue;
        }
        let output = Command::new("bash")
            .args(["-ec", block])
            .current_dir(&folder.0)
            .env("PATH", &path)
            .output()
            .expect("bash starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{block}{errors}");
        count += 1;
    }
    assert!(count >= 4, "{count} blocks");
}
