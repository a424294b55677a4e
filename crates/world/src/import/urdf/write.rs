//! Converts a tree of links to the keys of a model, each with its place in the URDF file.

use crate::context::Context;
use crate::import::estimate::{Estimate, PlacedSolid, Solid, equivalent_ellipsoid, estimate};
use crate::import::urdf::hydrodynamics::GivenHydrodynamics;
use crate::import::urdf::tree::{LinkNode, LinkTree};
use crate::import::urdf::xml::{Geometry, Inertial, Joint, Link, LinkShape, VisualMaterial};
use crate::keys::urdf::EstimateConfig;
use merrow_math::{Mat3, Sym3, Vec3};
use merrow_yaml::error::{Place, Problems, quote};
use merrow_yaml::node::{Map, Node, Value, merge};
use serde_json::json;
use std::collections::BTreeSet;

/// Returns the model node of a link tree and its hydrodynamics.
pub(crate) fn model_node(tree: &LinkTree, given: &GivenHydrodynamics, cx: Context<'_>) -> Node {
    let bodies: Vec<Option<Node>> = (0..tree.nodes.len())
        .map(|k| body(tree, k, given, cx))
        .collect();
    let root = &tree.nodes[0];
    let at = &tree.place;
    let mut links = Map::default();
    for (k, link_node) in tree.nodes.iter().enumerate().skip(1) {
        let Some((file, parent)) = &link_node.joint else {
            continue;
        };
        let parent = tree.nodes[*parent].link.name.as_str();
        let mut link = Node::map(
            [
                ("parent", Node::new(parent, &file.parent.1)),
                ("joint", joint(file)),
            ],
            &link_node.link.place,
        );
        if let Some(body) = &bodies[k] {
            link.make_map().insert("body", body.clone());
        }
        links.insert(&link_node.link.name, link);
    }
    let mut model = Map::default();
    model.insert("source", Node::new(format!("URDF {}", at.file), at));
    model.insert("root", Node::new(root.link.name.as_str(), &root.link.place));
    if let Some(body) = &bodies[0] {
        model.insert("body", body.clone());
    }
    model.insert("links", Value::Map(links).at(at));
    Value::Map(model).at(at)
}

/// Writes the numbers with all their digits, so that parsing returns the same values.
fn numbers(place: &Place, x: &[f64]) -> Node {
    Node::list(x.iter().map(|x| Node::plain(x, place)), place)
}

fn vector(place: &Place, v: Vec3) -> Node {
    numbers(place, &v.to_array())
}

fn joint(file: &Joint) -> Node {
    let at = &file.place;
    let mut map = Map::default();
    map.insert("name", Node::new(file.name.as_str(), at));
    map.insert("kind", Node::new(file.kind.as_str(), at));
    map.insert("position_m", numbers(at, &file.xyz));
    map.insert("attitude_rad", numbers(at, &file.rpy));
    if file.kind != "fixed" {
        map.insert("axis", numbers(&file.axis_place, &file.axis));
        map.insert("damping", Node::plain(file.damping, at));
        map.insert("friction", Node::plain(file.friction, at));
    }
    let keys = match file.kind.as_str() {
        "revolute" => Some(["lower_rad", "upper_rad"]),
        "prismatic" => Some(["lower_m", "upper_m"]),
        _ => None,
    };
    if let Some(limit) = file.limit.as_ref().filter(|_| file.kind != "fixed") {
        let (place, [lower, upper]) = (&limit.place, limit.range);
        if let Some([low, high]) = keys {
            map.insert(low, Node::plain(lower, place));
            map.insert(high, Node::plain(upper, place));
        }
        for (key, maximum) in [("max_effort", limit.effort), ("max_speed", limit.velocity)] {
            if maximum.is_finite() {
                map.insert(key, Node::plain(maximum, place));
            }
        }
    }
    if let Some((leader, multiplier, offset, place)) = &file.mimic {
        let mimic = [
            ("joint", Node::new(leader.as_str(), place)),
            ("multiplier", Node::plain(multiplier, place)),
            ("offset", Node::plain(offset, place)),
        ];
        map.insert("mimic", Node::map(mimic, place));
    }
    Value::Map(map).at(at)
}

