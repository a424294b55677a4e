//! Whole structures through `spec!`: every message with its exact text.

use std::collections::BTreeMap;

use crate::error::Problems;
use crate::load::Loader;
use crate::node::parse;
use crate::read::{Located, NamedMap, read_root};
use crate::schema::schema;

spec! {
    /// World with water and robots.
    pub(super) struct World {
        /// Water of the world.
        water: Water => "{}",
        /// Robots with their names.
        robots: NamedMap<Robot>,
        /// Seed of all noise.
        seed: u64 = 1,
        /// Number of simulated steps.
        steps: u32 [in 1..=1000] = 10,
        /// Whether it is recorded.
        record: bool = false,
    }

    /// Water with its current.
    pub(super) struct Water {
        /// Density of the water.
        density_kg_m3: f64 [positive] = 1025.0,
        /// Depth at the origin.
        depth_m: Option<f64> [positive],
        /// Current of the water.
        current: Current => "{kind: none}",
        /// Share of ice-covered water.
        ice: f64 [fraction] = 0.0,
        /// Latitude of the origin.
        latitude_deg: f64 [in -90.0..=90.0] = 0.0,
    }

    /// Kinds of a current.
    pub(super) enum Current {
        /// Water without a current.
        None = "none",
        /// Same current at every point.
        Uniform = "uniform" {
            /// Speed of the current.
            speed_m_s: f64 [non_negative],
            /// Direction it flows to.
            heading_deg: f64 = 0.0,
        },
        /// Current from a file.
        Gridded = "gridded" (Grid),
    }

    /// Current of a grid file.
    pub(super) struct Grid {
        /// Path of the grid file.
        file: String [not_empty],
    }

    /// Robot with its thrusters.
    pub(super) struct Robot {
        /// Mass of the body.
        mass_kg: f64 [positive],
        /// Principal moments of inertia.
        inertia_kg_m2: [f64; 3] => "[1, 1, 1]",
        /// Added mass as a matrix.
        added_mass: Option<[[f64; 6]; 6]>,
        /// Thrusters of the robot.
        thrusters: Vec<Thruster> = vec![],
        /// Tags of the robot.
        tags: Vec<Located<String>> [name] = vec![],
        /// Force limits by name.
        limits_n: BTreeMap<String, f64> [positive] = BTreeMap::new(),
    }

    /// Thruster with its current.
    pub(super) struct Thruster {
        /// Direction of the rotation.
        turning: Turning = Turning::Right,
        /// Name of the thruster.
        name: String [name],
        ..current: Current,
    }

    /// A sense of rotation.
    pub(super) enum Turning words {
        /// Turns clockwise from behind.
        Right = "right",
        /// Turns counter-clockwise from behind.
        Left = "left",
    }
}

fn world(text: &str) -> (Option<World>, String) {
    let mut problems = Problems::new();
    let world =
        parse("w.yaml", text, &mut problems).and_then(|node| read_root(&node, &mut problems));
    (world, problems.to_string())
}

#[track_caller]
fn refuses(text: &str, expected: &str) {
    let (world, problems) = world(text);
    assert_eq!(problems, expected);
    assert!(world.is_none() || expected.contains("unknown key"));
}

#[test]
fn defaults_apply_and_places_are_stored() {
    let (world, problems) = world(
        "water:\n  depth_m: 40\n  current: none\nrobots:\n  rov1:\n    mass_kg: 11.5\n    tags: [a, b]\n    \
         thrusters:\n    - {name: t1, kind: uniform, speed_m_s: 1}\n",
    );
    assert_eq!(problems, "");
    let world = world.unwrap();
    assert_eq!((world.seed, world.steps, world.record), (1, 10, false));
    assert_eq!(
        (world.water.density_kg_m3, world.water.depth_m),
        (1025.0, Some(40.0))
    );
    assert_eq!(world.water.current, Current::None);
    assert_eq!(
        world.water.at.key_place("depth_m").to_string(),
        "w.yaml:2:12"
    );
    assert_eq!(
        world.water.at.key_place("ice").to_string(),
        "w.yaml:2:3",
        "not written: the map"
    );
    assert!(world.water.at.has_key("depth_m") && !world.water.at.has_key("ice"));
    let robot = world.robots.get("rov1").unwrap();
    assert_eq!(
        world.robots.key_place("rov1").unwrap().to_string(),
        "w.yaml:5:3"
    );
    assert_eq!((robot.inertia_kg_m2, robot.added_mass), ([1.0; 3], None));
    assert_eq!(
        (robot.tags[1].as_str(), robot.tags[1].place.to_string()),
        ("b", "w.yaml:7:15".into())
    );
    assert_eq!(robot.thrusters[0].turning, Turning::Right);
    assert_eq!(robot.thrusters[0].current.kind(), "uniform");
}

