//! Tests of parameters that are drawn at random from the seed of the world.
//!
//! Method: exact values for one seed, moments over many seeds, exact messages, saved worlds.

use crate::common::folder::Folder;
use crate::input::without_root;
use merrow_world::{Document, Overrides, World, load_text};

/// World with a distribution of every kind.
const WORLD: &str = "\
parameters:
  depth: {uniform: [-3, -2]}
  corner: {value: {uniform: [[-5, -5, 0], [5, 5, 1]]}, description: A corner}
  count: {integer: [1, 4]}
  speed: {normal: [0.5, 0.1]}
  vehicle: {choice: [bluerov2, bluerov2_heavy]}
  order: {shuffle: [1, 2, 3, 4]}
water: {current: {kind: uniform, speed_m_s: $speed, direction_deg: 90}}
named_poses:
  corner: {position_m: $corner}
  order: {position_m: [0, 0, 0], tags: $order}
robots:
  rov: {model: $vehicle, position_m: [0, 0, $depth]}
props:
  mark: {body: racing_mark, repeat: {count: [$count, 1, 1], spacing_m: [3, 3, 3]}, position_m: [0, 20, 0]}
";

fn overrides(seed: Option<u64>, sets: &[&str]) -> Overrides {
    Overrides {
        seed,
        sets: sets.iter().map(ToString::to_string).collect(),
        ..Overrides::default()
    }
}

/// What the distributions of [`WORLD`] gave.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    depth: f64,
    corner: [f64; 3],
    count: usize,
    speed: f64,
    thrusters: usize,
    order: Vec<String>,
}

fn drawn(document: &Document, world: &World) -> Drawn {
    let scene = &world.scene;
    let rov = scene.robots.iter().find(|r| r.name == "rov").unwrap();
    let poses = document.named_poses();
    let pose = |name: &str| poses.iter().find(|pose| pose.name == name).unwrap();
    Drawn {
        depth: rov.start.p_WB.z,
        corner: pose("corner").placement.p_WB.to_array(),
        count: scene.robots.len() - 1,
        speed: scene.sea.current.profile[0].1.x,
        thrusters: rov.thrusters.len(),
        order: pose("order").tags.clone(),
    }
}

fn of_seed(text: &str, seed: Option<u64>, sets: &[&str]) -> Drawn {
    let (document, world) = Document::from_text("w.yaml", text, overrides(seed, sets)).unwrap();
    drawn(&document, &world)
}

#[test]
fn values_follow_from_the_seed() {
    let first = of_seed(WORLD, None, &[]);
    assert_eq!(first, of_seed(WORLD, Some(1), &[]), "1 is the default seed");
    let other = of_seed(WORLD, Some(2), &[]);
    assert_ne!(first.depth, other.depth);
    assert_eq!(other, of_seed(WORLD, None, &["seed=2"]));
    assert_eq!(other, of_seed(&format!("seed: 2\n{WORLD}"), None, &[]));
    assert_eq!(other, of_seed(&format!("seed: 3\n{WORLD}"), Some(2), &[]));
    // in other forms of the number
    assert_eq!(other, of_seed(&format!("seed: 0x2\n{WORLD}"), None, &[]));
    assert_eq!(other, of_seed(WORLD, None, &["seed=0x2"]));
    let named = WORLD.replacen("parameters:\n", "seed: $s\nparameters:\n  s: 2\n", 1);
    assert_eq!(other, of_seed(&named, None, &[]));
    let third = format!("seed: 3\n{WORLD}");
    assert_eq!(first, of_seed(&third, None, &["seed=null"]));
    // another parameter or a fixed value leaves the others as they are
    let more = WORLD.replacen("parameters:\n", "parameters:\n  a: {uniform: [0, 1]}\n", 1);
    assert_eq!(first, of_seed(&more, None, &[]));
    let fixed = of_seed(WORLD, None, &["parameters.depth=-7"]);
    let expected = Drawn {
        depth: -7.0,
        ..first
    };
    assert_eq!(fixed, expected);
    let narrow = of_seed(
        WORLD,
        None,
        &["parameters.corner={uniform: [[1, 2, 3], [1, 2, 3]]}"],
    );
    assert_eq!(narrow.corner, [1.0, 2.0, 3.0]);
}

// Mean and variance over 200 seeds, at five standard errors: uniform on [-3, -2] and on [-5, 5],
// whole numbers from 1 to 4, normal with 0.5 and 0.1, two choices, and the place of `1` among four.
#[test]
fn values_have_their_distributions() {
    let all: Vec<Drawn> = (0..400)
        .map(|seed| of_seed(WORLD, Some(seed), &[]))
        .collect();
    let check = |what: &str, value: &dyn Fn(&Drawn) -> f64, mean: f64, variance: f64| {
        let n = all.len() as f64;
        let found = all.iter().map(value).sum::<f64>() / n;
        let squares: f64 = all.iter().map(|d| (value(d) - found).powi(2)).sum();
        let error = 5.0 * (variance / n).sqrt();
        assert!((found - mean).abs() < error, "{what}: mean {found}");
        let ratio = squares / n / variance;
        assert!((ratio - 1.0).abs() < 0.4, "{what}: variance {ratio}");
    };
    check("uniform", &|d| d.depth, -2.5, 1.0 / 12.0);
    check("element", &|d| d.corner[1], 0.0, 100.0 / 12.0);
    check("integer", &|d| d.count as f64, 2.5, 1.25);
    check("normal", &|d| d.speed, 0.5, 0.01);
    let is_heavy = |d: &Drawn| f64::from(u8::from(d.thrusters == 8));
    check("choice", &is_heavy, 0.5, 0.25);
    let place = |d: &Drawn| d.order.iter().position(|tag| tag == "1").unwrap() as f64;
    check("shuffle", &place, 1.5, 1.25);
    for drawn in &all {
        let mut order = drawn.order.clone();
        order.sort_unstable();
        assert_eq!(order, ["1", "2", "3", "4"]);
        assert!((1..=4).contains(&drawn.count) && (-3.0..=-2.0).contains(&drawn.depth));
    }
}

