//! Tests of the program as a process: where it finds its data, what it prints and how it ends.
//!
//! The program works in any folder, and reports a wrong use in one line with a remedy. Method: the
//! program itself in small folders, its output and exit status.

use crate::common::folder::Folder;
use merrow_world::data_dir;
use std::path::Path;
use std::process::{Command, Output};

const MERROW: &str = env!("CARGO_BIN_EXE_merrow");

/// Program that was moved to the folder `bin` of a folder, away from its data.
struct Moved(Folder);

impl Moved {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name, &[("bin/empty", "")]);
        std::fs::copy(MERROW, folder.0.join("bin/merrow")).expect("a copy");
        Self(folder)
    }

    /// Returns the command in the folder of the program, whose caches are in the folder `cache`.
    fn command(&self, arguments: &[&str]) -> Command {
        let folder = self.0.0.join("bin");
        let mut command = Command::new(folder.join("merrow"));
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("XDG_CACHE_HOME", self.0.0.join("cache"));
        command
    }
}

/// Returns the standard output of a command that succeeds.
#[track_caller]
fn output_of(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{errors}");
    String::from_utf8(stdout).expect("text")
}

/// Returns the last line of the standard error of a command that fails.
#[track_caller]
fn error_of(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    // status.rs tests which of them
    let code = output.status.code();
    assert!(matches!(code, Some(1 | 2)), "{code:?}: {errors}");
    errors.lines().last().unwrap_or_default().to_string()
}

fn state_hash(report: &str) -> &str {
    let (_, rest) = report.split_once("\"state_hash\":\"").expect("a hash");
    &rest[..16]
}

#[test]
fn a_moved_program_contains_its_data() {
    let moved = Moved::new("moved");
    let listed = output_of(&mut moved.command(&["list"]));
    assert_eq!(listed, output_of(Command::new(MERROW).arg("list")));
    // meshes, and grids that are mapped into memory
    for world in ["pool", "riverwatch"] {
        let arguments = [
            "run", world, "--no-ros", "--pace", "max", "--for", "0.2", "--json",
        ];
        let there = output_of(&mut moved.command(&arguments));
        let here = output_of(Command::new(MERROW).args(arguments));
        assert_eq!(state_hash(&there), state_hash(&here), "{world}");
    }
    // the files in the program equal the source tree
    let cache = moved.0.0.join("cache");
    let unpacked = cache.read_dir().expect("a cache").next().expect("a folder");
    let unpacked = unpacked.expect("a folder").path();
    let source = data_dir::share_folders().remove(0);
    for folder in ["worlds", "params", "grids", "meshes", "urdf", "test/data"] {
        assert_same_files(&source.join(folder), &unpacked.join(folder));
    }
    // a file of an interrupted copy is replaced
    std::fs::write(unpacked.join("worlds/pool.yaml"), "robots: {").expect("written");
    output_of(&mut moved.command(&["check", "pool"]));
}

/// Compares the files below two folders.
#[track_caller]
fn assert_same_files(source: &Path, copy: &Path) {
    for entry in source.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        let other = copy.join(path.file_name().expect("a name"));
        if path.is_dir() {
            assert_same_files(&path, &other);
        } else {
            let is_same = std::fs::read(&other).ok() == std::fs::read(&path).ok();
            let file = path.display();
            assert!(is_same, "{file} is not in the program; touch src/main.rs");
        }
    }
}

#[test]
fn share_folders_are_searched_in_order() {
    let moved = Moved::new("share");
    let add = |folder: &str, description: &str| {
        let folder = moved.0.0.join(folder);
        std::fs::create_dir_all(folder.join("worlds")).expect("a folder");
        std::fs::create_dir_all(folder.join("params")).expect("a folder");
        let text = format!("description: {description}\nrobots: {{}}\n");
        std::fs::write(folder.join("worlds/pool.yaml"), text).expect("written");
    };
    let listed = |variable: Option<&str>| {
        let mut command = moved.command(&["list"]);
        command.envs(variable.map(|value| ("MERROW_SHARE", value)));
        let text = output_of(&mut command);
        let world = text.lines().find(|line| line.starts_with("  pool "));
        world
            .expect("a world")
            .trim_start_matches("  pool ")
            .trim()
            .to_string()
    };
    let inside = listed(None);
    add("own", "first");
    assert_eq!(listed(Some("../own")), "first");
    assert_eq!(listed(None), inside);
    for place in ["share/merrow", "bin/share/merrow"] {
        add(place, place);
        assert_eq!(listed(None), place);
        assert_eq!(listed(Some("../own")), "first");
    }
    let mut wrong = moved.command(&["check", "pool"]);
    let expected = "merrow: MERROW_SHARE: expected a folder with `params` or `worlds`, found /proc; \
                    correct or unset it";
    assert_eq!(error_of(wrong.env("MERROW_SHARE", "/proc")), expected);
}