/// Returns the body of a link, or `None`: from its own mass, or for a head without mass from the
/// masses of the links fixed to it.
fn body(tree: &LinkTree, k: usize, given: &GivenHydrodynamics, cx: Context<'_>) -> Option<Node> {
    let link_node = &tree.nodes[k];
    let is_head = link_node.head == k;
    let inertial = body_inertial(tree, k, given, cx)?;
    let mut body = mass(&inertial);
    // water has no effect on a base that is fixed to the world
    let moves = k > 0 || !tree.held;
    if moves && (is_head || given.has_any_key(k)) {
        let solids = solids(tree, k, given, cx);
        for (key, node) in estimated_keys(tree, k, &solids, given, cx) {
            body.insert(key, node);
        }
    }
    let at = &inertial.place;
    let source = if given.source.is_empty() {
        String::new()
    } else {
        format!("; hydrodynamics: {}", given.source)
    };
    body.insert("source", Node::new(format!("URDF {}{source}", at.file), at));
    let overrides = Value::Map(given.overrides(k).clone()).at(at);
    let mut body = merge(Value::Map(body).at(at), overrides);
    let touched = shapes(
        tree,
        k,
        at,
        "shape",
        |link| &link.collisions,
        |_, node| Some(node),
    );
    let seen = shapes(
        tree,
        k,
        at,
        "visual",
        |link| &link.visuals,
        |shape, node| visual(shape, node, cx),
    );
    body.make_map().insert("collisions", touched);
    body.make_map().insert("visuals", seen);
    Some(body)
}

/// Returns the mass properties of body `k`, or `None` if the link has no body: its own properties,
/// or for a head without mass the properties of the links fixed to it.
fn body_inertial(
    tree: &LinkTree,
    k: usize,
    given: &GivenHydrodynamics,
    cx: Context<'_>,
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
                    cx.error(&link_node.link.place, text);
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
    let inertia = Sym3::diagonal([1.0; 3]);
    Inertial {
        place: place.clone(),
        mass: 1.0,
        com: Vec3::zero(),
        inertia,
    }
}

fn mass(inertial: &Inertial) -> Map {
    let (at, i) = (&inertial.place, &inertial.inertia);
    let inertia = [
        ("xx", i.xx),
        ("yy", i.yy),
        ("zz", i.zz),
        ("xy", i.xy),
        ("xz", i.xz),
        ("yz", i.yz),
    ];
    let inertia = inertia.map(|(key, x)| (key, Node::plain(x, at)));
    Map::from_iter([
        ("axes", Node::new("flu", at)),
        ("mass_kg", Node::plain(inertial.mass, at)),
        ("center_of_mass_m", vector(at, inertial.com)),
        ("inertia_kg_m2", Node::map(inertia, at)),
    ])
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

/// Returns the shapes of a body, as far as `finish` returns a node. `own` are the shapes of a link.
fn shapes(
    tree: &LinkTree,
    k: usize,
    place: &Place,
    name: &str,
    own: fn(&Link) -> &[LinkShape],
    mut finish: impl FnMut(&LinkShape, Node) -> Option<Node>,
) -> Node {
    let has_body = |i: usize| {
        tree.nodes[i].link.inertial.is_some() && !head_lacks_mass(tree, tree.nodes[i].head)
    };
    let mut map = Map::default();
    for part in parts(tree, k, has_body) {
        for shape in own(&part.link) {
            let (R, p) = pose(tree, k, part, &shape.R, shape.p);
            if let Some(node) = finish(shape, collision(shape, &R, p)) {
                map.insert(&format!("{name}_{}", map.entries.len()), node);
            }
        }
    }
    Value::Map(map).at(place)
}

fn collision(shape: &LinkShape, R: &Mat3, p: Vec3) -> Node {
    let at = &shape.place;
    let rpy = R.to_rpy().map(f64::to_degrees);
    let (kind, size) = match &shape.geometry {
        Geometry::Box(size) => ("box", vec![("size_m", numbers(at, size))]),
        Geometry::Sphere(radius) => ("sphere", vec![("radius_m", Node::plain(radius, at))]),
        Geometry::Cylinder(radius, length) | Geometry::Capsule(radius, length) => {
            let round = matches!(shape.geometry, Geometry::Capsule(..));
            let kind = if round { "capsule" } else { "cylinder" };
            let radius = ("radius_m", Node::plain(radius, at));
            (kind, vec![radius, ("length_m", Node::plain(length, at))])
        }
        Geometry::Mesh(file, scale) => {
            let file = ("file", Node::new(file.as_str(), at));
            ("mesh", vec![file, ("scale", numbers(at, scale))])
        }
    };
    let pose = [
        ("position_m", vector(at, p)),
        ("attitude_deg", numbers(at, &rpy)),
        ("kind", Node::new(kind, at)),
    ];
    Node::map(pose.into_iter().chain(size), at)
}

/// Adds the appearance of a visual to its node. An invisible or unreadable visual is omitted,
/// unreadable ones with a note, because only rendering depends on them.
fn visual(shape: &LinkShape, mut node: Node, cx: Context<'_>) -> Option<Node> {
    let material = shape.material.as_ref();
    let color = material.and_then(|material| material.color);
    let is_glass = color.is_some_and(|[.., opaque]| opaque == 0.0);
    if is_glass || !is_readable(shape, cx) {
        return None;
    }
    if let Some(material) = material {
        add_appearance(&mut node, shape, material, cx);
    }
    Some(node)
}

/// Returns true unless the shape is a mesh that cannot be read. In that case it reports a note.
fn is_readable(shape: &LinkShape, cx: Context<'_>) -> bool {
    let Geometry::Mesh(file, scale) = &shape.geometry else {
        return true;
    };
    let mut wrong = Problems::new();
    let found = cx.assets.mesh(file, *scale, &shape.place, &mut wrong);
    note_all(&wrong, "cameras and lasers ignore it", cx);
    found.is_some()
}

fn note_all(wrong: &Problems, what: &str, cx: Context<'_>) {
    for problem in wrong.iter() {
        cx.note(&problem.place, format!("{}; {what}", problem.text));
    }
}

/// Adds the colour and texture of a shape, as far as they can be read.
fn add_appearance(node: &mut Node, shape: &LinkShape, material: &VisualMaterial, cx: Context<'_>) {
    let at = &shape.place;
    if let Some([rgb @ .., _]) = material.color {
        let color = numbers(at, &rgb.map(srgb_to_linear));
        node.make_map()
            .insert("material", Node::map([("color", color)], at));
    }
    let Some(file) = &material.texture else {
        return;
    };
    let mut wrong = Problems::new();
    let has_coordinates = match &shape.geometry {
        Geometry::Box(_) => true,
        Geometry::Mesh(mesh, scale) => cx
            .assets
            .mesh_corners(mesh, *scale, at, &mut wrong)
            .flatten()
            .is_some(),
        _ => false,
    };
    let found = cx.assets.image(
        file,
        matches!(shape.geometry, Geometry::Mesh(..)),
        at,
        &mut wrong,
    );
    note_all(&wrong, "it is not rendered", cx);
    if !has_coordinates {
        cx.note(
            at,
            format!(
                "{}: the shape has no texture coordinates for it; it is not rendered",
                quote(file)
            ),
        );
    } else if found.is_some() {
        node.set("texture", json!({"kind": "image", "file": file}));
    }
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
    hull: Map,
    /// Description of each kind of solid.
    kinds: BTreeSet<&'static str>,
}

/// Returns the solids of body `k`.
fn solids(tree: &LinkTree, k: usize, given: &GivenHydrodynamics, cx: Context<'_>) -> BodySolids {
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
            add_solid(&mut solids, shape, (&R, p), cx);
        }
    }
    solids
}

