//! Tests of `--set` and of the parameters of a world.
//!
//! A value that is set has the same effect as in the file, and a wrong one gives one line that
//! names the option. Method: exact messages; states after 1 s; worlds that are saved and loaded; the
//! program with every command.

use crate::common::folder::Folder;
use crate::input::without_root;
use merrow_sim::Simulation;
use merrow_world::{Document, Overrides, World, data_dir, load_text, load_world};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const MERROW: &str = env!("CARGO_BIN_EXE_merrow");

/// World with a list, a map, a file of a component and a grid of robots.
const WORLD: &str = "\
water: {current: {kind: uniform, speed_m_s: 0.2, direction_deg: 90}}
seabed: {depth_m: 20}
robots:
  rov: {model: bluerov2, position_m: [0, 0, -2]}
  auv: {model: bluerov2_heavy, position_m: [9, 0, -2]}
props:
  mark: {body: racing_mark, repeat: {count: [2, 1, 1], spacing_m: [3, 3, 3]}, position_m: [0, 20, 0]}
";

/// World with parameters of every form.
const PARAMETERS: &str = "\
parameters:
  speed: {value: 0.2, description: Speed of the current}
  depth: -2
  start: [0, 0, -3]
  vehicle: bluerov2
  tide: {kind: uniform, speed_m_s: 0.1, direction_deg: 90}
description: $$100 a day
water: {current: {kind: uniform, speed_m_s: $speed, direction_deg: 90}}
robots:
  rov: {model: $vehicle, position_m: [0, 0, $depth]}
  auv: {model: {extends: robots/bluerov2_heavy.yaml}, position_m: $start, attitude_deg: [0, 0, 90]}
";

fn sets(sets: &[&str]) -> Overrides {
    Overrides {
        sets: sets.iter().map(ToString::to_string).collect(),
        ..Overrides::default()
    }
}

/// Returns the messages of a world with these values.
fn messages(text: &str, values: &[&str]) -> String {
    match load_text("w.yaml", text, sets(values)) {
        Ok(_) => "accepted".to_string(),
        Err(problems) => without_root(&problems.to_string()),
    }
}

fn hash_after(world: World, seconds: f64) -> String {
    let mut simulation = Simulation::new(Arc::new(world.scene), 1).expect("a simulation");
    simulation.advance((seconds / simulation.scene.dt()).round() as u64);
    simulation.state.hash()
}

