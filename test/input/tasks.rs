//! Errors of the key `task`.

use super::check;
use merrow_world::{Overrides, load_text};

/// A world with one boat, and a task in line 8 from column 8 on.
fn task(keys: &str) -> String {
    format!(
        "seabed: {{depth_m: 20}}
robots:
  boat: {{model: wamv}}
structures:
  pier: {{position_m: [30, 0, 0], shapes: {{wall: {{kind: box, size_m: [4, 4, 4]}}}}}}
couplings: {{}}
# task
task: {{{keys}}}
"
    )
}

#[test]
fn names_of_tasks_are_checked() {
    check(
        &task("kind: follow_target, target: boot"),
        "w.yaml:8:37: no robot, prop, actor or structure `boot` for the task; did you mean `boat`?",
    );
    check(
        &task("kind: docking, bays: {seat: {latch: hook}}"),
        "w.yaml:8:44: no coupling `hook` for the task; there are none",
    );
    check(
        &task("robots: [pier], kind: follow_target, target: boat"),
        "w.yaml:8:16: `robots`: pier is no robot; expected a robot of `robots`",
    );
    check(
        &task("robots: [ship], kind: follow_target, target: boat"),
        "w.yaml:8:16: no robot, prop, actor or structure `ship` for the task; expected one of `boat`, `pier`",
    );
}

// Objects that a task follows, avoids or moves are others than its robots, and are given once; a
// prop that is called like a copy of a robot is no robot.
#[test]
fn objects_of_tasks_are_others() {
    let others = "props: {boat_1: {body: crate, position_m: [9, 9, 0]}}
actors: {ferry: {body: crate, waypoints_m: [[50, 0, 0], [60, 0, 0]], speed_m_s: 1}}
";
    let world = |keys: &str| task(keys) + others;
    check(
        &world("kind: follow_target, target: boat"),
        "w.yaml:8:37: `target`: boat is a robot of the task itself; expected another object",
    );
    check(
        &world("kind: follow_target, target: pier"),
        "w.yaml:8:37: `target`: the structure pier does not move; expected a robot, a prop or an actor",
    );
    check(
        &world("kind: avoid_traffic, goal: {position_m: [9, 0, 0]}, traffic: [ferry, ferry]"),
        "w.yaml:8:69: `traffic` has ferry twice; remove one",
    );
    check(
        &world("kind: pick_and_place, objects: [{object: ferry, position_m: [9, 0, 0]}]"),
        "w.yaml:8:49: `object`: ferry moves along a route; expected a prop",
    );
    assert_eq!(
        super::messages(&world("kind: follow_target, target: boat_1")),
        "accepted"
    );
}

// Places at the surface are those of the water there: of a lake above the sea, not in a dry dock.
#[test]
fn places_are_on_the_water_of_their_region() {
    let regions = "water:
  regions:
    lake: {corners_m: [[90, -20], [140, -20], [140, 20], [90, 20]], level_m: 6, open_to_current: false}
    dock: {corners_m: [[190, -20], [240, -20], [240, 20], [190, 20]], dry: true}
";
    let world = |x: f64| {
        let goal = format!("kind: station_keeping, goal: {{position_m: [{x}, 0, 0]}}");
        let world = task(&goal) + regions;
        world.replace("depth_m: 20", "depth_m: 20, slope_east_north: [0.22, 0]")
    };
    // the seabed of the lake is at 2 m, that of the dock at 27.3 m
    assert_eq!(super::messages(&world(100.0)), "accepted");
    assert!(super::messages(&world(99.0).replace("level_m: 6", "level_m: 1")).contains("on land"));
    let dock = world(215.0).replace("0.22", "0");
    assert!(
        super::messages(&dock).contains("on land"),
        "{}",
        super::messages(&dock)
    );
}

