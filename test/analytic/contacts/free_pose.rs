//! Tests the rule for the poses at which robots are placed.
//!
//! World files and commands refuse a robot inside another body, with the depth of the overlap and a
//! free position. Method: bodies of simple shape, whose overlap follows from their sizes.
//! Tolerance: the depth is rounded to centimetres.

use crate::common::folder::Folder;
use crate::common::meshes::cuboid;
use merrow_math::{Quat, Vec3};
use merrow_model::state::{BodyCommand, Command};
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text, load_world};
use std::sync::Arc;

/// Returns a world whose seabed is 10 m deep, with spheres of radius 0.5 m (`name`, position).
fn world(robots: &[(&str, [f64; 3])], rest: &str) -> String {
    let mut text = format!("step: {{dt_s: 0.01}}\n{rest}robots:\n");
    for (name, p) in robots {
        text += &format!(
            "  {name}:\n    position_m: {p:?}\n    model: {{source: t, body: {{source: t, axes: flu, mass_kg: 500, \
             inertia_kg_m2: {{xx: 50, yy: 50, zz: 50}}, volume_m3: 0.5, \
             collisions: {{c: {{kind: sphere, radius_m: 0.5}}}}}}}}\n"
        );
    }
    text
}

const PLANE: &str = "seabed: {depth_m: 10}\n";
/// A block from 8 m to 2 m depth.
const BLOCK: &str = "seabed: {depth_m: 10}\nstructures:\n  block:\n    shapes:\n      \
                     b: {kind: box, size_m: [4, 4, 6], position_m: [0, 0, -5]}\n";

fn messages(text: &str) -> String {
    match load_text("w.yaml", text, Overrides::default()) {
        Ok(_) => "accepted".to_string(),
        Err(problems) => problems.to_string(),
    }
}

/// Loads the world again with the robot `name` at the position that a message proposes.
#[track_caller]
fn check_proposal(message: &str, name: &str, rest: &str, others: &[(&str, [f64; 3])]) {
    let (_, list) = message
        .rsplit_once("such as the position [")
        .expect("a position");
    let (list, _) = list.split_once(']').expect("a list");
    let p: Vec<f64> = list
        .split(", ")
        .map(|x| x.parse().expect("a number"))
        .collect();
    let mut robots = others.to_vec();
    robots.push((name, [p[0], p[1], p[2]]));
    assert_eq!(messages(&world(&robots, rest)), "accepted", "{message}");
}

