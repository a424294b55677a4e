//! Tests of the visual meshes of bundled robots and props.

use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Mesh;
use merrow_model::scene::{Collider, Geometry, Robot};
use merrow_world::{Overrides, data_dir, load_text};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Minimum and maximum number of triangles of the visuals of a robot or of a complete mesh.
const TRIANGLES: [usize; 2] = [2_000, 20_000];
/// Maximum size of all mesh files together [bytes].
const TOTAL_BYTES: u64 = 6_000_000;
/// Tolerance of the extents of visuals, relative to the extents of the collision shapes.
const TOLERANCE: f64 = 0.05;
/// Comments that state why visuals have other extents.
const REASONS: [&str; 3] = [
    "# Larger than the contact",
    "# Lower than the contact",
    "# Narrower than the contact",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The generated mesh files, sorted.
fn mesh_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("meshes/models")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The robot of a world with one robot of a bundled model.
fn bundled_robot(name: &str) -> Robot {
    let text = format!("robots: {{{name}: {{model: {name}}}}}");
    let world = load_text("w.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    world.scene.robots[0].clone()
}

/// A mesh file as the visual of a robot in a world.
fn mesh_of(path: &Path) -> Arc<Mesh> {
    let text = format!(
        "robots:\n  r:\n    model: {{source: test, base: fixed, body: {{source: test, axes: flu, mass_kg: 1, \
         inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}, visuals: {{m: {{kind: mesh, file: \"file://{}\"}}}}}}}}",
        path.display()
    );
    let world = load_text("w.yaml", &text, Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    match &world.scene.robots[0].visuals[0].geometry {
        Geometry::Mesh(mesh) => Arc::clone(mesh),
        other => panic!("{}: {other:?}", path.display()),
    }
}

fn triangle_count(shapes: &[Collider]) -> usize {
    let count = |shape: &Collider| match &shape.geometry {
        Geometry::Mesh(mesh) => mesh.triangles.len(),
        _ => 0,
    };
    shapes.iter().map(count).sum()
}

/// Points with the bounding box of a shape, in the axes of its link.
fn points(shape: &Collider) -> Vec<Vec3> {
    let half = match &shape.geometry {
        Geometry::Primitive(primitive) => primitive.half_size(),
        Geometry::ConvexHull(mesh) | Geometry::ConvexDecomposition(mesh) | Geometry::Mesh(mesh) => {
            let place = |v: &Vec3| shape.p_LoG + shape.R_LG.mul_vec(*v);
            return mesh.vertices.iter().map(place).collect();
        }
        Geometry::Heightfield(_) => return Vec::new(),
    };
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        Vec3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
    };
    let corners = (0..8).map(corner);
    corners
        .map(|p| shape.p_LoG + shape.R_LG.mul_vec(p))
        .collect()
}

/// Extents of the shapes on link `link` along the axes of the link [m]; `None` without shapes.
fn extents(shapes: &[Collider], link: usize) -> Option<[f64; 3]> {
    let own = shapes.iter().filter(|shape| shape.link == link);
    let all: Vec<[f64; 3]> = own.flat_map(points).map(|p| p.to_array()).collect();
    (!all.is_empty()).then(|| {
        std::array::from_fn(|k| {
            let along = all.iter().map(|p| p[k]);
            let (low, high) = (along.clone().fold(f64::INFINITY, f64::min), along);
            high.fold(f64::NEG_INFINITY, f64::max) - low
        })
    })
}

// The committed meshes are those that the script generates. Method: `make.py --check`.
#[test]
fn the_script_generates_the_committed_meshes() {
    let python = std::env::var("MERROW_PYTHON").unwrap_or("python3".into());
    let mut command = Command::new(python);
    command.args(["tools/models/make.py", "--check"]);
    let done = command.current_dir(root()).output().expect("Python runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
}

// Every mesh is closed and small, and its parts have names and colours. Method: read each file;
// edges of every part, and the total size.
#[test]
fn meshes_are_closed_and_have_named_coloured_parts() {
    let mut bytes = 0;
    for path in mesh_files() {
        bytes += std::fs::metadata(&path).unwrap().len();
        let (mesh, name) = (mesh_of(&path), path.display());
        assert!(mesh.triangles.len() <= TRIANGLES[1], "{name}: too many");
        assert!(!mesh.parts.is_empty(), "{name}: no parts");
        let mut edges: BTreeMap<[u32; 2], i64> = BTreeMap::new();
        for [a, b, c] in &mesh.triangles {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                let sign = if from < to { 1 } else { -1 };
                *edges.entry([from.min(to), from.max(to)]).or_default() += sign;
            }
        }
        let open = edges.values().filter(|n| **n != 0).count();
        assert_eq!(open, 0, "{name}: open edges");
        let mut names: Vec<&str> = Vec::new();
        for part in &mesh.parts {
            assert!(!part.name.is_empty(), "{name}: a part without name");
            assert!(part.color.is_some(), "{name}: {} has no colour", part.name);
            if names.last() != Some(&part.name.as_str()) {
                assert!(
                    !names.contains(&part.name.as_str()),
                    "{name}: {}",
                    part.name
                );
                names.push(&part.name);
            }
        }
        let end = mesh.parts.last().map(|part| part.end as usize);
        assert_eq!(end, Some(mesh.triangles.len()), "{name}");
    }
    assert!(bytes <= TOTAL_BYTES, "{bytes} bytes");
}

// Every bundled robot has visuals within the limits of triangles. Method: count them.
#[test]
fn every_robot_has_visuals() {
    for name in data_dir::file_names("params/robots") {
        let robot = bundled_robot(&name);
        let base = robot.visuals.iter().any(|shape| shape.link == 0);
        let count = triangle_count(&robot.visuals);
        assert!(base, "{name}: no visuals on the base");
        // arms and wheels are bodies of their own
        let max = TRIANGLES[1] * if robot.links.len() > 1 { 2 } else { 1 };
        assert!((TRIANGLES[0]..=max).contains(&count), "{name}: {count}");
    }
}

// The live view turns one part for every thruster (`propellerOf` in scene/world.js). Method: the
// names of the parts, the fins of their shapes and the azimuth servos of all bundled robots.
#[test]
fn every_thruster_has_one_turning_part() {
    for name in data_dir::file_names("params/robots") {
        let robot = bundled_robot(&name);
        let mut counts = vec![0; robot.thrusters.len()];
        if counts.is_empty() {
            continue;
        }
        for shape in &robot.visuals {
            let Geometry::Mesh(mesh) = &shape.geometry else {
                continue;
            };
            let mut parts: Vec<&str> = mesh.parts.iter().map(|p| p.name.as_str()).collect();
            parts.dedup();
            for part in parts.iter().filter(|part| part.starts_with("propeller")) {
                let thrusters = || robot.thrusters.iter();
                let turned = thrusters()
                    .position(|t| t.azimuth.is_some() && t.azimuth == shape.fin)
                    .or(thrusters().position(|t| **part == format!("propeller_{}", t.name)))
                    .or((robot.thrusters.len() == 1).then_some(0));
                let turned =
                    turned.unwrap_or_else(|| panic!("{name}: {part} belongs to no thruster"));
                counts[turned] += 1;
            }
        }
        assert!(counts.iter().all(|n| *n == 1), "{name}: {counts:?}");
    }
}

// The visuals of a body are as large as its collision shapes, or its file states why not. Method:
// boxes of both along the axes of each link. Tolerance: 5 %.
#[test]
fn extents_of_visuals_and_collisions_agree() {
    let folder = root().join("params");
    let mut different = Vec::new();
    for name in data_dir::file_names("params/robots") {
        let robot = bundled_robot(&name);
        for link in 0..robot.links.len() {
            let Some(difference) = difference_of_extents(&robot, link) else {
                continue;
            };
            if !states_reason(&folder, &name, &robot.links[link].name) {
                different.push(difference);
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

// The same for the props and robots that worlds define. Method: all worlds that contain visuals,
// and the buoy that no world extends. Tolerance: 5 %.
#[test]
fn extents_of_visuals_and_collisions_agree_in_worlds() {
    let models = data_dir::file_names("params/robots");
    let mut different = Vec::new();
    let mut count = 0;
    let mut check = |text: &str| {
        let own = with_models(text);
        let world = load_text("worlds/w.yaml", text, Overrides::default());
        let world = world.unwrap_or_else(|p| panic!("{p}"));
        let robots = world.scene.robots.iter();
        for robot in robots.filter(|robot| !models.contains(&robot.model)) {
            count += usize::from(!robot.visuals.is_empty());
            let links = 0..robot.links.len();
            let found = links.filter_map(|link| difference_of_extents(robot, link));
            different.extend(found.filter(|_| !REASONS.iter().any(|r| own.contains(r))));
        }
    };
    for name in data_dir::file_names("worlds") {
        let text = std::fs::read_to_string(root().join(format!("worlds/{name}.yaml"))).unwrap();
        if text.contains("visuals:") && name != "every_sensor" {
            check(&text);
        }
    }
    check("robots: {buoy: {model: {source: test, body: channel_buoy}}}");
    assert!(count > 8, "{count}");
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Returns the text of a world and of the bundled robots and bodies that it names.
fn with_models(text: &str) -> String {
    let mut own = text.to_string();
    for folder in ["params/robots", "params/bodies"] {
        for name in data_dir::file_names(folder) {
            if own.contains(&name) {
                let path = root().join(format!("{folder}/{name}.yaml"));
                own += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    own
}

/// Returns the extents of the collision shapes and of the visuals of a link, if they differ.
fn difference_of_extents(robot: &Robot, link: usize) -> Option<String> {
    let shapes = [&robot.colliders, &robot.visuals].map(|all| extents(all, link));
    let [Some(collision), Some(visual)] = shapes else {
        return None;
    };
    let agrees = collision
        .iter()
        .zip(&visual)
        .all(|(a, b)| (b / a - 1.0).abs() <= TOLERANCE);
    (!agrees).then(|| {
        let (robot, link) = (&robot.name, &robot.links[link].name);
        format!("{robot}, {link}: collision {collision:.3?} m, visual {visual:.3?} m")
    })
}

/// Returns true if the file of the body of link `link` states why its visuals have other extents.
fn states_reason(params: &Path, robot: &str, link: &str) -> bool {
    let text = std::fs::read_to_string(params.join(format!("robots/{robot}.yaml"))).unwrap();
    let states = |body: &str| {
        let text = std::fs::read_to_string(params.join(format!("bodies/{body}.yaml")));
        text.is_ok_and(|text| REASONS.iter().any(|reason| text.contains(reason)))
    };
    // the base is the first body; the body of a link follows its name
    let own = match text.find(&format!("\n  {link}:")) {
        Some(start) => &text[start..],
        None => &text,
    };
    let body = own.lines().find_map(|line| {
        let line = line.trim();
        line.strip_prefix("body: ")
            .or(line.strip_prefix("extends: bodies/"))
            .or(line.strip_prefix("body: {extends: bodies/"))
    });
    let parent = text
        .lines()
        .find_map(|line| line.strip_prefix("extends: robots/"))
        .and_then(|rest| rest.strip_suffix(".yaml"));
    body.is_some_and(|body| states(body.split(".yaml").next().unwrap_or(body).trim()))
        || parent.is_some_and(|parent| states_reason(params, parent, link))
}

// `robot_description` refers to installed files. Method: every mesh of every URDF, and the
// folders that CMakeLists.txt installs.
#[test]
fn descriptions_refer_to_installed_meshes() {
    let cmake = std::fs::read_to_string(root().join("ros/merrow/CMakeLists.txt")).unwrap();
    let installed = cmake
        .lines()
        .find(|line| line.starts_with("foreach(folder"));
    let installed: Vec<&str> = installed
        .unwrap_or_default()
        .split([' ', '(', ')'])
        .collect();
    let mut used = Vec::new();
    for name in data_dir::file_names("params/robots") {
        let urdf = merrow_messages::urdf::urdf(&bundled_robot(&name));
        let files = urdf.split("<mesh filename=\"").skip(1);
        let files: Vec<&str> = files.filter_map(|rest| rest.split('"').next()).collect();
        assert!(!files.is_empty(), "{name}: no mesh");
        for file in files {
            let path = file.strip_prefix("package://merrow/").expect("a package");
            let folder = path.split('/').next().unwrap_or_default();
            assert!(installed.contains(&folder), "{file} is not installed");
            assert!(root().join(path).is_file(), "{file} does not exist");
            used.push(path.to_string());
        }
    }
    let folders = ["worlds", "params/bodies", "params/props"];
    let texts: Vec<String> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap())
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for path in mesh_files() {
        let name = path
            .strip_prefix(root())
            .unwrap()
            .to_string_lossy()
            .to_string();
        let in_world = texts.iter().any(|text| text.contains(&name));
        assert!(in_world || used.contains(&name), "{name} is not used");
    }
}