#[test]
fn impossible_geometry_is_refused() {
    check(
        &task("kind: station_keeping, goal: {position_m: [30.5, 0, 0]}"),
        "w.yaml:8:37: `goal`: (30.50, 0.00, 0.00) m is inside pier; expected a free place",
    );
    check(
        &task("kind: gates, gates: [{left: {object: pier}, right: {position_m: [30, 0, 0]}}]"),
        "w.yaml:8:29: gate 0 is 0 m wide; expected at least 0.01 m between its ends",
    );
    check(
        &task("kind: waypoints, horizontal: false, waypoints: [{position_m: [0, 0, -25]}]"),
        "w.yaml:8:56: waypoint 0: (0.00, 0.00, -25.00) m is in the seabed, which is at -20.00 m there; \
         expected a place in the water",
    );
    let land = task("kind: station_keeping, goal: {position_m: [25, 0, 0]}")
        .replace("depth_m: 20", "depth_m: 20, slope_east_north: [1, 0]");
    assert!(super::messages(&land).contains("is on land; expected a place on the water"));
}

#[test]
fn scheduled_reports_are_checked() {
    let perception = "kind: perception, objects: [{object: pier, class: pier}]";
    let schedule = "schedule: {r: {time_s: 1, robot: boat, kind: report, class: buoy, position_m: [0, 0, 0]}}\n";
    check(
        &(task(perception) + schedule),
        "w.yaml:9:61: no class `buoy`; expected one of pier",
    );
    let none = task(perception).replace("task: {", "# {") + schedule;
    check(&none, "w.yaml:9:61: the world has no task");
}

#[test]
fn kinds_and_keys_of_tasks_are_checked() {
    let unknown = super::messages(&task("kind: gate"));
    assert!(unknown.contains("did you mean `gates`?"), "{unknown}");
    check(
        &task("kind: station_keeping, goal: {position_m: [5, 0, 0], yaw_deg: .nan}"),
        "w.yaml:8:70: `yaw_deg`: expected a finite number [deg], found `.nan`",
    );
    check(
        &task("rate_hz: 0, kind: station_keeping, goal: {position_m: [5, 0, 0]}"),
        "w.yaml:8:17: `rate_hz`: expected a number from 0.1 to 1000 [Hz], found `0`",
    );
    let two = task("kind: station_keeping, goal: {position_m: [5, 0, 0]}").replace(
        "  boat:",
        "  tug: {model: wamv, position_m: [0, 20, 0]}\n  boat:",
    );
    check(
        &two,
        "w.yaml:9:7: a task in a world with 2 robots: expected `robots` with the names of those that are scored",
    );
}

// Goals and paths that a vehicle does not reach have a note: on land, in the ground, in a structure.
#[test]
fn unreachable_goals_of_the_schedule_have_a_note() {
    let notes = |model: &str, entry: &str| {
        let text = format!(
            "seabed: {{depth_m: 10, slope_east_north: [0.5, 0]}}
robots: {{boat: {{model: {model}, position_m: [0, 0, {}]}}}}
structures: {{pier: {{position_m: [0, 30, 0], shapes: {{wall: {{kind: box, size_m: [4, 4, 4]}}}}}}}}
schedule: {{go: {{time_s: 1, robot: boat, {entry}}}}}
",
            if model == "wamv" { 0 } else { -2 }
        );
        let world = load_text("w.yaml", &text, Overrides::default()).unwrap();
        let notes = world.notes.iter().map(ToString::to_string);
        notes.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        notes("wamv", "kind: goal, position_m: [30, 0, 0]"),
        "w.yaml:4:65: boat: the goal (30.00, 0.00) m is on land"
    );
    assert_eq!(
        notes("wamv", "kind: path, waypoints_m: [[5, 0, 0], [0, 30, 0]]"),
        "w.yaml:4:66: boat: waypoint 1 (0.00, 30.00, 0.00) m is inside pier"
    );
    assert_eq!(
        notes("bluerov2_heavy", "kind: goal, position_m: [10, 0, -6]"),
        "w.yaml:4:65: boat: the goal (10.00, 0.00, -6.00) m is in the ground, which is at -5.00 m there"
    );
    assert_eq!(
        notes("bluerov2_heavy", "kind: goal, position_m: [10, 0, -4]"),
        ""
    );
    assert_eq!(
        notes("wamv", "kind: path, waypoints_m: [[5, 0, 0], [9, 0, 0]]"),
        ""
    );
}