#[test]
fn missing_data_is_reported_with_the_searched_places() {
    let moved = Moved::new("no_data");
    for arguments in [["check", "pool"].as_slice(), &["list"]] {
        let mut command = moved.command(arguments);
        let variables = ["XDG_CACHE_HOME", "HOME", "TMPDIR"];
        let message = error_of(command.envs(variables.map(|name| (name, "/proc/none"))));
        for part in [
            "bin/share/merrow",
            "/proc/none/.cache/merrow-",
            "No such file or directory",
            "set MERROW_SHARE to a folder with",
        ] {
            assert!(message.contains(part), "no {part} in {message}");
        }
    }
}

/// Data are unpacked to the folder for temporary files although something else has their name there.
/// Method: a link, then folders that all may write, under the names that the program chooses.
#[test]
fn names_taken_by_other_users_do_not_hide_the_data() {
    let moved = Moved::new("taken");
    let shared = moved.0.0.join("tmp");
    std::fs::create_dir(&shared).expect("a folder");
    let list = || {
        let mut command = moved.command(&["list"]);
        command.env_remove("XDG_CACHE_HOME").env("TMPDIR", &shared);
        output_of(&mut command)
    };
    let expected = list();
    for taken in 1..4 {
        let mut names: Vec<_> = std::fs::read_dir(&shared)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        names.sort();
        assert_eq!(names.len(), taken);
        let last = names.pop().expect("a folder");
        std::fs::remove_dir_all(&last).expect("removed");
        if taken == 1 {
            std::os::unix::fs::symlink("/", &last).expect("a link");
        } else {
            std::fs::create_dir(&last).expect("a folder");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
            std::fs::set_permissions(&last, mode).expect("changed");
        }
        assert_eq!(list(), expected);
    }
}

/// The cache of a folder that others can write is not used: its files could be links.
#[test]
fn caches_that_others_can_write_are_not_used() {
    let moved = Moved::new("open_cache");
    let shared = moved.0.0.join("tmp");
    let cache = moved.0.0.join("cache");
    for folder in [&shared, &cache] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(&cache, mode).expect("changed");
    output_of(moved.command(&["list"]).env("TMPDIR", &shared));
    assert_eq!(cache.read_dir().expect("a folder").count(), 0);
    assert_eq!(shared.read_dir().expect("a folder").count(), 1);
    // a folder for temporary files without an absolute path is not used
    let count = || moved.0.0.join("bin").read_dir().expect("a folder").count();
    let before = count();
    output_of(moved.command(&["list"]).env("TMPDIR", ""));
    assert_eq!(count(), before, "data in the working folder");
}

/// A saved world replaces neither a file of the world nor another file. Method: the world itself, a
/// saved world that it extends, and a text; then another saved world.
#[test]
fn saved_worlds_replace_only_other_saved_worlds() {
    let files = [("w.yaml", "extends: pool\n"), ("letter.yaml", "a letter\n")];
    let folder = Folder::new("replaced", &files);
    let save = |world: &str, output: &str| {
        let mut command = Command::new(MERROW);
        let arguments = ["save", world, "-o", output];
        command.current_dir(&folder.0).args(arguments);
        command
    };
    output_of(&mut save("w.yaml", "one.yaml"));
    output_of(&mut save("one.yaml", "two.yaml"));
    output_of(&mut save("w.yaml", "three.yaml"));
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).expect("a file");
    for (world, output, reason) in [
        ("w.yaml", "w.yaml", "exists and is not a saved world"),
        ("w.yaml", "letter.yaml", "exists and is not a saved world"),
        ("one.yaml", "./one.yaml", "is a file of this world"),
        ("two.yaml", "one.yaml", "is a file of this world"),
    ] {
        let before = read(output);
        let message = error_of(&mut save(world, output));
        let expected = format!("merrow: {output} {reason}; choose another name");
        assert_eq!(message, expected);
        assert_eq!(read(output), before);
    }
    output_of(&mut save("two.yaml", "three.yaml"));
}

