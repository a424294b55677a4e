//! Tests of collision shapes: poses and rejected shapes.
//!
//! A shape has the pose that its author specified, in the axes of its body, on a link whether
//! merged or not, and on a structure. Method: poses calculated by hand; the exact message for each
//! error.

use crate::common::folder::Folder;
use crate::common::{close_vectors, scene};
use crate::input::{body, check, plain, world};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::{CollisionFilter, Material};
use merrow_model::scene::{Geometry, Primitive, Scene, Structure};

/// A closed tetrahedron with one corner at the origin and outward normals.
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn shapes_use_the_axes_of_their_body() {
    // As L of the base is U, a position in forward, right, down changes two signs; the rotation of
    // the shape follows.
    let frd = "robots:\n  r:\n    model:\n      source: test\n      body: {source: test, axes: frd, mass_kg: 10, \
               inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, collisions: {a: {kind: cylinder, radius_m: 0.1, length_m: 2, \
               position_m: [1, 2, 3], attitude_deg: [0, 90, 0], material: {friction: 0.8}, \
               groups: {member_of: [1, 31], collides_with: [0]}}}}\n";
    let scene = scene(frd);
    let c = &scene.robots[0].colliders[0];
    assert_eq!((c.name.as_str(), c.link), ("base_link/a", 0));
    assert_eq!(
        c.geometry,
        Geometry::Primitive(Primitive::Cylinder {
            radius: 0.1,
            half_length: 1.0
        })
    );
    assert_eq!(
        c.material,
        Material {
            friction: 0.8,
            ..Material::default()
        }
    );
    assert_eq!(
        c.filter,
        CollisionFilter {
            member: 1 << 31 | 2,
            mask: 1
        }
    );
    close_vectors("place", c.p_LoG, Vec3::new(1.0, -2.0, -3.0), 1e-15);
    // A pitch of 90 degrees turns z to x, in either axes.
    close_vectors("axis", c.R_LG.col(2), Vec3::new(1.0, 0.0, 0.0), 1e-15);
    // x turns to -z of the file, which is up.
    close_vectors("x", c.R_LG.col(0), Vec3::new(0.0, 0.0, 1.0), 1e-15);
}

#[test]
fn shapes_of_merged_links_are_kept() {
    let link = |parent: &str, joint: &str, keys: &str| {
        format!(
            "{{parent: {parent}, joint: {joint}, body: {{source: test, axes: flu, mass_kg: 1, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, {keys}}}}}"
        )
    };
    let arm = link(
        "base_link",
        "{kind: continuous, axis: [1, 0, 0], position_m: [1, 0, 0]}",
        "",
    );
    let hand = link(
        "arm",
        "{kind: fixed, position_m: [0, 0, 2], attitude_rad: [0, 0, 1.5707963267948966]}",
        "collisions: {tip: {kind: box, size_m: [2, 4, 6], position_m: [0.5, 0, 0]}}",
    );
    let far = link(
        "arm",
        "{kind: continuous}",
        "collisions: {end: {kind: sphere, radius_m: 1}}",
    );
    let scene = scene(&plain(&format!(
        "links: {{arm: {arm}, hand: {hand}, far: {far}}}"
    )));
    let robot = &scene.robots[0];
    assert_eq!(robot.links.len(), 3, "the hand is merged");
    let [tip, end] = robot.colliders.as_slice() else {
        panic!("{:?}", robot.colliders)
    };
    assert_eq!((tip.name.as_str(), tip.link), ("hand/tip", 1));
    assert_eq!((end.name.as_str(), end.link), ("far/end", 2));
    // In the frame of the arm: the hand is 2 m up, its x axis along the y axis of the arm.
    let R_UL = robot.links[1].R_LU.transpose();
    close_vectors(
        "tip",
        R_UL.mul_vec(tip.p_LoG),
        Vec3::new(0.0, 0.5, 2.0),
        1e-15,
    );
    close_vectors(
        "x of tip",
        R_UL.mul_vec(tip.R_LG.col(0)),
        Vec3::new(0.0, 1.0, 0.0),
        1e-15,
    );
}

/// Loads a world with two props, a dock with a box and meshes, and two heightfields.
fn load_structures_and_props() -> merrow_world::World {
    let folder = Folder::new(
        "touch_world",
        &[
            ("meshes/t.obj", TETRAHEDRON),
            ("depths.csv", "1,2\n3,4\n5,6\n"),
        ],
    );
    let text = format!(
        "seabed: {{depth_m: 10, material: {{friction: 0.9, restitution: 0.1}}}}
robots: {{}}
props:
  rock:
    body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, collisions: {{ball: {{kind: sphere, radius_m: 0.1}}}}}}
    position_m: [0, 0, -1]
    velocity_m_s: [1, 0, 0]
    repeat: {{count: [2, 1, 1], spacing_m: [3, 0, 0]}}