/// Compares all messages of a table, so that one run shows every difference.
fn check_all(text: &str, table: &[(&[&str], &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(values, expected)| {
            let found = messages(text, values);
            (found != *expected)
                .then(|| format!("{values:?}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_sets_are_rejected_with_their_option() {
    check_all(
        WORLD,
        &[
            (&["seed=7"], "accepted"),
            (
                &[
                    "robots.rov.position_m[2]=-3",
                    "robots.rov.attitude_deg=[0, 0, 90]",
                ],
                "accepted",
            ),
            (
                &["robots.rov.model.thrusters.t1.motor={extends: thrusters/t200_newton.yaml}"],
                "accepted",
            ),
            (
                &["robots.rov=null", "props=null", "weather.wind_speed_m_s=5"],
                "accepted",
            ),
            (
                &[
                    "robots.two={model: bluerov2, position_m: [5, 5, -2]}",
                    "robots.two.position_m[2]=-3",
                ],
                "accepted",
            ),
            (&["robots.\"rov\".'position_m'[0]=0.5"], "accepted"),
            (&["robots.rov.model=bluerov2_heavy"], "accepted"),
            (
                &["description=a: b"],
                "--set description: `description`: expected a string, found a map",
            ),
            (&["seed"], "--set seed: expected PATH=VALUE, found no `=`"),
            (&["=7"], "--set : expected a key, found `=7`"),
            (
                &["robots..rov=7"],
                "--set robots..rov: expected a key, found `.rov=7`",
            ),
            (
                &["seed="],
                "--set seed: expected a value after `=`; write `null` to remove the key",
            ),
            (
                &["seed=# 7"],
                "--set seed: expected a value after `=`; write `null` to remove the key",
            ),
            (
                &["seed=x"],
                "--set seed: `seed`: expected a non-negative whole number, found string `x`",
            ),
            (
                &["seed=7", "seed=8"],
                "--set seed: given twice; remove one of the two",
            ),
            (
                &[
                    "robots.rov.position_m[2]=-3",
                    "robots.rov={model: bluerov2}",
                ],
                "--set robots.rov.position_m[2]: has no effect, because a later `--set robots.rov` replaces it; give that first",
            ),
            (
                &["seed.x=1"],
                "--set seed.x: `seed`: expected a non-negative whole number, found a map",
            ),
            (
                &["robots.rov.position_m[3]=1"],
                "--set robots.rov.position_m[3]: `position_m` has 3 elements; expected [0] to [2], found [3]",
            ),
            (
                &["robots.rov.position_m.x=1"],
                "--set robots.rov.position_m.x: `position_m` is a list of 3, which has no key `x`; expected an index such as [0]",
            ),
            (
                &["robots.rov.position_m[0].x=1"],
                "--set robots.rov.position_m[0].x: element 0 of `position_m` is `0`, which has no key `x`",
            ),
            (
                &["robots.rov.model[0]=1"],
                "--set robots.rov.model[0]: `model` is a map, which has no element [0]",
            ),
            (
                &["robots.rov.attitude_deg[2]=1"],
                "--set robots.rov.attitude_deg[2]: `rov` has no list `attitude_deg`; set the whole list",
            ),
            (
                &["robots.rvo.position_m=[0, 0, -3]"],
                "--set robots.rvo.position_m: no `rvo` in `robots`; expected one of `rov`, `auv`",
            ),
            (
                &["robots.ship.position_m=[0, 0, -3]"],
                "--set robots.ship.position_m: no `ship` in `robots`; expected one of `rov`, `auv`",
            ),
            (
                &["robots.rov.position_m=[0, 0]"],
                "--set robots.rov.position_m: `position_m`: expected 3 numbers [m], found 2",
            ),
            (
                &["robots.rov.position_m=[0, 0"],
                "--set robots.rov.position_m: not valid YAML: `[` is not closed before line 2; expected `]`",
            ),
            (
                &["robots.rov.position=[0, 0, 0]"],
                "--set robots.rov.position: `position` needs its unit; write `position_m`",
            ),
            (
                &["water.current.speed_m_s=-1"],
                "--set water.current.speed_m_s: `speed_m_s`: expected a non-negative number [m/s], found `-1`",
            ),
            (
                &["robots.rov.model=bluerov3"],
                "--set robots.rov.model: no file `robots/bluerov3.yaml`, looked in `.`, `params`; did you mean `bluerov2.yaml`?",
            ),
            (
                &["extends=pool"],
                "--set extends: `extends` is resolved before; expected a key of the files that it names",
            ),
            (
                &["parameters.speed=1"],
                "--set parameters.speed: no parameter `speed`; there are none",
            ),
            (
                &["parameters=1"],
                "--set parameters: expected the name of a parameter, such as `parameters.speed`",
            ),
            (
                &["seed=$x"],
                "--set seed: no parameter `x`; there are none; declare it under `parameters` of the world",
            ),
            (
                &["robots.rov.position_m=[0, 0, -30]"],
                "--set robots.rov.position_m: rov is 10.13 m inside the seabed; expected a free pose, such as the position [0.00, 0.00, -19.87] m",
            ),
            (
                &["props.mark_0.position_m=[0, 0, 0]"],
                "--set props.mark_0.position_m: no `mark_0` in `props`; expected `mark`",
            ),
        ],
    );
    let both = Overrides {
        seed: Some(3),
        ..sets(&["seed=7"])
    };
    let problems = load_text("w.yaml", WORLD, both)
        .map(|_| ())
        .expect_err("two seeds");
    let expected = "--set seed: has no effect with --seed; remove one of the two";
    assert_eq!(problems.to_string(), expected);
}

#[test]
fn wrong_parameters_are_rejected_at_their_place() {
    check_all(
        PARAMETERS,
        &[
            (&[], "accepted"),
            (
                &[
                    "parameters.speed=0.4",
                    "parameters.depth=-4",
                    "parameters.start[2]=-6",
                ],
                "accepted",
            ),
            (
                &["parameters.vehicle=bluerov2_heavy", "water.current=$tide"],
                "accepted",
            ),
            (
                &["parameters.sped=0.4"],
                "--set parameters.sped: no parameter `sped`; did you mean `speed`?",
            ),
            (
                &["parameters.speed=fast"],
                "--set parameters.speed: `speed_m_s`: expected a non-negative number [m/s], found string `fast`",
            ),
            (
                &["parameters.tide.speed_m_s=1"],
                "--set parameters.tide.speed_m_s: has no effect: no value of the world is `$tide`",
            ),
            (
                &["parameters.speed=$depth"],
                "--set parameters.speed: parameter `speed`: expected a value without parameters, found `$depth`; write the value, or `$$` for the character `$`",
            ),
            (
                &["parameters.depth=null"],
                "--set parameters.depth: a parameter needs a value, found null; give it a value",
            ),
            (
                &["parameters.speed=~"],
                "--set parameters.speed: a parameter needs a value, found null; give it a value",
            ),
            (
                &["parameters.speed.foo=3"],
                "--set parameters.speed.foo: `value` is `0.2`, which has no key `foo`",
            ),
            (
                &["parameters.depth={description: d}"],
                "--set parameters.depth: parameter `depth`: has a `description` and no `value`; add the value",
            ),
        ],
    );
    let check = |text: &str, expected: &str| {
        assert_eq!(messages(text, &[]), expected, "{text}");
    };
    check(
        "parameters: {a: 1}\nseed: $b\nrobots: {}\n",
        "w.yaml:2:7: no parameter `b`; expected `a`",
    );
    check(
        "parameters: {speed: 1}\nseed: $sped\nrobots: {}\n",
        "w.yaml:2:7: no parameter `sped`; did you mean `speed`?",
    );
    check(
        "seed: $b\nrobots: {}\n",
        "w.yaml:1:7: no parameter `b`; there are none; declare it under `parameters` of the world",
    );
    check(
        "parameters: {a: $a}\nseed: $a\nrobots: {}\n",
        "w.yaml:1:17: parameter `a`: expected a value without parameters, found `$a`; write the value, or `$$` for the character `$`",
    );
    check(
        "parameters: {a: x}\nseed: $a\nrobots: {}\n",
        "w.yaml:1:17: `seed`: expected a non-negative whole number, found string `x`",
    );
    check(
        "parameters: {a: }\nseed: $a\nrobots: {}\n",
        "w.yaml:1:14: parameter `a`: expected a value, found null; give it a value or remove it",
    );
    check(
        "parameters: {A: 1}\nrobots: {}\n",
        "w.yaml:1:14: in `parameters`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `A`",
    );
    check(
        "parameters: 3\nrobots: {}\n",
        "w.yaml:1:13: `parameters`: expected a map of names to values, found `3`",
    );
    check(
        "description: $5 a day\nrobots: {}\n",
        "w.yaml:1:14: expected the name of a parameter after `$`, found `$5 a day`; write `$$` for the character `$`",
    );
    check("$a: 1\nrobots: {}\n", &messages("$a: 1\nrobots: {}\n", &[]));
}

#[test]
fn unused_parameters_are_warnings() {
    let text = "parameters: {a: 1, b: 2}\nseed: $b\nrobots: {}\n";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    let warnings: Vec<String> = world.warnings.iter().map(ToString::to_string).collect();
    let expected =
        "w.yaml:1:14: parameter `a` is not used; write `$a` in place of a value, or remove it";
    assert_eq!(warnings, [expected]);
    assert_eq!(world.scene.seed, 2);
}

// A value that is set has the effect of the same value in the file. Method: the hash of the state
// after 1 s of a world with the values set and with the values in the file, and one without.
#[test]
fn a_set_equals_an_edit_of_the_file() {
    let check = |text: &str, from: &str, to: &str, values: &[&str]| {
        assert!(text.contains(from), "{from}");
        let hash = |text: &str, values: &[&str]| {
            let world = load_text("w.yaml", text, sets(values));
            hash_after(world.unwrap_or_else(|e| panic!("{values:?}: {e}")), 1.0)
        };
        let edited = hash(&text.replace(from, to), &[]);
        assert_eq!(hash(text, values), edited, "{values:?}");
        assert_ne!(hash(text, &[]), edited, "{values:?}");
    };
    check(
        WORLD,
        "speed_m_s: 0.2",
        "speed_m_s: 0.5",
        &["water.current.speed_m_s=0.5"],
    );
    check(
        WORLD,
        "[0, 0, -2]",
        "[0, 0, -3]",
        &["robots.rov.position_m[2]=-3"],
    );
    check(
        WORLD,
        "[0, 0, -2]",
        "[0, 1, -3]",
        &["robots.rov.position_m=[0, 1, -3]"],
    );
    check(
        WORLD,
        "{model: bluerov2,",
        "{model: bluerov2_heavy,",
        &["robots.rov.model=bluerov2_heavy"],
    );
    check(WORLD, "seabed:", "seed: 9\nseabed:", &["seed=9"]);
    check(
        PARAMETERS,
        "value: 0.2",
        "value: 0.4",
        &["parameters.speed=0.4"],
    );
    check(
        PARAMETERS,
        "depth: -2",
        "depth: -5",
        &["parameters.depth=-5"],
    );
    check(
        PARAMETERS,
        "vehicle: bluerov2",
        "vehicle: bluerov2_heavy",
        &["parameters.vehicle=bluerov2_heavy"],
    );
    check(
        PARAMETERS,
        "start: [0, 0, -3]",
        "start: [0, 3, -3]",
        &["parameters.start[1]=3"],
    );
    // bundled worlds, whose files extend each other
    for (name, value, edit) in [
        (
            "pool",
            "water.density_kg_m3=1030",
            "water: {density_kg_m3: 1030}",
        ),
        ("docking_station", "seed=12", "seed: 12"),
        ("glider", "step.dt_s=0.001", "step: {dt_s: 0.001}"),
    ] {
        let file = data_dir::world_file(name);
        let folder = Folder::new("set", &[("w.yaml", &format!("extends: {name}\n{edit}\n"))]);
        let edited = load_world(&folder.0.join("w.yaml"), Overrides::default()).unwrap();
        let set = load_world(&file, sets(&[value])).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(hash_after(set, 1.0), hash_after(edited, 1.0), "{name}");
    }
}

// A world that extends another changes its parameters and the values that use them.
#[test]
fn extending_worlds_change_parameters() {
    let child = "extends: base.yaml\nparameters: {depth: -7}\nwater: {current: $tide}\n\
                 robots: {rov: {model: {thrusters: {t1: {motor: t200_newton}}}}}\n";
    let grandchild = "extends: child.yaml\nwater: {current: {speed_m_s: 0.6}}\n";
    let files = [
        ("base.yaml", PARAMETERS),
        ("child.yaml", child),
        ("grandchild.yaml", grandchild),
    ];
    let folder = Folder::new("parameters", &files);
    let load = |name: &str, values: &[&str]| {
        Document::load(&folder.0.join(name), sets(values)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let expected = PARAMETERS
        .replace("{value: 0.2, description: Speed of the current}", "1")
        .replace("depth: -2", "depth: -7")
        .replace("speed_m_s: $speed", "speed_m_s: 0.6")
        .replace(
            "model: $vehicle",
            "model: {extends: robots/bluerov2.yaml, thrusters: {t1: {motor: t200_newton}}}",
        );
    let expected = load_text("grandchild", &expected, Overrides::default()).unwrap();
    let (document, world) = load("grandchild.yaml", &[]);
    assert_eq!(hash_after(world, 1.0), hash_after(expected, 1.0));
    // no warning for `speed`, which the file below uses
    let (_, world) = load("grandchild.yaml", &["parameters.depth=-8"]);
    assert!(world.warnings.is_empty(), "{:?}", world.warnings);
    assert!(
        document.to_yaml().starts_with("extends: "),
        "{}",
        document.to_yaml()
    );
    let unused = Document::load(&folder.0.join("child.yaml"), sets(&["parameters.speed=1"]));
    let problems = unused.map(|_| ()).expect_err("no use");
    assert!(
        problems
            .to_string()
            .contains("--set parameters.speed: has no effect"),
        "{problems}"
    );
}

// A saved world contains the values that were set and no names of parameters, and a reset keeps
// them. Method: the state after 1 s of the world and of its saved text.
#[test]
fn saved_worlds_and_resets_keep_the_sets() {
    let values = [
        "parameters.speed=0.4",
        "parameters.vehicle=bluerov2_heavy",
        "robots.auv.position_m[0]=6",
        "seed=8",
    ];
    let folder = Folder::new("saved_sets", &[("w.yaml", PARAMETERS)]);
    let file = folder.0.join("w.yaml");
    // without the model, whose sensors the text extends in another order
    let of_file = [values[0], values[2], values[3]];
    let (document, world) = Document::load(&file, sets(&of_file)).unwrap();
    let expected = hash_after(world, 1.0);
    let text = document.to_yaml();
    assert!(!text.contains("parameters"), "{text}");
    let hash = |document: &Document| hash_after(document.build().unwrap(), 1.0);
    assert_eq!(hash(&document.as_loaded()), expected);
    std::fs::write(folder.0.join("saved.yaml"), &text).unwrap();
    let (_, saved) = Document::load(&folder.0.join("saved.yaml"), Overrides::default()).unwrap();
    let warnings: Vec<String> = saved.warnings.iter().map(ToString::to_string).collect();
    let is_of_tide = |text: &String| !text.contains("parameter") || text.contains("`tide`");
    assert!(warnings.iter().all(is_of_tide), "{warnings:?}");
    assert_eq!(hash_after(saved, 1.0), expected, "{text}");
    // a world in memory has no file to extend
    let (document, world) = Document::from_text("w.yaml", PARAMETERS, sets(&values)).unwrap();
    let expected = hash_after(world, 1.0);
    let text = document.to_yaml();
    assert!(
        !text.contains("parameters") && text.contains("$$100 a day"),
        "{text}"
    );
    let again = load_text("w.yaml", &text, Overrides::default()).unwrap();
    assert_eq!(hash_after(again, 1.0), expected);
}

/// Runs the program in a folder; returns whether it succeeded and its last line of errors.
fn run(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(MERROW)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn every_command_that_reads_a_world_accepts_sets() {
    let folder = Folder::new("set_commands", &[("w.yaml", PARAMETERS)]);
    let commands = [
        "run w.yaml --no-ros --pace max --for 0.1 --record run.mcap",
        "check w.yaml",
        "describe w.yaml --json",
        "save w.yaml -o saved.yaml",
        "snapshot w.yaml --view -o view.png",
        "layout w.yaml -o layout.json",
        "replay run_seed=21.mcap --world w.yaml --check",
    ];
    for command in commands {
        let with = |value: &'static str| {
            // a recording does not replace a file
            let file = format!("run_{value}.mcap");
            let command = command.replace("run.mcap", &file);
            let mut arguments: Vec<&str> = command.split(' ').collect();
            arguments.extend(["--set", "parameters.depth=-4", "--set", value]);
            run(&folder.0, &arguments)
        };
        let (is_done, printed, errors) = with("seed=21");
        assert!(is_done, "{command}: {errors}");
        if command.starts_with("describe") {
            assert!(printed.contains("\"seed\": 21"), "{printed}");
            assert!(printed.contains("\"value\": -4"), "{printed}");
        }
        let (is_done, _, errors) = with("sed=21");
        assert!(
            !is_done && errors.contains("\n--set sed: unknown key `sed`"),
            "{command}: {errors}"
        );
    }
    let saved = std::fs::read_to_string(folder.0.join("saved.yaml")).unwrap();
    assert!(
        saved.contains("seed: 21") && saved.contains("-4"),
        "{saved}"
    );
    // the recorded world has the values of the run
    let (is_done, _, errors) = run(&folder.0, &["replay", "run_seed=21.mcap", "--check"]);
    assert!(is_done, "{errors}");
}

#[test]
fn a_run_continues_with_the_same_sets_only() {
    let folder = Folder::new("set_resume", &[("w.yaml", PARAMETERS)]);
    let with = |rest: &str| {
        let mut arguments: Vec<&str> = "run w.yaml --no-ros --pace max --for 0.1"
            .split(' ')
            .collect();
        arguments.extend(rest.split(' '));
        run(&folder.0, &arguments)
    };
    assert!(with("--set parameters.speed=0.4 --checkpoint a.cp").0);
    let (is_done, _, errors) = with("--set parameters.speed=0.4 --resume a.cp");
    assert!(is_done, "{errors}");
    let (is_done, _, errors) = with("--resume a.cp");
    assert!(
        !is_done && errors.contains("the values of --set have changed"),
        "{errors}"
    );
}

// No text of the option and no parameter makes the reader panic. Method: parts of paths and values
// in random order.
#[test]
fn no_set_makes_the_reader_panic() {
    const PARTS: &[&str] = &[
        "robots",
        ".",
        "rov",
        "[",
        "]",
        "0",
        "=",
        "position_m",
        "parameters",
        "$",
        "speed",
        "$$",
        "\"",
        "'",
        "{",
        "}",
        ": ",
        ", ",
        "null",
        "é",
        "model",
        "bluerov2",
        "-1",
        "\n",
        "\0",
        "water",
        "current",
        "extends",
        "x",
        "99999999999999999999",
        "=[",
        "&a ",
        "*a",
        "#",
        "seed=",
        "robots.rov.",
        "parameters.depth=",
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for _ in 0..400 {
        let mut value = || {
            (0..=next(9))
                .map(|_| PARTS[next(PARTS.len())])
                .collect::<String>()
        };
        let values = [value(), value()];
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let found = messages(PARAMETERS, &values);
        for line in found.lines() {
            let is_placed = line.starts_with("--set ") || line.starts_with("w.yaml");
            assert!(line == "accepted" || is_placed, "{values:?}: {line}");
        }
    }
}
