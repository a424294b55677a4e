//! Converts a tree of links to the keys of a model, each with its place in the URDF file.

use crate::import::estimate::{Estimate, PlacedSolid, Solid, equivalent_ellipsoid, estimate};
use crate::import::urdf::WorldContext;
use crate::import::urdf::hydrodynamics::GivenHydrodynamics;
use crate::import::urdf::tree::{LinkNode, LinkTree};
use crate::import::urdf::xml::{Geometry, Inertial, Joint, LinkShape, VisualMaterial};
use merrow_math::{Mat3, Sym3, Vec3};
use merrow_schema::urdf::EstimateConfig;
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::node::{Key, Map, Node, Value, merge};
use std::collections::BTreeSet;

/// Returns the model node of a link tree and its hydrodynamics.
pub(crate) fn model_node(
    tree: &LinkTree,
    given: &GivenHydrodynamics,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> Node {
    let bodies: Vec<Option<Node>> = (0..tree.nodes.len())
        .map(|k| body(tree, k, given, world, problems))
        .collect();
    let root = &tree.nodes[0];
    let at = &tree.place;
    let mut links = Vec::new();
    for (k, link_node) in tree.nodes.iter().enumerate().skip(1) {
        let Some((file, parent)) = &link_node.joint else {
            continue;
        };
        let place = &link_node.link.place;
        let mut entries = vec![
            (
                "parent",
                text(&file.parent.1, &tree.nodes[*parent].link.name),
            ),
            ("joint", joint(file)),
        ];
        entries.extend(bodies[k].clone().map(|body| ("body", body)));
        links.push((
            Key {
                name: link_node.link.name.clone(),
                place: place.clone(),
            },
            map(place, entries),
        ));
    }
    let mut entries = vec![
        ("source", text(at, &format!("URDF {}", at.file))),
        ("root", text(&root.link.place, &root.link.name)),
    ];
    entries.extend(bodies[0].clone().map(|body| ("body", body)));
    let mut model = map(at, entries);
    if let Value::Map(model) = &mut model.value {
        let links = Node {
            value: Value::Map(Map {
                entries: links,
                partial: false,
            }),
            place: at.clone(),
        };
        model.entries.push((
            Key {
                name: "links".into(),
                place: at.clone(),
            },
            links,
        ));
    }
    model
}

fn map(place: &Place, entries: Vec<(&str, Node)>) -> Node {
    let entries = entries
        .into_iter()
        .map(|(name, node)| {
            (
                Key {
                    name: name.into(),
                    place: place.clone(),
                },
                node,
            )
        })
        .collect();
    Node {
        value: Value::Map(Map {
            entries,
            partial: false,
        }),
        place: place.clone(),
    }
}

fn text(place: &Place, text: &str) -> Node {
    Node {
        value: Value::Scalar {
            text: text.to_string(),
            quoted: true,
        },
        place: place.clone(),
    }
}

/// Writes a number with all its digits, so that parsing returns the same value.
fn number(place: &Place, x: f64) -> Node {
    Node {
        value: Value::Scalar {
            text: format!("{x}"),
            quoted: false,
        },
        place: place.clone(),
    }
}

fn numbers(place: &Place, x: &[f64]) -> Node {
    Node {
        value: Value::Seq(x.iter().map(|x| number(place, *x)).collect()),
        place: place.clone(),
    }
}

fn vector(place: &Place, v: Vec3) -> Node {
    numbers(place, &v.to_array())
}

fn joint(file: &Joint) -> Node {
    let at = &file.place;
    let mut entries = vec![
        ("name", text(at, &file.name)),
        ("kind", text(at, &file.kind)),
        ("position_m", numbers(at, &file.xyz)),
        ("attitude_rad", numbers(at, &file.rpy)),
    ];
    if file.kind != "fixed" {
        entries.push(("axis", numbers(&file.axis_place, &file.axis)));
        entries.push(("damping", number(at, file.damping)));
        entries.push(("friction", number(at, file.friction)));
    }
    let keys = match file.kind.as_str() {
        "revolute" => Some(["lower_rad", "upper_rad"]),
        "prismatic" => Some(["lower_m", "upper_m"]),
        _ => None,
    };
    if let Some(limit) = file.limit.as_ref().filter(|_| file.kind != "fixed") {
        let (place, [lower, upper]) = (&limit.place, limit.range);
        if let Some([low, high]) = keys {
            entries.push((low, number(place, lower)));
            entries.push((high, number(place, upper)));
        }
        for (key, maximum) in [("max_effort", limit.effort), ("max_speed", limit.velocity)] {
            if maximum.is_finite() {
                entries.push((key, number(place, maximum)));
            }
        }
    }
    if let Some((leader, multiplier, offset, place)) = &file.mimic {
        let mimic = [
            ("joint", text(place, leader)),
            ("multiplier", number(place, *multiplier)),
            ("offset", number(place, *offset)),
        ];
        entries.push(("mimic", map(place, mimic.to_vec())));
    }
    map(at, entries)
}

/// Returns the body of a link, or `None`: from its own mass, or for a head without mass from the
/// masses of the links fixed to it.
fn body(
    tree: &LinkTree,
    k: usize,
    given: &GivenHydrodynamics,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> Option<Node> {
    let link_node = &tree.nodes[k];
    let is_head = link_node.head == k;
    let inertial = body_inertial(tree, k, given, problems)?;
    let mut entries = mass(&inertial);
    // water has no effect on a base that is fixed to the world
    let moves = k > 0 || !tree.held;
    if moves && (is_head || given.has_any_key(k)) {
        let shapes = solids(tree, k, given, world, problems);
        entries.extend(estimated_keys(tree, k, &shapes, given, world, problems));
    }
    let at = &inertial.place;
    let source = if given.source.is_empty() {
        String::new()
    } else {
        format!("; hydrodynamics: {}", given.source)
    };
    entries.push(("source", text(at, &format!("URDF {}{source}", at.file))));
    let mut body = map(at, entries);
    let overrides = given.overrides(k).to_vec();
    body = merge(
        body,
        Node {
            value: Value::Map(Map {
                entries: overrides,
                partial: false,
            }),
            place: at.clone(),
        },
    );
    if let Value::Map(body) = &mut body.value {
        let key = Key {
            name: "collisions".into(),
            place: at.clone(),
        };
        body.entries.push((key, collisions(tree, k, at)));
        let key = Key {
            name: "visuals".into(),
            place: at.clone(),
        };
        body.entries
            .push((key, visuals(tree, k, at, world, problems)));
    }
    Some(body)
}

/// Returns the mass properties of body `k`, or `None` if the link has no body: its own properties,
/// or for a head without mass the properties of the links fixed to it.
fn body_inertial(
    tree: &LinkTree,
    k: usize,
    given: &GivenHydrodynamics,
    problems: &mut Problems,
) -> Option<Inertial> {
    let link_node = &tree.nodes[k];
    let is_head = link_node.head == k;
    let own = |i: usize| i != k && given.has_any_key(i);
    match &link_node.link.inertial {
        Some(inertial) if is_head || !head_lacks_mass(tree, link_node.head) => {
            Some(inertial.clone())
        }
        None if is_head => Some(match tree.mass_of(k, |_| true) {
            Some(inertial) => {
                if let Some(i) = (0..tree.nodes.len()).find(|i| tree.nodes[*i].head == k && own(*i))
                {
                    let text = format!(
                        "the link {} has no mass, so {} is merged into it; give the hydrodynamics at {0}",
                        quote(&link_node.link.name),
                        quote(&tree.nodes[i].link.name)
                    );
                    problems.push(&link_node.link.place, text);
                }
                inertial
            }
            None => fixed_base_inertial(&link_node.link.place),
        }),
        _ => None,
    }
}

/// Returns true if a head has no mass and therefore takes the masses of all links fixed to it.
fn head_lacks_mass(tree: &LinkTree, head: usize) -> bool {
    tree.nodes[head].link.inertial.is_none()
}

/// Returns a placeholder for a base without mass that is fixed to the world, where mass has no
/// effect.
fn fixed_base_inertial(place: &Place) -> Inertial {
    let inertia = Sym3 {
        xx: 1.0,
        xy: 0.0,
        xz: 0.0,
        yy: 1.0,
        yz: 0.0,
        zz: 1.0,
    };
    Inertial {
        place: place.clone(),
        mass: 1.0,
        com: Vec3::zero(),
        inertia,
    }
}

fn mass<'a>(inertial: &Inertial) -> Vec<(&'a str, Node)> {
    let (at, i) = (&inertial.place, &inertial.inertia);
    let inertia = [
        ("xx", i.xx),
        ("yy", i.yy),
        ("zz", i.zz),
        ("xy", i.xy),
        ("xz", i.xz),
        ("yz", i.yz),
    ];
    vec![
        ("axes", text(at, "flu")),
        ("mass_kg", number(at, inertial.mass)),
        ("center_of_mass_m", vector(at, inertial.com)),
        (
            "inertia_kg_m2",
            map(at, inertia.map(|(key, x)| (key, number(at, x))).to_vec()),
        ),
    ]
}

/// Returns the links whose shapes belong to body `k`: the link itself, and for a head also the
/// links without a body that are fixed to it.
fn parts<'t>(tree: &'t LinkTree, k: usize, has_body: impl Fn(usize) -> bool) -> Vec<&'t LinkNode> {
    let belongs =
        |(i, link_node): &(usize, &'t LinkNode)| *i == k || (link_node.head == k && !has_body(*i));
    tree.nodes
        .iter()
        .enumerate()
        .filter(belongs)
        .map(|(_, link_node)| link_node)
        .collect()
}