structures:
  dock:
    position_m: [10, 0, 0]
    attitude_deg: [0, 0, 90]
    material: {{friction: 0.2}}
    shapes:
      wall: {{kind: box, size_m: [1, 1, 1], position_m: [2, 0, 0]}}
      rock: {{kind: mesh, form: triangles, scale: [2, 1, 1], file: {0}/meshes/t.obj}}
      parts: {{kind: mesh, form: convex_parts, file: 'package://meshes/t.obj', material: {{friction: 1}}}}
  floor:
    shapes:
      inline: {{kind: heightfield, heights_m: [[1, 2], [3, 4]], size_m: [10, 20]}}
      file: {{kind: heightfield, file: depths.csv, size_m: [1, 2], height_scale: -1}}
",
        folder.0.display()
    );
    let path = folder.0.join("w.yaml");
    std::fs::write(&path, text).unwrap();
    merrow_world::load_world(&path, merrow_world::Overrides::default())
        .unwrap_or_else(|p| panic!("{p}"))
}

/// Checks names, poses and shapes of the props, and the material of the seabed.
fn check_props_and_seabed(scene: &Scene) {
    assert_eq!(
        scene.seabed_material,
        Material {
            friction: 0.9,
            restitution: 0.1,
            ..Material::default()
        }
    );
    let names: Vec<&str> = scene.robots.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["rock_0", "rock_1"]);
    assert_eq!(scene.robots[1].start.p_WB, Vec3::new(3.0, 0.0, -1.0));
    assert_eq!(scene.robots[1].start.v_WB_B.x, 1.0);
    assert_eq!(scene.robots[0].colliders.len(), 1);
}

/// Checks poses, materials and geometries of the shapes of the dock.
fn check_shapes(dock: &Structure) {
    close_vectors(
        "wall",
        dock.colliders[0].p_LoG,
        Vec3::new(10.0, 2.0, 0.0),
        1e-15,
    );
    close_vectors(
        "x of wall",
        dock.colliders[0].R_LG.col(0),
        Vec3::new(0.0, 1.0, 0.0),
        1e-15,
    );
    assert_eq!(
        (
            dock.colliders[0].material.friction,
            dock.colliders[2].material.friction
        ),
        (0.2, 1.0)
    );
    let Geometry::Mesh(rock) = &dock.colliders[1].geometry else {
        panic!("{:?}", dock.colliders[1])
    };
    assert!(rock.vertices.contains(&Vec3::new(2.0, 0.0, 0.0)));
    assert!(matches!(
        dock.colliders[2].geometry,
        Geometry::ConvexDecomposition(_)
    ));
}

/// Checks the order of the rows, the size and the height of both heightfields.
fn check_heightfields(floor: &Structure) {
    let Geometry::Heightfield(field) = &floor.colliders[0].geometry else {
        panic!()
    };
    assert_eq!(
        (field.heights.as_slice(), field.size),
        (&[3.0, 4.0, 1.0, 2.0][..], [10.0, 20.0])
    );
    let Geometry::Heightfield(field) = &floor.colliders[1].geometry else {
        panic!()
    };
    assert_eq!((field.count, field.heights[0]), ([2, 3], -5.0));
    assert_eq!(floor.colliders[0].R_LG, Mat3::identity());
}

#[test]
fn structures_props_and_the_seabed() {
    let world = load_structures_and_props();
    assert_eq!(world.notes, [], "no notes");
    assert_eq!(world.models.len(), 2);
    let scene = &world.scene;
    check_props_and_seabed(scene);
    let [dock, floor] = scene.structures.as_slice() else {
        panic!("{}", scene.structures.len())
    };
    check_shapes(dock);
    check_heightfields(floor);
}