#[test]
fn saved_worlds_extend_bundled_worlds_by_name() {
    let folder = Folder::new("saved", &[("mine.yaml", "extends: pool\n")]);
    for (world, base) in [
        ("pool", "\"pool\"".to_string()),
        ("mine.yaml", { format!("{:?}", folder.0.join("mine.yaml")) }),
    ] {
        let mut save = Command::new(MERROW);
        output_of(
            save.current_dir(&folder.0)
                .args(["save", world, "-o", "saved.yaml"]),
        );
        let text = std::fs::read_to_string(folder.0.join("saved.yaml")).expect("a world");
        assert!(text.contains(&format!("extends: {base}\n")), "{text}");
        output_of(
            Command::new(MERROW)
                .arg("check")
                .arg(folder.0.join("saved.yaml")),
        );
    }
}

#[test]
fn foreign_files_are_named() {
    let sdf = "<?xml version=\"1.0\"?>\n<sdf version=\"1.9\"><world name=\"w\"/></sdf>\n";
    let urdf = "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"l\"/></robot>\n";
    let bag = "rosbag2_bagfile_information:\n  version: 5\n";
    let files = [
        ("w.sdf", sdf),
        ("r.urdf", urdf),
        ("bag/metadata.yaml", bag),
        ("b.mcap", "\u{89}"),
    ];
    let folder = Folder::new("foreign", &files);
    std::fs::write(folder.0.join("b.mcap"), b"\x89MCAP0\r\n").expect("written");
    for (file, expected) in [
        (
            "w.sdf",
            "is an SDF file of Gazebo, which is not read; write a world file in YAML",
        ),
        (
            "r.urdf",
            "is a URDF, which describes a robot; name it in a world file: `robots: {r: {model: {",
        ),
        ("bag", "is a bag; show it with `merrow replay bag`"),
        (
            "bag/metadata.yaml",
            "is a bag; show it with `merrow replay bag/metadata.yaml`",
        ),
        ("b.mcap", "is a bag; show it with `merrow replay b.mcap`"),
    ] {
        let mut check = Command::new(MERROW);
        let message = error_of(check.args(["check", file]).current_dir(&folder.0));
        assert!(
            message.starts_with(&format!("{file}: {expected}")),
            "{message}"
        );
    }
}

#[test]
fn a_missing_folder_of_a_recording_is_reported_before_the_world() {
    // the world has errors, which would be reported otherwise
    let folder = Folder::new("record", &[("w.yaml", "robots: 1\n")]);
    let mut run = Command::new(MERROW);
    run.args(["run", "w.yaml", "--record", "none/a.mcap"])
        .current_dir(&folder.0);
    let expected = "merrow: no folder none; create it, or choose another file name";
    assert_eq!(error_of(&mut run), expected);
}

