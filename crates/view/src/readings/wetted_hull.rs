//! Part of the hulls of a robot that is under water.

use crate::readings::forces::with_environment;
use merrow_math::hull_cut::HullShape;
use merrow_math::hull_mesh::clip_submerged;
use merrow_math::{Mat3, Vec3};
use merrow_model::kinematics::link_poses;
use merrow_model::scene::{Geometry, Hull, Primitive, Robot};
use merrow_sim::Simulation;
use std::f64::consts::{FRAC_PI_2, PI};

/// Number of parts of an edge of a box, of a meridian, and of a circle around an axis.
const PARTS: u32 = 6;
const PARALLELS: u32 = 12;
const MERIDIANS: u32 = 20;
/// Maximum number of triangles of a collision mesh.
const MAX_MESH: usize = 2000;

/// Vertices and triangles, counter-clockwise seen from outside.
pub(crate) type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// Computes the triangles of the hulls of a robot that are under water [m], W, counter-clockwise
/// seen from outside.
///
/// They are clipped along the surface of the simulation, linearly over each triangle. A link whose
/// file states no hull, such as a boat with linear hydrostatics, has its collision shapes.
pub fn wetted_hull(simulation: &Simulation, robot: usize) -> Vec<[Vec3; 3]> {
    with_environment(simulation, |environment| {
        let state = &simulation.state.robots[robot];
        let model = &simulation.scene.robots[robot];
        let links = link_poses(model, &state.motion);
        let mut triangles = Vec::new();
        for (k, w) in links.iter().enumerate() {
            let in_world = |p: Vec3| w.p_WL + w.R_WL.mul_vec(p);
            let mut clip = |vertices: &[Vec3], faces: &[[u32; 3]]| {
                let height = |p: &Vec3| environment.height_above_surface(in_world(*p));
                let heights: Vec<f64> = vertices.iter().map(height).collect();
                let wet = clip_submerged(vertices, faces, &heights).into_iter();
                triangles.extend(wet.map(|corners| corners.map(in_world)));
            };
            match &model.links[k].hull_mesh {
                Some(mesh) => clip(&mesh.vertices, &mesh.triangles),
                None => {
                    let shapes = hull_shapes(model, k);
                    shapes
                        .iter()
                        .for_each(|(vertices, faces)| clip(vertices, faces));
                }
            }
        }
        triangles
    })
}

/// Returns the hulls of a link without a mesh, in L.
fn hull_shapes(robot: &Robot, link: usize) -> Vec<Triangles> {
    let own = &robot.links[link];
    if !own.wet || own.volume_m3 <= 0.0 {
        return Vec::new();
    }
    let shape = |hull: &Hull| match hull.shape {
        HullShape::Box(half) => in_frame(boxed(half), &hull.R_LH, hull.p_LoH),
        HullShape::Ellipsoid(axes) => in_frame(ellipsoid(axes), &hull.R_LH, hull.p_LoH),
    };
    let given = || own.hulls().map(shape).collect();
    if own.own_hull {
        return given();
    }
    let shapes = robot.colliders.iter().filter(|shape| shape.link == link);
    let meshes: Vec<Triangles> = shapes
        .filter_map(|shape| {
            let triangles = match &shape.geometry {
                Geometry::Primitive(primitive) => primitive_triangles(primitive),
                Geometry::ConvexHull(mesh)
                | Geometry::ConvexDecomposition(mesh)
                | Geometry::Mesh(mesh) => {
                    let is_small = mesh.triangles.len() <= MAX_MESH;
                    is_small.then(|| (mesh.vertices.clone(), mesh.triangles.clone()))?
                }
                Geometry::Heightfield(_) => return None,
            };
            Some(in_frame(triangles, &shape.R_LG, shape.p_LoG))
        })
        .collect();
    if meshes.is_empty() {
        return given();
    }
    meshes
}

/// Returns triangles of a shape in L.
fn in_frame((vertices, triangles): Triangles, R: &Mat3, p: Vec3) -> Triangles {
    let in_link = |q: &Vec3| p + R.mul_vec(*q);
    (vertices.iter().map(in_link).collect(), triangles)
}

