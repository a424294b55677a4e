//! Tests of files that are missing, that include each other in a cycle, or that are wrong
//! themselves.
//!
//! An error is reported in the file that contains it, and a missing file is reported with the
//! searched folders. Method: small folders of files and the exact messages.

use crate::common::folder::Folder;
use crate::input::without_root;
use merrow_world::data_dir::unknown_world_message;
use merrow_world::{Overrides, load_world};

/// Returns the messages of `w.yaml` in a folder, without the name of the folder.
fn messages(folder: &Folder) -> String {
    let messages = match load_world(&folder.0.join("w.yaml"), Overrides::default()) {
        Ok(_) => "accepted".into(),
        Err(problems) => problems.to_string(),
    };
    let folder = folder.0.to_string_lossy();
    without_root(&messages)
        .replace(&format!("{folder}/"), "")
        .replace(&*folder, "HERE")
}

/// Loads `w.yaml` from a folder with `files` and compares all messages, one per line.
#[track_caller]
fn check(name: &str, files: &[(&str, &str)], expected: &str) {
    assert_eq!(
        messages(&Folder::new(&format!("in_{name}"), files)),
        expected
    );
}

#[test]
fn a_missing_world() {
    check(
        "none",
        &[("wx.yaml", "robots: {}\n")],
        "w.yaml: no such file; did you mean `wx.yaml`?",
    );
    check(
        "folder",
        &[("w.yaml/a.yaml", "robots: {}\n")],
        "w.yaml: is a folder; expected a YAML file",
    );
    check(
        "nothing_like_it",
        &[("other.txt", "")],
        "w.yaml: no such file in the folder `HERE`; expected the path of a YAML file",
    );
}

#[test]
fn unknown_world_names() {
    let expected = "riverwach: no such file, and no bundled world has this name (`merrow list` lists them); \
                    did you mean `riverwatch`?";
    assert_eq!(
        unknown_world_message("riverwach").as_deref(),
        Some(expected)
    );
    for known in [
        "riverwatch",
        "riverwatch.yaml",
        "here/riverwach",
        "riverwach.yaml",
    ] {
        assert_eq!(unknown_world_message(known), None, "{known}");
    }
}

#[test]
fn missing_files_are_reported() {
    let base = ("w.yaml", "extends: bse.yaml\n");
    let expected =
        "w.yaml:1:10: no file `bse.yaml`, looked in `HERE`, `params`; did you mean `base.yaml`?";
    check("base", &[base, ("base.yaml", "robots: {}\n")], expected);
    let parts = "robots:\n  r:\n    model:\n      source: test\n      body: bluerov3\n      battery: packs/small.yaml\n";
    let expected = "w.yaml:5:13: no file `bodies/bluerov3.yaml`, looked in `HERE`, `params`\n\
                    w.yaml:6:16: no file `packs/small.yaml`, looked in `HERE`, `params`";
    check("parts", &[("w.yaml", parts)], expected);
    let no_name = "robots:\n  r: {model: {extends: [robots/bluerov2.yaml]}}\n";
    let expected = "w.yaml:2:24: `extends`: expected the name of one file";
    check("noname", &[("w.yaml", no_name)], expected);
}

#[test]
fn include_cycles_are_reported() {
    let expected = "w.yaml:1:10: circular `extends`: w.yaml:1:10 names `w.yaml`";
    check(
        "self",
        &[("w.yaml", "extends: w.yaml\nrobots: {}\n")],
        expected,
    );
    let two = [
        ("w.yaml", "extends: a.yaml\nrobots: {}\n"),
        ("a.yaml", "extends: w.yaml\n"),
    ];
    let expected =
        "w.yaml:1:10: circular `extends`: w.yaml:1:10 names `a.yaml`, a.yaml:1:10 names `w.yaml`";
    check("two", &two, expected);
    let below = [
        ("w.yaml", "robots: {r: {model: {extends: m.yaml}}}\n"),
        ("m.yaml", "extends: m.yaml\n"),
    ];
    let expected = "m.yaml:1:10: circular `extends`: m.yaml:1:10 names `m.yaml`";
    check("below", &below, expected);
}

