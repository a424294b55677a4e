//! Tests the removal and restoration of objects, and saved worlds.

use merrow_math::{Quat, Vec3};
use merrow_model::state::State;
use merrow_world::document::{Document, Placement, Resource};
use merrow_world::{Overrides, World, data_dir};
use std::path::Path;

const WORLD: &str = "
robots:
  rov: {model: bluerov2, position_m: [1, 2, -3]}
props:
  mark: {body: racing_mark, repeat: {count: [2, 1, 1], spacing_m: [3, 3, 3]}}
structures:
  rock: {position_m: [9, 0, -5], shapes: {body: {kind: sphere, radius_m: 0.5}}}
";

fn names(document: &Document) -> Vec<String> {
    let objects = document.objects().into_iter();
    objects.map(|object| object.name).collect()
}

// A removed object is restored as it was. Method: objects and text of the world after the removal
// and the restoration of a robot, a copy, a structure and a spawned robot.
#[test]
fn removed_objects_are_restored() {
    let (document, _) = Document::from_text("w.yaml", WORLD, Overrides::default()).unwrap();
    let placement = Placement {
        p_WB: Vec3::new(5.0, 5.0, 0.0),
        q_WB: Quat::identity(),
    };
    let otter = Resource::Uri("otter".to_string());
    let document = document.with_robot("otter", "", &otter, placement).unwrap();
    for name in ["rov", "mark_1", "rock", "otter"] {
        let without = document.without(name).unwrap();
        assert!(!names(&without).iter().any(|other| other == name));
        let restored = without.with_object_of(name, &document).unwrap();
        let sorted = |document: &Document| {
            let mut all = names(document);
            all.sort();
            all
        };
        assert_eq!(sorted(&restored), sorted(&document), "{name}");
        restored.build().unwrap();
        let built = |document: &Document| document.build().unwrap().scene.robots.len();
        assert_eq!(built(&restored), built(&document), "{name}");
    }
    let error = document.with_object_of("ghost", &document).unwrap_err();
    assert!(error.contains("ghost"), "{error}");
}

// A robot that is added to a world whose task names no robot is not scored: the task keeps the one that
// it has. Method: the robots of the task with a spawned robot and with a copy, and of the saved text.
#[test]
fn tasks_keep_their_robots() {
    let text =
        format!("{WORLD}task: {{kind: station_keeping, goal: {{position_m: [0, 0, -5]}}}}\n");
    let (document, world) = Document::from_text("w.yaml", &text, Overrides::default()).unwrap();
    let scored = |world: &World| world.scene.task.as_ref().unwrap().robots[0].0.clone();
    let name = scored(&world);
    let placement = Placement {
        p_WB: Vec3::new(5.0, 5.0, 0.0),
        q_WB: Quat::identity(),
    };
    let otter = Resource::Uri("otter".to_string());
    let spawned = document.with_robot("otter", "", &otter, placement).unwrap();
    for changed in [
        spawned,
        document.with_copy(&name, "other", placement).unwrap(),
    ] {
        let built = changed.build().unwrap();
        assert_eq!(scored(&built), name);
        assert_eq!(built.scene.task.as_ref().unwrap().robots.len(), 1);
        let saved = Document::from_text("w.yaml", &changed.to_yaml(), Overrides::default());
        assert_eq!(scored(&saved.unwrap().1), name);
    }
}

// A copied object is in the world and in its saved text. Method: copies of a robot, of one of
// several props, of a structure and of a spawned robot, built from the world and from its text.
#[test]
fn copied_objects_are_in_the_saved_world() {
    let (document, _) = Document::from_text("w.yaml", WORLD, Overrides::default()).unwrap();
    let at = |x: f64| Placement {
        p_WB: Vec3::new(x, 5.0, 0.0),
        q_WB: Quat::identity(),
    };
    let otter = Resource::Uri("otter".to_string());
    let document = document.with_robot("otter", "", &otter, at(5.0)).unwrap();
    for name in ["rov", "mark_1", "rock", "otter"] {
        let copied = document.with_copy(name, "other", at(20.0)).unwrap();
        assert_eq!(names(&copied).len(), names(&document).len() + 1, "{name}");
        let text = copied.to_yaml();
        let (saved, world) = Document::from_text("w.yaml", &text, Overrides::default()).unwrap();
        assert!(names(&saved).iter().any(|own| own == "other"), "{name}");
        let robots = &world.scene.robots;
        let built = copied.build().unwrap().scene;
        assert_eq!(robots.len(), built.robots.len(), "{name}");
        if let Some(k) = robots.iter().position(|robot| robot.name == "other") {
            let start = State::new(&world.scene).robots[k].motion.p_WB;
            assert_eq!(start, Vec3::new(20.0, 5.0, 0.0), "{name}");
        }
    }
    let error = document.with_copy("ghost", "other", at(0.0)).unwrap_err();
    assert!(error.contains("ghost"), "{error}");
}