#[test]
fn world_files_with_misplaced_robots_are_rejected() {
    let free = [0.0, 8.0, -5.0];
    for (p, rest, expected) in [
        // at most 1 cm deep
        ([0.0, 0.0, -9.495], PLANE, "accepted"),
        ([0.0, 0.0, -9.509], PLANE, "accepted"),
        ([0.0, 0.0, -9.52], PLANE, "r is 0.02 m inside the seabed"),
        ([0.0, 0.0, -30.0], PLANE, "r is 20.50 m inside the seabed"),
        ([2.4, 0.0, -5.0], BLOCK, "r is 0.10 m inside block"),
        ([0.0, 0.0, -5.0], BLOCK, "r is 2.50 m inside block"),
        ([0.0, 8.0, -5.8], PLANE, "r is 0.20 m inside s"),
        ([0.0, 8.0, -5.0], PLANE, "r is 1.00 m inside s"),
    ] {
        let found = messages(&world(&[("s", free), ("r", p)], rest));
        if expected == "accepted" {
            assert_eq!(found, expected, "{p:?}");
            continue;
        }
        assert!(
            found.contains(&format!(": {expected}; expected a free pose")),
            "{found}"
        );
        assert!(found.starts_with("w.yaml:"), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
        check_proposal(&found, "r", rest, &[("s", free)]);
    }
}

#[test]
fn terrain_and_meshes_enclose_robots() {
    let grid = "ncols 3\nnrows 3\nxllcorner -20\nyllcorner -20\ncellsize 20\n-10 -10 -10\n-10 -10 -10\n-10 -10 -10\n";
    let mesh = cuboid([4.0, 4.0, 6.0], 2).obj();
    let folder = Folder::new("enclosed", &[("flat.asc", grid), ("block.obj", &mesh)]);
    let found = |p: [f64; 3], rest: &str| {
        std::fs::write(folder.0.join("w.yaml"), world(&[("r", p)], rest)).expect("written");
        match load_world(&folder.0.join("w.yaml"), Overrides::default()) {
            Ok(_) => "accepted".to_string(),
            Err(problems) => problems.to_string(),
        }
    };
    let terrain = "seabed: {terrain: {file: flat.asc}}\n";
    assert_eq!(found([1.0, 2.0, -9.0], terrain), "accepted");
    let message = found([1.0, 2.0, -13.0], terrain);
    assert!(
        message.contains("r is 3.50 m inside the seabed"),
        "{message}"
    );
    let block = "seabed: {depth_m: 10}\nstructures:\n  block:\n    shapes:\n      \
                 b: {kind: mesh, file: block.obj, form: triangles, position_m: [0, 0, -5]}\n";
    assert_eq!(found([0.0, 2.6, -5.0], block), "accepted");
    // the center is 2 m from the nearest face; the surface of the mesh is out of reach
    let message = found([0.0, 0.0, -5.0], block);
    assert!(message.contains("r is 2.00 m inside block"), "{message}");
}

#[test]
fn remote_positions_are_rejected() {
    for p in [1e300, -2e6] {
        let found = messages(&world(&[("r", [0.0, p, -5.0])], PLANE));
        let expected = "r: expected a position within 1000 km of the origin of the world, found";
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn commands_cannot_place_robots_inside_bodies() {
    let text = world(&[("s", [0.0, 8.0, -5.0]), ("r", [0.0, 4.0, -5.0])], BLOCK);
    let scene = load_text("w.yaml", &text, Overrides::default()).map_err(|p| p.to_string());
    let mut s = Simulation::new(Arc::new(scene.expect("a world").scene), 1).expect("a world");
    s.advance(10);
    let place = |p: [f64; 3], speed: f64| {
        Command::Body(
            1,
            BodyCommand::SetPose {
                p_WB: Vec3::new(p[0], p[1], p[2]),
                q_WB: Quat::identity(),
                w_WB_B: Vec3::zero(),
                v_WB_B: Vec3::new(speed, 0.0, 0.0),
            },
        )
    };
    let hash = s.state.hash();
    for (p, expected) in [
        ([0.0, 4.0, -10.0], "r is 0.50 m inside the seabed"),
        ([0.0, 4.0, -60.0], "r is 50.50 m inside the seabed"),
        ([0.0, 0.0, -5.0], "r is 2.50 m inside block"),
        ([0.0, 8.0, -5.4], "r is 0.60 m inside s"),
        ([1e300, 0.0, 0.0], "within 1000 km"),
    ] {
        let reason = s.apply(&place(p, 0.0)).expect_err("a rejection").reason;
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(s.state.hash(), hash, "{expected}");
    }
    let reason = s
        .apply(&place([0.0, 4.0, -4.0], 1e300))
        .expect_err("a rejection")
        .reason;
    assert!(reason.contains("expected at most 1000 m/s"), "{reason}");
    assert_eq!(s.state.hash(), hash);
    s.apply(&place([0.0, 4.0, -4.0], 0.0)).expect("a free pose");
    assert_eq!(s.state.robots[1].motion.p_WB, Vec3::new(0.0, 4.0, -4.0));
}

#[test]
fn structures_cannot_be_placed_around_robots() {
    let text = world(
        &[("r", [0.0, 0.0, -5.0])],
        "seabed: {depth_m: 10}\nstructures:\n  block:\n    \
        position_m: [9, 0, 0]\n    shapes:\n      b: {kind: box, size_m: [4, 4, 6], position_m: [0, 0, -5]}\n",
    );
    let moved = text.replace("[9, 0, 0]", "[2.4, 0, 0]");
    // the robot was at another place when the structure moved
    let moved = moved.replace(
        "position_m: [0.0, 0.0, -5.0]",
        "position_m: [0.0, 9.0, -5.0]",
    );
    let simulation = |text: &str| {
        let world = load_text("w.yaml", text, Overrides::default()).map_err(|p| p.to_string());
        Simulation::new(Arc::new(world.expect("a world").scene), 1).expect("a world")
    };
    assert_eq!(simulation(&text).check_structure("block"), Ok(()));
    let mut s = simulation(&moved);
    s.state.robots[0].motion.p_WB = Vec3::new(0.0, 0.0, -5.0);
    let expected = "r would be 0.10 m inside block; move the robot first";
    assert_eq!(s.check_structure("block"), Err(expected.to_string()));
}