/// Returns the pose in body `k` of an item at the pose (`R`, `p` [m]) on one of its parts.
fn pose(tree: &LinkTree, k: usize, part: &LinkNode, R: &Mat3, p: Vec3) -> (Mat3, Vec3) {
    // a fixed link with a separate body has only its own shapes
    if tree.nodes[k].head != k {
        return (*R, p);
    }
    (part.R.mul_mat(R), part.p + part.R.mul_vec(p))
}

fn collisions(tree: &LinkTree, k: usize, place: &Place) -> Node {
    let has_body = |i: usize| {
        tree.nodes[i].link.inertial.is_some() && !head_lacks_mass(tree, tree.nodes[i].head)
    };
    let mut entries = Vec::new();
    for part in parts(tree, k, has_body) {
        for shape in &part.link.collisions {
            let (R, p) = pose(tree, k, part, &shape.R, shape.p);
            let name = format!("shape_{}", entries.len());
            entries.push((
                Key {
                    name,
                    place: shape.place.clone(),
                },
                collision(shape, &R, p),
            ));
        }
    }
    Node {
        value: Value::Map(Map {
            entries,
            partial: false,
        }),
        place: place.clone(),
    }
}

fn collision(shape: &LinkShape, R: &Mat3, p: Vec3) -> Node {
    let at = &shape.place;
    let mut entries = vec![
        ("position_m", vector(at, p)),
        (
            "attitude_deg",
            numbers(at, &R.to_rpy().map(f64::to_degrees)),
        ),
    ];
    entries.extend(match &shape.geometry {
        Geometry::Box(size) => vec![("kind", text(at, "box")), ("size_m", numbers(at, size))],
        Geometry::Sphere(radius) => vec![
            ("kind", text(at, "sphere")),
            ("radius_m", number(at, *radius)),
        ],
        Geometry::Cylinder(radius, length) | Geometry::Capsule(radius, length) => {
            let round = matches!(shape.geometry, Geometry::Capsule(..));
            vec![
                ("kind", text(at, if round { "capsule" } else { "cylinder" })),
                ("radius_m", number(at, *radius)),
                ("length_m", number(at, *length)),
            ]
        }
        Geometry::Mesh(file, scale) => {
            vec![
                ("kind", text(at, "mesh")),
                ("file", text(at, file)),
                ("scale", numbers(at, scale)),
            ]
        }
    });
    map(at, entries)
}