#[test]
fn full_disks_are_reported_without_a_panic() {
    for arguments in [
        ["schema"].as_slice(),
        &["list"],
        &["check", "pool"],
        &["describe", "pool"],
        &["describe", "pool", "--json"],
        &["describe", "pool", "--urdf", "bluerov2"],
        &["run", "pool", "--no-ros", "--pace", "max", "--for", "0.1"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = Command::new(MERROW);
        command.args(arguments).stdout(full.expect("a device"));
        let output = command.output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().last().unwrap_or_default();
        let expected = "merrow: cannot write to standard output: No space left on device";
        assert!(last.starts_with(expected), "{arguments:?}: {errors}");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}

#[test]
fn halted_robots_end_a_run_with_an_error() {
    let text = "step: {dt_s: 0.01}\nrobots:\n  r:\n    position_m: [0, 0, -5]\n    model: {source: t, body: {source: t, \
                axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}, volume_m3: 0.01, \
                quadratic_damping: {kind: diagonal, values: [1.0e7, 0, 0, 0, 0, 0]}}}\n\
                schedule:\n  push: {time_s: 0.1, kind: push, robot: r, force_n: [1.0e5, 0, 0], duration_s: 1}\n";
    let folder = Folder::new("halted", &[("w.yaml", text)]);
    let mut run = Command::new(MERROW);
    run.args(["run", "w.yaml", "--no-ros", "--pace", "max", "--for", "5"]);
    let message = error_of(run.current_dir(&folder.0));
    let expected = "merrow: the run ends with a halted robot; try a smaller `dt_s` of `step` (now 0.01 s) or less \
                    damping, and check the units of mass, inertia, added mass and damping";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn refused_commands_are_listed_at_the_end() {
    // the commands of each robot have two reasons, at nearly the same wall-clock time
    let entry = |robot: &str, k: usize, goal: &str| {
        format!(
            "  {robot}{k}: {{time_s: {}, kind: goal, robot: {robot}, position_m: {goal}}}\n",
            0.1 * k as f64
        )
    };
    let mut text =
        "extends: pool\nrobots:\n  second: {model: bluerov2, position_m: [3, 3, -2]}\nschedule:\n"
            .to_string();
    for robot in ["bluerov2", "second"] {
        for k in 1..4 {
            text += &entry(robot, k, if k < 3 { "[0, 0, -90]" } else { "[0, 0, -80]" });
        }
    }
    let folder = Folder::new("refused", &[("w.yaml", &text)]);
    let mut run = Command::new(MERROW);
    run.args(["run", "w.yaml", "--no-ros", "--pace", "max", "--for", "1"]);
    let output = output_of(run.current_dir(&folder.0));
    assert!(output.contains("refused commands: 6"), "{output}");
    for robot in ["bluerov2", "second"] {
        for k in 1..4 {
            let z = if k < 3 { "-90.00" } else { "-80.00" };
            let line = format!(
                "       1 x {robot}: schedule {robot}{k}: goal: (0.00, 0.00, {z}) m is inside the seabed"
            );
            assert!(output.contains(&line), "no {line} in {output}");
        }
    }
}

#[test]
fn descriptions_are_limited_to_a_robot_or_to_topics() {
    let robot =
        output_of(Command::new(MERROW).args(["describe", "fleet_mixed", "--robot", "auv_0"]));
    assert!(
        robot.contains("\n  auv_0: ") && robot.contains("/auv_0/"),
        "{robot}"
    );
    assert!(!robot.contains("auv_1"), "{robot}");
    assert!(
        robot.contains("\nsensors: ") && robot.contains("cores in total"),
        "{robot}"
    );
    let topics = output_of(Command::new(MERROW).args(["describe", "pool", "--topics"]));
    assert!(topics.contains("/bluerov2/imu/data"), "{topics}");
    assert!(
        !topics.contains("parameters of") && !topics.contains("\nrobots"),
        "{topics}"
    );
    let action =
        "/simulate_steps                              simulation_interfaces/action/SimulateSteps";
    assert!(topics.contains(action), "{topics}");
    let wrong = error_of(Command::new(MERROW).args(["describe", "pool", "--robot", "x"]));
    assert_eq!(wrong, "merrow: no robot \"x\"; expected `bluerov2`");
}

#[test]
fn addresses_of_the_view_have_three_forms() {
    for (arguments, expected) in [
        (["--view=localhost:0", ""], "view: http://127.0.0.1:"),
        (["--view=0", ""], "view: http://127.0.0.1:"),
        (["--view", "127.0.0.1:0"], "view: http://127.0.0.1:"),
        (["--view", "0"], "view: http://127.0.0.1:"),
    ] {
        let mut run = Command::new(MERROW);
        run.arg("run")
            .args(arguments.iter().filter(|a| !a.is_empty()));
        run.args(["pool", "--no-ros", "--pace", "max", "--for", "0.1"]);
        let output = output_of(&mut run);
        assert!(output.contains(expected), "{arguments:?}: {output}");
    }
    let mut run = Command::new(MERROW);
    let output = run
        .args(["run", "pool", "--view=x"])
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("a port or `localhost:8080` is of this machine"),
        "{errors}"
    );
}