/// Adds a shape at the pose (`R`, `p` [m]) on the body to its solids.
fn add_solid(solids: &mut BodySolids, shape: &LinkShape, (R, p): (&Mat3, Vec3), cx: Context<'_>) {
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
            let found = cx.assets.mesh(file, *scale, &shape.place, &mut wrong);
            note_all(&wrong, "the estimate omits it", cx);
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
    if is_convex {
        node.set("convex", true);
    }
    let name = format!("solid_{}", solids.hull.entries.len());
    solids.hull.insert(&name, node);
}

/// Returns the hydrodynamic keys that are not given, estimated from the solids of the body.
fn estimated_keys<'a>(
    tree: &LinkTree,
    k: usize,
    solids: &BodySolids,
    given: &GivenHydrodynamics,
    cx: Context<'_>,
) -> Vec<(&'a str, Node)> {
    let link = &tree.nodes[k].link;
    let Some(found) = estimate(&solids.estimates, cx.density) else {
        if given.estimate != EstimateConfig::None && !given.has_any_key(k) {
            let text = format!(
                "the link {} has neither hydrodynamics nor a shape to estimate them from: no hydrodynamic forces act on it",
                quote(&link.name)
            );
            cx.note(&link.place, text);
        }
        return Vec::new();
    };
    let at = &link.place;
    let missing = |keys: &[&str]| !keys.iter().any(|key| given.has_key(k, key));
    let (mut entries, mut what) = (Vec::new(), Vec::new());
    if missing(&["volume_m3", "net_buoyancy_n"]) {
        what.push("volume");
        entries.push(("volume_m3", Node::plain(found.volume, at)));
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
        let (kind, values) = (Node::new("diagonal", at), numbers(at, &found.drag));
        let diagonal = Node::map([("kind", kind), ("values", values)], at);
        entries.push(("quadratic_damping", diagonal));
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
        entries.push(("estimated", Node::new(line, at)));
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
    let rows = Node::list((0..6).map(row), place);
    Node::map(
        [("kind", Node::new("matrix", place)), ("rows", rows)],
        place,
    )
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
        let keys = [
            ("kind", Node::new(kind, place)),
            ("size_m", numbers(place, &size)),
            ("center_m", vector(place, one.p)),
        ];
        return Some(Node::map(keys, place));
    }
    if solids.hull.entries.is_empty() {
        return None;
    }
    let kind = Node::new("solids", place);
    let parts = Value::Map(solids.hull.clone()).at(place);
    Some(Node::map([("kind", kind), ("solids", parts)], place))
}