#[test]
fn restored_copy_starts_as_in_the_source() {
    let (document, world) = Document::from_text("w.yaml", WORLD, Overrides::default()).unwrap();
    let mut state = State::new(&world.scene);
    let copy = world.scene.robots.iter().position(|r| r.name == "mark_1");
    state.robots[copy.unwrap()].motion.p_WB = Vec3::new(7.0, 8.0, 0.5);
    let source = document.with_state(&world.scene, &state);
    let restored = document.without("mark_1").unwrap();
    let restored = restored.with_object_of("mark_1", &source).unwrap();
    let scene = restored.build().unwrap().scene;
    let robot = scene
        .robots
        .iter()
        .position(|r| r.name == "mark_1")
        .unwrap();
    let start = State::new(&scene).robots[robot].motion.p_WB;
    assert_eq!(start, Vec3::new(7.0, 8.0, 0.5));
}

#[test]
fn saved_worlds_name_the_file_without_parent_folders() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/pool.yaml");
    for path in [path, data_dir::world_file("pool")] {
        let (document, _) = Document::load(&path, Overrides::default()).unwrap();
        let text = document.to_yaml();
        assert!(
            text.contains("extends: \"pool\"") && !text.contains(".."),
            "{text}"
        );
    }
}

/// A world whose modems have no addresses. Robots come before fixed modems.
const MODEMS: &str = "
robots:
  rov: {model: {extends: robots/bluerov2.yaml, modems: {acoustic: {modem: evologics_s2c_r_18_34}}}, position_m: [1, 2, -3]}
modems:
  buoy: {modem: evologics_s2c_r_18_34, position_m: [9, 0, -1]}
  shore: {modem: evologics_s2c_r_18_34, position_m: [0, 9, -1]}
";

const DIVER: &str = "
model: {extends: robots/bluerov2.yaml, modems: {acoustic: {modem: evologics_s2c_r_18_34}, spare: {modem: evologics_s2c_r_18_34}}}
";

fn addresses(scene: &merrow_model::scene::Scene) -> Vec<(String, u16)> {
    let modems = scene.modems.iter();
    let mut all: Vec<_> = modems.map(|m| (m.name.clone(), m.address)).collect();
    all.sort();
    all
}

// Modems keep their addresses in a saved world and in a continued one. Method: the addresses in the
// running world, in which robots with modems are spawned and removed, and in the worlds built from
// its text and from its changes.
#[test]
fn saved_modems_keep_their_addresses() {
    let (document, world) = Document::from_text("w.yaml", MODEMS, Overrides::default()).unwrap();
    assert_eq!(world.scene.modems[1].address, 2, "the buoy, after the ROV");
    assert!(!document.to_yaml().contains("modem_addresses"));
    let placement = Placement {
        p_WB: Vec3::new(5.0, 5.0, -2.0),
        q_WB: Quat::identity(),
    };
    let diver = Resource::Text(DIVER.to_string());
    let spawned = document.with_robot("diver", "", &diver, placement).unwrap();
    spawned.build().unwrap();
    for changed in [spawned.without("rov").unwrap(), spawned] {
        let running = addresses(&changed.build().unwrap().scene);
        let [first, _] = [0, 1].map(|k| {
            running
                .iter()
                .filter(|(name, _)| name.starts_with("diver"))
                .nth(k)
                .unwrap()
        });
        assert_eq!(first.1, 4, "{running:?}");
        let text = changed.to_yaml();
        let (saved, world) = Document::from_text("s.yaml", &text, Overrides::default()).unwrap();
        assert_eq!(addresses(&world.scene), running, "{text}");
        let continued = document.with_changes(&changed.changes()).unwrap();
        assert_eq!(addresses(&continued.build().unwrap().scene), running);
        // a robot that is spawned in the saved world takes a free address
        let next = saved.with_robot("next", "", &diver, placement).unwrap();
        let next = addresses(&next.build().unwrap().scene);
        assert!(running.iter().all(|entry| next.contains(entry)), "{next:?}");
    }
}

#[test]
fn addresses_of_unknown_modems_are_reported() {
    let text = format!("{MODEMS}modem_addresses: {{rov/acustic: 7}}\n");
    let error = Document::from_text("w.yaml", &text, Overrides::default()).unwrap_err();
    let expected =
        "w.yaml:7:19: `modem_addresses`: no modem `rov/acustic`; did you mean `rov/acoustic`?";
    assert_eq!(error.to_string(), expected);
}