#[test]
fn all_errors_are_reported() {
    refuses(
        "water:\n  density_kg_m3: abc\n  depth: 3\n  ice: 2\n  latitude_deg: -91\n  current: {kind: unifrom}\n\
         robots:\n  Rov:\n    mass_kg: .nan\n    inertia_kg_m2: [1, 2]\nsede: 3\n",
        "w.yaml:2:18: `density_kg_m3`: expected a positive number [kg/m3], found string `abc`\n\
         w.yaml:3:3: `depth` needs its unit; write `depth_m`\n\
         w.yaml:4:8: `ice`: expected a number from 0 to 1, found `2`\n\
         w.yaml:5:17: `latitude_deg`: expected a number from -90 to 90 [deg], found `-91`\n\
         w.yaml:6:19: `kind`: expected one of `none`, `uniform`, `gridded`, found string `unifrom`; did you mean `uniform`?\n\
         w.yaml:8:3: in `robots`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `Rov`\n\
         w.yaml:9:14: `mass_kg`: expected a finite number [kg], found `.nan`\n\
         w.yaml:10:20: `inertia_kg_m2`: expected 3 numbers [kg m2], found 2\n\
         w.yaml:11:1: unknown key `sede` in the file; expected one of `water`, `robots`, `seed`, `steps`, `record`; \
         did you mean `seed`?",
    );
}

#[test]
fn missing_keys_are_named_once() {
    refuses(
        "seed: 2\n",
        "w.yaml:1:1: missing key `robots` (robots with their names) in the file",
    );
    refuses(
        "robots:\n  a: {}\n",
        "w.yaml:2:6: missing key `mass_kg` (mass of the body) in `a`",
    );
    refuses(
        "robots:\n  a: {mass: 1}\n",
        "w.yaml:2:7: `mass` needs its unit; write `mass_kg`",
    );
    refuses(
        "",
        "w.yaml:1:1: missing key `robots` (robots with their names) in the file",
    );
    refuses(
        "robots: {}\nwater: {current: {speed_m_s: 1}}\n",
        "w.yaml:2:18: missing key `kind` in `current`; expected one of `none`, `uniform`, `gridded`",
    );
    refuses(
        "robots: {}\nwater: {current: {kind: uniform}}\n",
        "w.yaml:2:18: missing key `speed_m_s` (speed of the current) in `current`",
    );
}

#[test]
fn wrong_types_are_named() {
    let robot = |text: &str, expected: &str| {
        refuses(
            &format!("robots: {{a: {{mass_kg: 1, {text}}}}}\n"),
            &format!("w.yaml:1:{expected}"),
        );
    };
    robot(
        "tags: [1, X]",
        "33: `tags[0]`: expected a name of lowercase letters, digits and `_` that starts with a letter, found `1`\n\
         w.yaml:1:36: `tags[1]`: expected a name of lowercase letters, digits and `_` that starts with a letter, found string `X`",
    );
    robot(
        "limits_n: {a: 0}",
        "40: `a`: expected a positive number [N], found `0`",
    );
    robot(
        "limits_n: 3",
        "36: `limits_n`: expected a map of names to positive numbers, found `3`",
    );
    robot(
        "thrusters: {}",
        "37: `thrusters`: expected a list of maps with keys, found a map",
    );
    robot(
        "inertia_kg_m2: 3",
        "41: `inertia_kg_m2`: expected a list of 3 numbers [kg m2], found `3`",
    );
    robot(
        "added_mass: [[1]]",
        "38: `added_mass`: expected 6 lists of 6 numbers, found 1\n\
         w.yaml:1:39: `added_mass[0]`: expected 6 numbers, found 1",
    );
    robot(
        "thrusters: [{name: t, kind: none, turning: up}]",
        "69: `turning`: expected one of `right`, `left`, found string `up`",
    );
    refuses(
        "robots: {}\nseed: '1'\n",
        "w.yaml:2:7: `seed`: expected a non-negative whole number, found string `\"1\"`",
    );
    refuses(
        "robots: {}\nseed: -1\n",
        "w.yaml:2:7: `seed`: expected a non-negative whole number, found `-1`",
    );
    refuses(
        "robots: {}\nsteps: 1.5\n",
        "w.yaml:2:8: `steps`: expected a whole number from 1 to 1000, found `1.5`",
    );
    refuses(
        "robots: {}\nrecord: yes\n",
        "w.yaml:2:9: `record`: expected true or false, found string `yes`",
    );
    refuses(
        "robots: {}\nwater: {ice: ~}\n",
        "w.yaml:2:14: `ice`: expected a number from 0 to 1, found null",
    );
    refuses(
        "[1]",
        "w.yaml:1:1: the file: expected a map with keys, found a list of 1",
    );
}