#[test]
fn wrong_distributions_are_rejected_at_their_place() {
    let table = [
        (
            "{uniform: [1]}",
            "27: parameter `x`: expected the list [low, high], found a list of 1",
        ),
        (
            "{uniform: 3}",
            "27: parameter `x`: expected the list [low, high], found `3`",
        ),
        (
            "{uniform: [2, 1]}",
            "31: parameter `x`: expected a lower bound that is not above the upper bound, found `2` and `1`",
        ),
        (
            "{uniform: [a, 1]}",
            "28: parameter `x`: expected a number, or two lists of numbers, found `a`",
        ),
        (
            "{uniform: [.nan, 1]}",
            "28: parameter `x`: expected a number, or two lists of numbers, found `.nan`",
        ),
        (
            "{uniform: [[1, 2], [3]]}",
            "36: parameter `x`: expected two lists of one length, found 2 and 1 values",
        ),
        (
            "{uniform: [[1, 2], 3]}",
            "28: parameter `x`: expected a number, or two lists of numbers, found a list of 2",
        ),
        (
            "{integer: [0.5, 1]}",
            "33: parameter `x`: expected whole numbers, found `0.5` and `1`",
        ),
        (
            "{normal: [1, -1]}",
            "30: parameter `x`: expected a standard deviation of at least 0, found `1` and `-1`",
        ),
        (
            "{choice: []}",
            "26: parameter `x`: expected a list of at least one value, found a list of 0",
        ),
        (
            "{shuffle: 3}",
            "27: parameter `x`: expected a list of values, found `3`",
        ),
        (
            "{unifrom: [1, 2]}",
            "18: parameter `x`: no distribution `unifrom`; did you mean `uniform`?",
        ),
        (
            "{normal: [1, 2], uniform: [1, 2]}",
            "18: parameter `x`: expected one distribution, found `normal`, `uniform`; remove one, or replace the whole value",
        ),
        (
            "{choice: [$y]}",
            "27: parameter `x`: expected a value without parameters, found `$y`; write the value, or `$$` for the character `$`",
        ),
    ];
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(value, expected)| {
            let text =
                format!("parameters: {{x: {value}}}\nrobots: {{}}\nseabed: {{depth_m: $x}}\n");
            let found = match load_text("w.yaml", &text, Overrides::default()) {
                Ok(_) => "accepted".to_string(),
                Err(problems) => without_root(&problems.to_string()),
            };
            let expected = format!("w.yaml:1:{expected}");
            (found != expected)
                .then(|| format!("{value}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// A map with other keys beside the name of a distribution is an ordinary value.
#[test]
fn other_maps_are_values() {
    let text = "parameters: {flow: {kind: uniform, speed_m_s: 0.1, direction_deg: 90}}\nrobots: {}\n\
                water: {current: $flow}\n";
    let world = load_text("w.yaml", text, Overrides::default()).unwrap();
    assert!((world.scene.sea.current.profile[0].1.x - 0.1).abs() < 1e-15);
}

// A saved world has the values of the run, also with another seed than that of the file.
#[test]
fn saved_worlds_keep_the_values() {
    let folder = Folder::new("random_parameters", &[("w.yaml", WORLD)]);
    let file = folder.0.join("w.yaml");
    for overrides in [overrides(Some(5), &[]), overrides(None, &["seed=5"])] {
        let (document, world) = Document::load(&file, overrides).unwrap();
        let before = drawn(&document, &world);
        let saved = folder.0.join("saved.yaml");
        let state = merrow_model::state::State::new(&world.scene);
        std::fs::write(&saved, document.with_state(&world.scene, &state).to_yaml()).unwrap();
        let (document, world) = Document::load(&saved, Overrides::default()).unwrap();
        assert_eq!(world.scene.seed, 5);
        assert_eq!(before, drawn(&document, &world));
    }
}

// A world that extends another one replaces a distribution by another one, with and without a
// description.
#[test]
fn distributions_are_replaced_by_others() {
    for (base, own) in [
        ("{uniform: [1, 2]}", "{normal: [7, 0]}"),
        (
            "{value: {uniform: [1, 2]}, description: depth}",
            "{value: {normal: [7, 0]}}",
        ),
    ] {
        let below = format!("parameters: {{x: {base}}}\nrobots: {{}}\nseabed: {{depth_m: $x}}\n");
        let above = format!("extends: below.yaml\nparameters: {{x: {own}}}\n");
        let files = [
            ("below.yaml", below.as_str()),
            ("above.yaml", above.as_str()),
        ];
        let folder = Folder::new("distributions", &files);
        let above = folder.0.join("above.yaml");
        let (_, world) = Document::load(&above, Overrides::default()).unwrap();
        assert_eq!(world.scene.sea.seabed.height(0.0, 0.0), -7.0, "{own}");
    }
}