fn primitive_triangles(primitive: &Primitive) -> Triangles {
    match *primitive {
        Primitive::Sphere { radius } => ellipsoid(Vec3::new(radius, radius, radius)),
        Primitive::Box { half } => boxed(half),
        Primitive::Cylinder {
            radius,
            half_length: h,
        } => {
            let part = |k: u32| h * (2.0 * f64::from(k) / f64::from(PARTS) - 1.0);
            let sides = (0..=PARTS).map(|k| [radius, part(k)]);
            let profile = [[0.0, -h]].into_iter().chain(sides).chain([[0.0, h]]);
            revolve(&profile.collect::<Vec<_>>())
        }
        Primitive::Capsule {
            radius,
            half_length: h,
        } => {
            let half = PARALLELS / 2;
            let arc = |k: u32| libm::sincos(FRAC_PI_2 * f64::from(k) / f64::from(half));
            let bottom = (0..=half)
                .map(arc)
                .map(|(s, c)| [radius * s, -h - radius * c]);
            let part = |k: u32| [radius, h * (2.0 * f64::from(k) / f64::from(PARTS) - 1.0)];
            let sides = (1..PARTS).map(part);
            let top = (0..=half)
                .map(arc)
                .map(|(s, c)| [radius * c, h + radius * s]);
            revolve(&bottom.chain(sides).chain(top).collect::<Vec<_>>())
        }
    }
}

/// Returns the triangles of a box with half edge lengths [m].
fn boxed(half: Vec3) -> Triangles {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let part = |k: u32| 2.0 * f64::from(k) / f64::from(PARTS) - 1.0;
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
        let first = vertices.len() as u32;
        for (i, j) in (0..=PARTS).flat_map(|i| (0..=PARTS).map(move |j| (i, j))) {
            let mut unit = [0.0; 3];
            unit[axis] = side;
            unit[(axis + 1) % 3] = side * part(i);
            unit[(axis + 2) % 3] = part(j);
            let [x, y, z] = unit;
            vertices.push(Vec3::new(half.x * x, half.y * y, half.z * z));
        }
        let at = |i: u32, j: u32| first + i * (PARTS + 1) + j;
        for (i, j) in (0..PARTS).flat_map(|i| (0..PARTS).map(move |j| (i, j))) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, triangles)
}

/// Returns the triangles of an ellipsoid with semi-axes [m].
pub(crate) fn ellipsoid(axes: Vec3) -> Triangles {
    let angle = |k: u32| PI * f64::from(k) / f64::from(PARALLELS);
    let meridian = (0..=PARALLELS).map(|k| libm::sincos(angle(k)));
    let profile: Vec<[f64; 2]> = meridian.map(|(s, c)| [s, -c]).collect();
    let (mut vertices, triangles) = revolve(&profile);
    for p in &mut vertices {
        *p = Vec3::new(axes.x * p.x, axes.y * p.y, axes.z * p.z);
    }
    (vertices, triangles)
}

/// Returns the triangles of a profile of radii and heights [m], upwards, that is turned about z.
fn revolve(profile: &[[f64; 2]]) -> Triangles {
    let around = |k: u32| libm::sincos(2.0 * PI * f64::from(k) / f64::from(MERIDIANS));
    let point = |r: f64, z: f64, (s, c): (f64, f64)| Vec3::new(r * c, r * s, z);
    let rows = profile.iter();
    let vertices = rows.flat_map(|[r, z]| (0..MERIDIANS).map(|k| point(*r, *z, around(k))));
    let at = |i: usize, k: u32| i as u32 * MERIDIANS + k % MERIDIANS;
    let mut triangles = Vec::new();
    for (i, pair) in profile.windows(2).enumerate() {
        for k in 0..MERIDIANS {
            // a row on the axis has one triangle per meridian
            if pair[0][0] > 0.0 {
                triangles.push([at(i, k), at(i, k + 1), at(i + 1, k + 1)]);
            }
            if pair[1][0] > 0.0 {
                triangles.push([at(i, k), at(i + 1, k + 1), at(i + 1, k)]);
            }
        }
    }
    (vertices.collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::hull_mesh::HullMesh;

    /// Returns the volume that closed triangles enclose.
    fn volume((vertices, triangles): Triangles) -> f64 {
        HullMesh::new(vertices, triangles).volume
    }

    // Shapes are closed and their triangles face outwards. Method: enclosed volumes against the
    // formulas. Tolerance: rounding for boxes; 4 % for round shapes, whose triangles lie inside.
    #[test]
    fn shapes_enclose_their_volume() {
        let half = Vec3::new(0.5, 0.25, 1.0);
        assert!((volume(boxed(half)) - 1.0).abs() < 1e-12);
        let (radius, half_length) = (0.3, 0.8);
        let round = PI * radius * radius;
        for (triangles, exact) in [
            (ellipsoid(half), 4.0 / 3.0 * PI * 0.125),
            (
                primitive_triangles(&Primitive::Cylinder {
                    radius,
                    half_length,
                }),
                round * 1.6,
            ),
            (
                primitive_triangles(&Primitive::Capsule {
                    radius,
                    half_length,
                }),
                round * (1.6 + 4.0 / 3.0 * radius),
            ),
        ] {
            let found = volume(triangles);
            assert!(found < exact && found > 0.96 * exact, "{found} of {exact}");
        }
    }
}