#[test]
fn keys_of_a_shared_map_are_checked_together() {
    refuses(
        "robots: {a: {mass_kg: 1, thrusters: [{name: t, kind: uniform, speed_kn: 1, nam: x}]}}\n",
        "w.yaml:1:63: unknown key `speed_kn`: expected `speed_m_s` [m/s], found the unit `kn`\n\
         w.yaml:1:76: unknown key `nam` in `thrusters[0]`; expected one of `turning`, `name`, `speed_m_s`, \
         `heading_deg`; did you mean `name`?",
    );
    refuses(
        "robots: {}\nwater: {current: {kind: none, speed_m_s: 1}}\n",
        "w.yaml:2:31: unknown key `speed_m_s` in `current`; expected no keys here",
    );
}

#[test]
fn keys_of_a_missing_file_are_not_reported() {
    let mut problems = Problems::new();
    let text = "robots:\n  a:\n    extends: nowhere.yaml\n";
    let node = Loader::new(vec![])
        .load_text("no/such/folder/w.yaml", text, &mut problems)
        .unwrap();
    assert!(read_root::<World>(&node, &mut problems).is_none());
    let expected = "no/such/folder/w.yaml:3:14: no file `nowhere.yaml`, looked in `no/such/folder`";
    assert_eq!(problems.to_string(), expected);
}

#[test]
fn schema_matches_the_reader() {
    let schema = schema::<World>("Merrow world", &[]);
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(schema["$ref"], "#/$defs/World");
    let defs = &schema["$defs"];
    let density = &defs["Water"]["properties"]["density_kg_m3"];
    assert_eq!(density["exclusiveMinimum"], 0.0);
    assert_eq!(density["default"], 1025.0);
    assert_eq!(density["description"], "Density of the water. Unit: kg/m3.");
    assert_eq!(defs["Water"]["additionalProperties"], false);
    assert_eq!(
        defs["Water"]["properties"]["current"]["default"]["kind"],
        "none"
    );
    assert_eq!(defs["World"]["then"]["required"][0], "robots");
    assert_eq!(defs["World"]["properties"]["steps"]["maximum"], 1000);
    assert_eq!(defs["Turning"]["enum"][1], "left");
    assert_eq!(
        defs["Current"]["anyOf"][1]["properties"]["kind"]["const"],
        "uniform"
    );
    assert_eq!(
        defs["Thruster"]["anyOf"][2]["properties"]["file"]["minLength"],
        1
    );
    assert_eq!(
        defs["Robot"]["properties"]["inertia_kg_m2"]["default"][2],
        1.0
    );
}

#[test]
fn values_survive_a_json_round_trip() {
    use crate::read::Read;
    let text = "robots: {a: {mass_kg: 2, thrusters: [{name: t, kind: gridded, file: f.nc}], limits_n: {x: 1}}}";
    let first = world(text).0.unwrap();
    let (second, problems) = world(&first.json().to_string());
    assert_eq!(problems, "");
    assert_eq!(second.unwrap(), first);
}

#[test]
fn reader_never_panics_or_fails_silently() {
    let seed = "water: {density_kg_m3: 1e3, depth_m: 5, current: {kind: uniform, speed_m_s: 1}}\nrobots:\n  a:\n    \
                mass_kg: 1\n    thrusters:\n    - {name: t, kind: none, turning: left}\n    limits_n: {x: 0x1F}\n";
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for _ in 0..2000 {
        let mut bytes = seed.as_bytes().to_vec();
        for _ in 0..=next(4) {
            let (at, from) = (next(bytes.len()), next(bytes.len()));
            match next(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b" \n:,{}[]-1.ae~_"[next(15)],
                _ => bytes[at] = bytes[from],
            }
        }
        let (world, problems) = world(&String::from_utf8_lossy(&bytes));
        assert!(world.is_some() || !problems.is_empty());
    }
}

spec! {
    /// Profiles of the wind.
    #[derive(Copy)]
    pub(super) enum Shear plain {
        /// Wind that grows with the logarithm of the height.
        Log = "log" {
            /// Roughness of the surface.
            roughness_m: f64 [positive],
        },
    }

    /// Air with its wind.
    pub(super) struct Air {
        /// Profile of the wind.
        shear: Shear,
    }
}

#[test]
fn a_plain_choice_has_the_positions_of_its_structure() {
    let mut problems = Problems::default();
    let text = "shear:\n  kind: log\n  roughness_m: 3\n";
    let node = parse("w.yaml", text, &mut problems).unwrap();
    let air: Air = read_root(&node, &mut problems).unwrap();
    assert_eq!(air.shear, Shear::Log { roughness_m: 3.0 });
    assert_eq!(
        air.at.key_place("shear.roughness_m").to_string(),
        "w.yaml:3:16"
    );
    assert_eq!(air.at.key_place("shear").to_string(), "w.yaml:2:3");
}
