//! Shapes of a robot in `merrow describe`: hulls, collision shapes and visual shapes.
//!
//! The hull of a link determines its buoyancy, the collision shapes its contacts. Cameras, lasers
//! and sonars use the visual shapes, or the collision shapes of a robot without visuals.

use merrow_math::bounds::box_around;
use merrow_math::hull_cut::HullShape;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Collider, Geometry, Link, Primitive, Robot};
use serde_json::{Value, json};

/// Describes the shapes of a robot by their use.
pub(super) fn shapes_json(robot: &Robot) -> Value {
    let hulls = robot.links.iter().filter(|link| link.volume_m3 > 0.0);
    let shapes = |shapes: &[Collider]| -> Vec<Value> {
        shapes
            .iter()
            .map(|shape| shape_json(robot, shape))
            .collect()
    };
    json!({
        "hulls": hulls.flat_map(hulls_json).collect::<Vec<Value>>(),
        "collisions": shapes(&robot.colliders),
        "visuals": shapes(&robot.visuals),
    })
}

/// Returns one line about the shapes that [`shapes_json`] describes.
pub(super) fn shapes_text(shapes: &Value) -> String {
    let list = |key: &str| shapes[key].as_array().map_or(&[][..], Vec::as_slice);
    let kinds = |key: &str| {
        let mut kinds: Vec<&str> = list(key)
            .iter()
            .filter_map(|s| s["kind"].as_str())
            .collect();
        kinds.sort_unstable();
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for kind in kinds {
            match counts.last_mut().filter(|(known, _)| *known == kind) {
                Some((_, n)) => *n += 1,
                None => counts.push((kind, 1)),
            }
        }
        let text = |(kind, n): &(&str, usize)| match n {
            1 => (*kind).to_string(),
            n => format!("{n} x {kind}"),
        };
        match counts.as_slice() {
            [] => "none".to_string(),
            counts => counts.iter().map(text).collect::<Vec<_>>().join(", "),
        }
    };
    let triangles: u64 = list("visuals")
        .iter()
        .filter_map(|s| s["triangles"].as_u64())
        .sum();
    let count = if triangles > 0 {
        format!(" ({triangles} triangles)")
    } else {
        String::new()
    };
    format!(
        "shapes: hull {}; collision {}; visual {}{count}",
        kinds("hulls"),
        kinds("collisions"),
        kinds("visuals")
    )
}

fn hulls_json(link: &Link) -> Vec<Value> {
    let describe = |kind: &str, size: Vec3| {
        json!({
            "link": link.name,
            "kind": kind,
            "size_m": size.to_array(),
            "triangles": link.hull_mesh.as_ref().map(|mesh| mesh.triangles.len()),
        })
    };
    if let Some(mesh) = &link.hull_mesh {
        return vec![describe("mesh", bounds(&mesh.vertices).1)];
    }
    link.hulls()
        .map(|hull| match hull.shape {
            HullShape::Box(half) => describe("box", half.scale(2.0)),
            HullShape::Ellipsoid(half) => describe("ellipsoid", half.scale(2.0)),
        })
        .collect()
}

fn shape_json(robot: &Robot, shape: &Collider) -> Value {
    let (kind, size, mesh) = match &shape.geometry {
        Geometry::Primitive(primitive) => {
            let kind = match primitive {
                Primitive::Sphere { .. } => "sphere",
                Primitive::Box { .. } => "box",
                Primitive::Cylinder { .. } => "cylinder",
                Primitive::Capsule { .. } => "capsule",
            };
            (kind, primitive.half_size().scale(2.0), None)
        }
        Geometry::ConvexHull(mesh) => ("convex hull", bounds(&mesh.vertices).1, Some(mesh)),
        Geometry::ConvexDecomposition(mesh) => {
            ("convex parts", bounds(&mesh.vertices).1, Some(mesh))
        }
        Geometry::Mesh(mesh) => ("mesh", bounds(&mesh.vertices).1, Some(mesh)),
        Geometry::Heightfield(field) => {
            let [x, y] = field.size;
            ("heightfield", Vec3::new(x, y, 0.0), None)
        }
    };
    let center = mesh.map_or(Vec3::zero(), |mesh| bounds(&mesh.vertices).0);
    let R_UL: Mat3 = robot.links[shape.link].R_LU.transpose();
    let mut parts: Vec<&str> = Vec::new();
    for part in mesh.iter().flat_map(|mesh| &mesh.parts) {
        if parts.last() != Some(&part.name.as_str()) {
            parts.push(&part.name);
        }
    }
    json!({
        "name": shape.name,
        "link": robot.links[shape.link].name,
        "kind": kind,
        "size_m": size.to_array(),
        "center_m": R_UL.mul_vec(shape.p_LoG + shape.R_LG.mul_vec(center)).to_array(),
        "attitude_deg": R_UL.mul_mat(&shape.R_LG).to_rpy().map(f64::to_degrees),
        "triangles": mesh.map(|mesh| mesh.triangles.len()),
        "file": shape.file.as_ref().map(|file| &file.uri),
        "parts": parts,
        "turns_with": shape.fin.map(|k| &robot.fins[k].name),
    })
}

/// Returns the centre and the size of the box around points [m].
fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let [low, high] = box_around(points.iter().copied()).unwrap_or_default();
    ((low + high).scale(0.5), high - low)
}