/// Returns the visuals of a body. Unreadable visuals are omitted with a note, because only
/// rendering depends on them.
fn visuals(
    tree: &LinkTree,
    k: usize,
    place: &Place,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> Node {
    let has_body = |i: usize| {
        tree.nodes[i].link.inertial.is_some() && !head_lacks_mass(tree, tree.nodes[i].head)
    };
    let mut entries = Vec::new();
    for part in parts(tree, k, has_body) {
        for shape in &part.link.visuals {
            let material = shape.material.as_ref();
            let is_glass = material
                .and_then(|material| material.color)
                .is_some_and(|[.., opaque]| opaque == 0.0);
            if is_glass || !is_readable(shape, world, problems) {
                continue;
            }
            let (R, p) = pose(tree, k, part, &shape.R, shape.p);
            let mut node = collision(shape, &R, p);
            if let (Value::Map(map), Some(material)) = (&mut node.value, material) {
                map.entries
                    .extend(appearance(shape, material, world, problems));
            }
            let name = format!("visual_{}", entries.len());
            entries.push((
                Key {
                    name,
                    place: shape.place.clone(),
                },
                node,
            ));
        }
    }
    Node {
        value: Value::Map(Map {
            entries,
            partial: false,
        }),
        place: place.clone(),
    }
}

/// Returns true unless the shape is a mesh that cannot be read. In that case it reports a note.
fn is_readable(shape: &LinkShape, world: WorldContext<'_>, problems: &mut Problems) -> bool {
    let Geometry::Mesh(file, scale) = &shape.geometry else {
        return true;
    };
    let mut wrong = Problems::new();
    let found = world.assets.mesh(file, *scale, &shape.place, &mut wrong);
    note_all(&wrong, "cameras and lasers ignore it", problems);
    found.is_some()
}

fn note_all(wrong: &Problems, what: &str, problems: &mut Problems) {
    for problem in wrong.iter() {
        problems.note(&problem.place, format!("{}; {what}", problem.text));
    }
}

/// Returns the colour and texture of a shape, as far as they can be read.
fn appearance(
    shape: &LinkShape,
    material: &VisualMaterial,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> Vec<(Key, Node)> {
    let at = &shape.place;
    let key = |name: &str| Key {
        name: name.into(),
        place: at.clone(),
    };
    let mut entries = Vec::new();
    if let Some([rgb @ .., _]) = material.color {
        let color = numbers(at, &rgb.map(srgb_to_linear));
        entries.push((key("material"), map(at, vec![("color", color)])));
    }
    let Some(file) = &material.texture else {
        return entries;
    };
    let mut wrong = Problems::new();
    let has_coordinates = match &shape.geometry {
        Geometry::Box(_) => true,
        Geometry::Mesh(mesh, scale) => world
            .assets
            .mesh_corners(mesh, *scale, at, &mut wrong)
            .flatten()
            .is_some(),
        _ => false,
    };
    let found = world.assets.image(
        file,
        matches!(shape.geometry, Geometry::Mesh(..)),
        at,
        &mut wrong,
    );
    note_all(&wrong, "it is not rendered", problems);
    if !has_coordinates {
        problems.note(
            at,
            format!(
                "{}: the shape has no texture coordinates for it; it is not rendered",
                quote(file)
            ),
        );
    } else if found.is_some() {
        let texture = map(
            at,
            vec![("kind", text(at, "image")), ("file", text(at, file))],
        );
        entries.push((key("texture"), texture));
    }
    entries
}

/// Converts an sRGB component to linear reflectance, 0..1 (IEC 61966-2-1).
fn srgb_to_linear(part: f64) -> f64 {
    if part <= 0.04045 {
        part / 12.92
    } else {
        libm::pow((part + 0.055) / 1.055, 2.4)
    }
}

/// Solids of a body: what its hydrodynamics are estimated from, and its hull.
#[derive(Default)]
struct BodySolids {
    /// Solids with a closed form; meshes as their equivalent ellipsoids.
    estimates: Vec<PlacedSolid>,
    /// The same solids as keys of `hull`, with meshes as they are.
    hull: Vec<(Key, Node)>,
    /// Description of each kind of solid.
    kinds: BTreeSet<&'static str>,
}

/// Returns the solids of body `k`.
fn solids(
    tree: &LinkTree,
    k: usize,
    given: &GivenHydrodynamics,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> BodySolids {
    let has_own = |i: usize| given.has_any_key(i);
    let mut solids = BodySolids::default();
    if given.estimate == EstimateConfig::None {
        return solids;
    }
    for part in parts(tree, k, has_own) {
        let (touched, seen) = (&part.link.collisions, &part.link.visuals);
        let (first, second) = if given.estimate == EstimateConfig::Visual {
            (seen, touched)
        } else {
            (touched, seen)
        };
        for shape in if first.is_empty() { second } else { first } {
            let (R, p) = pose(tree, k, part, &shape.R, shape.p);
            add_solid(&mut solids, shape, (&R, p), world, problems);
        }
    }
    solids
}

/// Adds a shape at the pose (`R`, `p` [m]) on the body to its solids.
fn add_solid(
    solids: &mut BodySolids,
    shape: &LinkShape,
    (R, p): (&Mat3, Vec3),
    world: WorldContext<'_>,
    problems: &mut Problems,
) {
    let (kind, own, is_convex) = match &shape.geometry {
        Geometry::Box(size) => ("box", Solid::Box(*size).at_origin(), false),
        Geometry::Cylinder(radius, length) => {
            let (radius, length) = (*radius, *length);
            let solid = Solid::Cylinder { radius, length };
            ("cylinder", solid.at_origin(), false)
        }
        Geometry::Sphere(radius) => {
            let solid = Solid::Ellipsoid([*radius; 3]);
            ("sphere", solid.at_origin(), false)
        }
        Geometry::Capsule(radius, length) => {
            let solid = Solid::capsule(*radius, *length);
            ("capsule as a spheroid", solid.at_origin(), false)
        }
        Geometry::Mesh(file, scale) => {
            // an unreadable mesh is only a note here; if it is also a collision shape, the error is
            // reported there
            let mut wrong = Problems::new();
            let found = world.assets.mesh(file, *scale, &shape.place, &mut wrong);
            note_all(&wrong, "the estimate omits it", problems);
            let Some((mesh, check)) = found else { return };
            let is_closed = check.closure_defect().is_none();
            let Some(own) = equivalent_ellipsoid(&mesh, is_closed) else {
                return;
            };
            let kind = if is_closed {
                "mesh as an ellipsoid with equal moments"
            } else {
                "open mesh by its convex hull, as an ellipsoid with equal moments"
            };
            if check.flat {
                solids.kinds.insert("flat mesh as a thin plate");
                solids.estimates.push(own.moved(R, p));
                return;
            }
            (kind, own, !is_closed)
        }
    };
    solids.kinds.insert(kind);
    solids.estimates.push(own.moved(R, p));
    let mut node = collision(shape, R, p);
    if let (Value::Map(map), true) = (&mut node.value, is_convex) {
        let place = shape.place.clone();
        let name = "convex".into();
        let value = Value::Scalar {
            text: "true".into(),
            quoted: false,
        };
        map.entries.push((
            Key {
                name,
                place: place.clone(),
            },
            Node { value, place },
        ));
    }
    let key = Key {
        name: format!("solid_{}", solids.hull.len()),
        place: shape.place.clone(),
    };
    solids.hull.push((key, node));
}

/// Returns the hydrodynamic keys that are not given, estimated from the solids of the body.
fn estimated_keys<'a>(
    tree: &LinkTree,
    k: usize,
    solids: &BodySolids,
    given: &GivenHydrodynamics,
    world: WorldContext<'_>,
    problems: &mut Problems,
) -> Vec<(&'a str, Node)> {
    let link = &tree.nodes[k].link;
    let Some(found) = estimate(&solids.estimates, world.density) else {
        if given.estimate != EstimateConfig::None && !given.has_any_key(k) {
            let text = format!(
                "the link {} has neither hydrodynamics nor a shape to estimate them from: no hydrodynamic forces act on it",
                quote(&link.name)
            );
            problems.note(&link.place, text);
        }
        return Vec::new();
    };
    let at = &link.place;
    let missing = |keys: &[&str]| !keys.iter().any(|key| given.has_key(k, key));
    let (mut entries, mut what) = (Vec::new(), Vec::new());
    if missing(&["volume_m3", "net_buoyancy_n"]) {
        what.push("volume");
        entries.push(("volume_m3", number(at, found.volume)));
    }
    if missing(&["center_of_buoyancy_m"]) {
        what.push("centre of buoyancy");
        entries.push(("center_of_buoyancy_m", vector(at, found.center)));
    }
    if let (true, Some(hull)) = (missing(&["hull"]), hull(solids, at)) {
        what.push("hull");
        entries.push(("hull", hull));
    }
    if missing(&["added_mass"]) {
        what.push("added mass");
        entries.push(("added_mass", added_mass(&found, at)));
    }
    if missing(&["quadratic_damping", "slender"]) {
        what.push("quadratic damping");
        let values = ("values", numbers(at, &found.drag));
        entries.push((
            "quadratic_damping",
            map(at, vec![("kind", text(at, "diagonal")), values]),
        ));
        if missing(&["damping_point_m"]) {
            entries.push(("damping_point_m", vector(at, found.center)));
        }
    }
    if !what.is_empty() {
        let shapes: Vec<&str> = solids.kinds.iter().copied().collect();
        let line = format!(
            "{}: from formulas for simple shapes ({})",
            what.join(", "),
            shapes.join(", ")
        );
        entries.push(("estimated", text(at, &line)));
    }
    entries
}

fn added_mass(found: &Estimate, place: &Place) -> Node {
    // the matrix has the angular part first
    let m = found.added.to_matrix();
    let row = |i: usize| {
        numbers(
            place,
            &std::array::from_fn::<f64, 6, _>(|j| m[(i + 3) % 6][(j + 3) % 6]),
        )
    };
    let rows = Node {
        value: Value::Seq((0..6).map(row).collect()),
        place: place.clone(),
    };
    map(place, vec![("kind", text(place, "matrix")), ("rows", rows)])
}

/// Returns the hull of a body: a closed form for a box along its axes and for a sphere, otherwise
/// the sum of its solids. `None` if it has no solid with a volume.
fn hull(solids: &BodySolids, place: &Place) -> Option<Node> {
    let along_axes = |R: &Mat3| {
        let is_unit = |x: &f64| x.abs() > 1.0 - 1e-9;
        R.r.iter().all(|row| row.to_array().iter().any(is_unit))
    };
    let is_sphere = solids.kinds.contains("sphere"); // not the ellipsoid of a mesh
    let closed_form = match solids.estimates.as_slice() {
        [one] => match one.solid {
            Solid::Box(size) if along_axes(&one.R) => Some(("box", size, one)),
            Solid::Ellipsoid(half) if is_sphere => Some(("ellipsoid", half.map(|a| 2.0 * a), one)),
            Solid::Box(_) | Solid::Cylinder { .. } | Solid::Ellipsoid(_) => None,
        },
        _ => None,
    };
    if let Some((kind, size, one)) = closed_form {
        let reach =
            |row: &Vec3| Vec3::from(std::array::from_fn(|j| row[j].abs())).dot(Vec3::from(size));
        let size = if kind == "box" {
            one.R.r.each_ref().map(reach)
        } else {
            size
        };
        let entries = vec![
            ("kind", text(place, kind)),
            ("size_m", numbers(place, &size)),
            ("center_m", vector(place, one.p)),
        ];
        return Some(map(place, entries));
    }
    if solids.hull.is_empty() {
        return None;
    }
    let parts = Node {
        value: Value::Map(Map {
            entries: solids.hull.clone(),
            partial: false,
        }),
        place: place.clone(),
    };
    Some(map(
        place,
        vec![("kind", text(place, "solids")), ("solids", parts)],
    ))
}
