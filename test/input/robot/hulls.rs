//! Tests of mesh hulls: rejected meshes, and a valid mesh that needs only its file.

use crate::common::folder::Folder;
use crate::input::{body, check, without_root};
use merrow_world::{Overrides, load_text};

/// A closed tetrahedron with outward normals.
const CLOSED: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn message(mesh: &str, more: &str) -> String {
    let folder = Folder::new("hulls", &[("m.obj", mesh)]);
    let file = folder.0.join("m.obj");
    let text = body(&format!(
        "hull: {{kind: mesh, file: {}{more}}}, ",
        file.display()
    ));
    match load_text("w.yaml", &text, Overrides::default()) {
        Ok(world) => {
            let volume = world.scene.robots[0].links[0].volume_m3;
            format!("{volume:.6}")
        }
        Err(problems) => without_root(&problems.to_string())
            .replace(&folder.0.to_string_lossy().into_owned(), "FOLDER")
            .replacen("w.yaml:5:64: ", "", 1),
    }
}

// A mesh that does not enclose a volume is rejected in one line with the reason. Method: a
// tetrahedron that lacks a face, is inverted, has a duplicate face, is flat, or is scaled to a
// plane. Tolerance: the exact text.
#[test]
fn meshes_without_volume_are_refused() {
    let remedy = "; the hull of base_link must enclose the water it displaces; repair the mesh";
    assert_eq!(message(CLOSED, ""), "0.166667");
    assert_eq!(
        message(CLOSED, ", scale: [1, -2, 1]"),
        "0.333333",
        "mirrored, and right again"
    );
    assert_eq!(
        message(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n",
            ""
        ),
        format!(
            "`FOLDER/m.obj`: the mesh is open: 3 edges have only one triangle; expected a closed surface{remedy}"
        )
    );
    assert_eq!(
        message(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
            ""
        ),
        format!(
            "`FOLDER/m.obj`: the mesh is inside out; expected triangles counter-clockwise seen from outside{remedy}"
        )
    );
    assert_eq!(
        message(&CLOSED.replace("f 2 3 4", "f 2 4 3"), ""),
        format!(
            "`FOLDER/m.obj`: the mesh is not manifold: 3 edges have more than two triangles, or two of opposite orientation{remedy}"
        )
    );
    // The column depends on the length of the name of the folder.
    let flat = message(CLOSED, ", scale: [1, 1, 0]");
    assert!(flat.starts_with("w.yaml:5:"), "{flat}");
    assert!(
        flat.ends_with(": `scale`: expected non-zero factors, 0 would make the mesh flat"),
        "{flat}"
    );
    assert!(message("", "").contains("the mesh is empty: it has no triangles"));
}

#[test]
fn missing_file_is_reported() {
    let text = body("hull: {kind: mesh, file: nowhere.stl}, ");
    let found = load_text("w.yaml", &text, Overrides::default())
        .unwrap_err()
        .to_string();
    assert!(
        found.starts_with("w.yaml:5:64: no file `nowhere.stl`, looked next to"),
        "{found}"
    );
}

// Surface laws are rejected where they do not apply. Method: one error each. Tolerance: the exact
// text.
#[test]
fn wrong_surface_laws_are_refused() {
    check(
        &body("surface_damping: {wave_resistance_n: [[0, 1], [1, 2]]}, "),
        "w.yaml:5:76: the wave resistance of base_link begins at the speed 0; expected one above 0",
    );
    check(
        &body("surface_damping: {wave_resistance_n: [[2, 1], [1, 2]]}, "),
        "w.yaml:5:76: the wave resistance of base_link over speed does not increase: 1 comes after 2; expected increasing first values",
    );
    check(
        &body(
            "kelpie_attitude: {pitch_rad_per_m: 0.1, roll_rad_per_m: 0.1}, hull: {kind: mesh, file: meshes/ball_2m.obj}, ",
        ),
        "w.yaml:5:56: `kelpie_attitude` is for vehicles without a hull mesh, but the hull of base_link is a mesh, on which the wave pressure \
         acts: leave one of them out",
    );
    check(
        &body("surface_damping: {roll_nm_s_per_rad: -1}, "),
        "w.yaml:5:76: `roll_nm_s_per_rad`: expected a non-negative number [N m s/rad], found `-1`",
    );
}