#[test]
fn errors_are_reported_in_their_file() {
    let robot = "extends: robots/bluerov2.yaml\ncomand_timeout_s: 3\n";
    let expected = "my/rov.yaml:2:1: unknown key `comand_timeout_s` in `model`; expected one of `description`, `source`, `estimated`, `unstable_course`, \
                    `urdf`, `hydrodynamics`, `base`, `height_above_seabed_m`, `root`, `body`, `links`, `contact_wrenches`, `self_collision`, `joint_groups`, \
                    `trajectories`, `keep_out`, `thrusters`, `fins`, `buoyancy_engines`, `command_timeout_s`, `sensors`, `modems`, `battery`, `loads`, `lamps`, `solar_panels`, `firmware`, `computers`, `autopilot`; did you mean \
                    `command_timeout_s`?";
    // Two robots of one model: reported once.
    let world = "robots:\n  a: {model: my/rov.yaml}\n  b: {model: my/rov.yaml}\n";
    check(
        "once",
        &[("w.yaml", world), ("my/rov.yaml", robot)],
        expected,
    );
    let body = "extends: bodies/bluerov2_wu2018.yaml\nmass_kg: heavy\n";
    let world = "robots:\n  a: {model: {extends: robots/bluerov2.yaml, body: body.yaml}}\n";
    let expected =
        "body.yaml:2:10: `mass_kg`: expected a positive number [kg], found string `heavy`";
    check("part", &[("w.yaml", world), ("body.yaml", body)], expected);
    let broken = [
        ("w.yaml", "robots: {a: {model: rov.yaml}}\n"),
        ("rov.yaml", "body: {mass_kg: 1\n"),
    ];
    let expected = "rov.yaml:1:7: not valid YAML: `{` is not closed before line 2; expected `}`";
    check("broken", &broken, expected);
}

#[test]
fn files_of_the_wrong_form() {
    let list = [
        ("w.yaml", "robots: {a: {model: rov.yaml}}\n"),
        ("rov.yaml", "- 1\n"),
    ];
    let expected =
        "w.yaml:1:21: expected a file with keys, found `rov.yaml` with a list or a string";
    check("list", &list, expected);
    let empty = [
        ("w.yaml", "robots: {a: {model: rov.yaml}}\n"),
        ("rov.yaml", "\n"),
    ];
    let expected = "w.yaml:1:21: missing key `body` (body of the base link: a name in `params/bodies`, a file, or a map) in \
                    `model`\nw.yaml:1:21: missing key `source` (source of the parameter values) in `model`";
    check("empty", &empty, expected);
    let folder = Folder::new("in_latin", &[]);
    std::fs::write(
        folder.0.join("w.yaml"),
        b"robots: {}\ndescription: caf\xe9\n",
    )
    .unwrap();
    assert_eq!(messages(&folder), "w.yaml: not UTF-8 text from line 2 on");
}

/// A component can be replaced by one of another kind without resetting the keys of the first.
#[test]
fn component_of_another_kind_replaces_the_first() {
    let world = "robots:\n  a:\n    model:\n      extends: robots/bluerov2_heavy.yaml\n      thrusters:\n        \
                 t1: {motor: {lag: {kind: first_order, time_constant_s: 0.1}}}\n  b:\n    position_m: [9, 0, 0]\n    model:\n      \
                 extends: robots/osu_uvms.yaml\n      links:\n        wrist: {joint: {drive: {kind: effort, stiffness: 5}}}\n";
    check("kind", &[("w.yaml", world)], "accepted");
}

/// `extends:` accepts the bare name of a bundled world, and only at the top level of a world.
#[test]
fn shipped_worlds_are_extended_by_name() {
    check(
        "shipped",
        &[("w.yaml", "extends: pool\nseed: 7\n")],
        "accepted",
    );
    let folder = Folder::new(
        "not_a_world",
        &[("w.yaml", "robots: {a: {model: {extends: pool}}}\n")],
    );
    assert!(
        messages(&folder).contains("no file `pool`"),
        "{}",
        messages(&folder)
    );
}