#[test]
fn invalid_shapes_are_rejected() {
    check(
        &body("collisions: {a: {kind: ball, radius_m: 1}}, "),
        "w.yaml:5:62: `kind`: expected one of `sphere`, `box`, `cylinder`, `capsule`, `mesh`, `heightfield`, found string `ball`",
    );
    check(
        &body("visuals: {a: {kind: ball, radius_m: 1}}, "),
        "w.yaml:5:59: `kind`: expected one of `sphere`, `box`, `cylinder`, `capsule`, `mesh`, `heightfield`, found string `ball`",
    );
    check(
        &body("visuals: {a: {kind: sphere, radius_m: 1, groups: {member_of: [1]}}}, "),
        "w.yaml:5:80: unknown key `groups` in `a`; expected one of `turns_with`, `position_m`, `attitude_deg`, `material`, `texture`, `radius_m`",
    );
    check(
        &body("visuals: {a: {kind: sphere, radius_m: 1, turns_with: flap}}, "),
        "w.yaml:5:92: `turns_with` of a: no fin or azimuth thruster `flap`; there are none",
    );
    check(
        &body("visuals: {a: {kind: mesh, file: no/such.stl}}, "),
        "w.yaml:5:71: no file `no/such.stl`, looked next to `w.yaml` and in Merrow's data folders",
    );
    check(
        &body("collisions: {a: {kind: sphere, radius_m: 0}}, "),
        "w.yaml:5:80: `radius_m`: expected a positive number [m], found `0`",
    );
    check(
        &body("collisions: {a: {kind: sphere, radius_m: 1, groups: {member_of: [32]}}}, "),
        "w.yaml:5:104: `member_of[0]`: expected a whole number from 0 to 31, found `32`",
    );
    check(
        &body(
            "collisions: {a: {kind: heightfield, heights_m: [[0, 0], [0, 0]], size_m: [1, 1]}}, ",
        ),
        "w.yaml:5:55: the shape a of base_link is a `heightfield`, which only `structures` can have",
    );
    check(
        &world(
            "structures: {a: {shapes: {s: {kind: heightfield, heights_m: [[0, 0], [0]], size_m: [1, 1]}}}}",
        ),
        "w.yaml:1:61: row 2 of the heights: expected 2 numbers as in the first row, found 1",
    );
    check(
        "props: {p: {body: {source: t, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}}\nrobots: {}\n",
        "w.yaml:1:19: the prop p has no collision shape; add `collisions` to its body",
    );
}

/// Writes a correct mesh, and meshes with one error each, to the folder `name`.
fn write_meshes(name: &str) -> Folder {
    let open = TETRAHEDRON.replace("f 2 3 4\n", "");
    let inside_out = TETRAHEDRON.replace(
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
    );
    let files = [
        ("t.obj", TETRAHEDRON),
        ("open.obj", &open),
        ("inside_out.obj", &inside_out),
        ("fan.obj", &(TETRAHEDRON.to_string() + "f 2 3 4\n")),
        ("empty.obj", "v 0 0 0\n"),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    ];
    Folder::new(name, &files)
}

/// Checks the messages on a collision shape with a mesh of the folder in the given form.
#[track_caller]
fn check_mesh(folder: &Folder, file: &str, form: &str, expected: &str) {
    let mesh = format!(
        "{{kind: mesh, file: {}/{file}, form: {form}}}",
        folder.0.display()
    );
    let text = body(&format!("collisions: {{a: {mesh}}}, "));
    let messages = crate::input::messages(&text).replace(&format!("{}/", folder.0.display()), "");
    assert_eq!(messages, expected, "{file} as {form}");
}

#[test]
fn meshes_in_wrong_forms() {
    let folder = write_meshes("touch_forms");
    let wrong = |file: &str, form: &str, expected: &str| check_mesh(&folder, file, form, expected);
    wrong("t.obj", "convex_parts", "accepted");
    wrong("open.obj", "convex_hull", "accepted");
    let triangles = "the shape a of base_link uses `triangles`, which is allowed for static bodies only; use \
                     `convex_parts`, or `convex_hull`";
    // Position of `form` in the file.
    let at = |file: &str| {
        format!(
            "w.yaml:5:{}",
            55 + "{kind: mesh, file: /, form: ".len()
                + file.len()
                + folder.0.display().to_string().len()
        )
    };
    wrong(
        "t.obj",
        "triangles",
        &format!("{}: {triangles}", at("t.obj")),
    );
}

#[test]
fn invalid_meshes_are_rejected() {
    let folder = write_meshes("touch_wrong");
    let wrong = |file: &str, form: &str, expected: &str| check_mesh(&folder, file, form, expected);
    let repair = |why: &str| {
        format!(
            "{why}; repair the mesh, or use `convex_hull`, which does not require a closed mesh"
        )
    };
    let file = "w.yaml:5:74";
    wrong(
        "open.obj",
        "convex_parts",
        &repair(&format!(
            "{file}: `open.obj`: the mesh is open: 3 edges have only one triangle; expected a closed surface"
        )),
    );
    wrong(
        "inside_out.obj",
        "convex_parts",
        &repair(&format!(
            "{file}: `inside_out.obj`: the mesh is inside out; expected triangles counter-clockwise seen from outside"
        )),
    );
    wrong(
        "fan.obj",
        "convex_parts",
        &repair(&format!(
            "{file}: `fan.obj`: the mesh is not manifold: 3 edges have more than two triangles, or two of opposite orientation"
        )),
    );
    wrong(
        "empty.obj",
        "convex_hull",
        &format!("{file}: `empty.obj`: the mesh is empty: it has no triangles"),
    );
    wrong(
        "flat.obj",
        "convex_hull",
        &format!("{file}: `flat.obj`: the mesh is flat; expected one with a volume"),
    );
    wrong(
        "none.obj",
        "convex_hull",
        &format!(
            "{file}: no file `none.obj`, looked next to `w.yaml` and in Merrow's data folders"
        ),
    );
}
