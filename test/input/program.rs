//! Tests of the program as a process: where it finds its data, what it prints and how it ends.
//!
//! Goal: the program works in any folder, and reports a wrong use in one line with a remedy.
//! Method: the program itself in small folders, its output and exit status.

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
    assert_eq!(output.status.code(), Some(1), "{errors}");
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
    for folder in ["worlds", "params", "grids", "meshes", "urdf"] {
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
