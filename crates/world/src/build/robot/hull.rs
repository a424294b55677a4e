//! Conversion of a hull mesh, or of the solids of a hull, to the mesh on which the water pressure
//! acts, or to its bounding box.

use crate::build::robot::collision::{MeshKeys, axes_rotation};
use crate::context::Context;
use crate::import::assets::CheckedMesh;
use crate::import::sname;
use crate::keys::{Axes, BodyConfig, HullConfig, HullMeshConfig, HullSolidsConfig, SolidConfig};
use merrow_math::hull_cut::HullShape;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::solid_mesh::SolidMesh;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Hull;
use merrow_physics::contact::geometry::convex_hull::convex_hull;
use merrow_yaml::error::quote;
use std::sync::Arc;

/// Maximum number of triangles of a hull, a limit for real-time speed.
const TRIANGLES_MAX: usize = 50_000;

/// A hull that is derived from a mesh.
#[derive(Clone, Debug)]
pub(crate) struct MeshHull {
    /// Volume of the hull [m³].
    pub volume: f64,
    /// Centroid of the volume in L [m].
    pub centroid: Vec3,
    /// Bounding box of the mesh.
    pub hull: Hull,
    /// The mesh itself; `None` if the bounding box is used instead.
    pub mesh: Option<Arc<HullMesh>>,
}

/// Returns the hull of the body `name` if it is a mesh, the bounding box of a mesh, or a sum of
/// solids.
pub(crate) fn build_mesh_hull(
    name: &str,
    body: &BodyConfig,
    R_LU: Mat3,
    cx: Context<'_>,
) -> Option<MeshHull> {
    let (mesh, at) = match &body.hull {
        HullConfig::Mesh(file) => (load_hull_mesh(name, body, file, false, cx)?, &file.at),
        HullConfig::BoundingBox(file) => {
            let mesh = load_hull_mesh(name, body, file, true, cx)?;
            return Some(bounding_box_hull(&mesh, R_LU));
        }
        HullConfig::Solids(file) => (sum_of_solids(name, body, file, cx)?, &file.at),
        HullConfig::Sphere | HullConfig::Box { .. } | HullConfig::Ellipsoid { .. } => return None,
    };
    if mesh.triangles.len() > TRIANGLES_MAX {
        let found = mesh.triangles.len();
        let text = format!(
            "the hull of {name}: expected at most {TRIANGLES_MAX} triangles, found {found}"
        );
        return cx.refuse(&at.whole, text);
    }
    Some(mesh_hull(&mesh, R_LU))
}

/// Loads the mesh and transforms it to the axes U of the body.
fn load_hull_mesh(
    name: &str,
    body: &BodyConfig,
    file: &HullMeshConfig,
    is_box: bool,
    cx: Context<'_>,
) -> Option<HullMesh> {
    let keys = MeshKeys {
        file: &file.file,
        scale: file.scale,
        at: &file.at,
    };
    let (mesh, check) = checked_mesh(keys, cx)?;
    if let Some(why) = check.closure_defect().filter(|_| !is_box) {
        report_open_mesh(name, keys, &why, "repair the mesh", cx);
        return None;
    }
    let vertices = placed(
        &mesh.vertices,
        body.axes,
        file.position_m,
        file.attitude_deg,
    );
    Some(HullMesh::new(vertices.collect(), mesh.triangles.clone()))
}

/// Loads a mesh that is not flat.
fn checked_mesh(keys: MeshKeys<'_>, cx: Context<'_>) -> Option<CheckedMesh> {
    let (mesh, check) = keys.load(cx)?;
    if check.flat {
        let what = quote(keys.file);
        let text = format!("{what}: the mesh is flat; expected one with a volume");
        return cx.refuse(keys.at.key_place("file"), text);
    }
    Some((mesh, check))
}

fn report_open_mesh(name: &str, keys: MeshKeys<'_>, why: &str, remedy: &str, cx: Context<'_>) {
    let text = format!(
        "{}: {why}; the hull of {name} must enclose the water it displaces; {remedy}",
        quote(keys.file)
    );
    cx.error(keys.at.key_place("file"), text);
}

/// Transforms points from the axes of a shape, whose pose on the body is given in the axes of the
/// file, to the axes U of the body [m].
fn placed(
    points: &[Vec3],
    axes: Axes,
    position_m: [f64; 3],
    attitude_deg: [f64; 3],
) -> impl Iterator<Item = Vec3> {
    let [r, p, y] = attitude_deg.map(f64::to_radians);
    let R_UG = axes_rotation(axes).mul_mat(&Mat3::from_rpy(r, p, y));
    let p_UoG = sname::vector_to_flu(axes, position_m);
    points.iter().map(move |v| p_UoG + R_UG.mul_vec(*v))
}

/// Returns the mesh of all solids in the axes U of the body.
fn sum_of_solids(
    name: &str,
    body: &BodyConfig,
    file: &HullSolidsConfig,
    cx: Context<'_>,
) -> Option<HullMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let before = cx.problems().len();
    for (_, solid) in file.solids.iter() {
        let Some(mesh) = solid_mesh(name, &solid.solid, cx) else {
            continue;
        };
        let first = vertices.len() as u32;
        vertices.extend(placed(
            &mesh.vertices,
            body.axes,
            solid.position_m,
            solid.attitude_deg,
        ));
        triangles.extend(mesh.triangles.iter().map(|t| t.map(|k| first + k)));
    }
    (cx.problems().len() == before).then(|| HullMesh::new(vertices, triangles))
}

/// Returns the mesh of a solid of the hull of the body `name`, in its own axes.
fn solid_mesh(name: &str, solid: &SolidConfig, cx: Context<'_>) -> Option<SolidMesh> {
    Some(match solid {
        SolidConfig::Sphere { radius_m, .. } => SolidMesh::sphere(*radius_m),
        SolidConfig::Box { size_m, .. } => SolidMesh::block(*size_m),
        SolidConfig::Cylinder {
            radius_m, length_m, ..
        } => SolidMesh::cylinder(*radius_m, *length_m),
        SolidConfig::Capsule {
            radius_m, length_m, ..
        } => SolidMesh::capsule(*radius_m, *length_m),
        SolidConfig::Mesh {
            file,
            scale,
            convex,
            at,
        } => {
            let keys = MeshKeys {
                file,
                scale: *scale,
                at,
            };
            let (mesh, check) = checked_mesh(keys, cx)?;
            if *convex {
                let hull = convex_hull(&mesh.vertices);
                if hull.is_none() {
                    let text = format!(
                        "{}: the mesh has no convex hull; repair the mesh",
                        quote(file)
                    );
                    cx.error(at.key_place("file"), text);
                }
                return hull;
            }
            if let Some(why) = check.closure_defect() {
                let remedy = "repair the mesh, or write `convex: true`";
                report_open_mesh(name, keys, &why, remedy, cx);
                return None;
            }
            SolidMesh {
                vertices: mesh.vertices.clone(),
                triangles: mesh.triangles.clone(),
            }
        }
    })
}

fn mesh_hull(mesh: &HullMesh, R_LU: Mat3) -> MeshHull {
    let vertices = mesh.vertices.iter().map(|v| R_LU.mul_vec(*v)).collect();
    let turned = HullMesh::new(vertices, mesh.triangles.clone());
    let (center, bound) = mesh.bounding_sphere();
    let half = (mesh.bounds[1] - mesh.bounds[0]).scale(0.5);
    MeshHull {
        volume: turned.volume,
        centroid: turned.centroid,
        hull: Hull {
            shape: HullShape::Box(half),
            p_LoH: R_LU.mul_vec(center),
            R_LH: R_LU,
            bound,
        },
        mesh: Some(Arc::new(turned)),
    }
}

fn bounding_box_hull(mesh: &HullMesh, R_LU: Mat3) -> MeshHull {
    let [low, high] = mesh.bounds;
    let half = (high - low).scale(0.5);
    let center = R_LU.mul_vec((low + high).scale(0.5));
    let shape = HullShape::Box(half);
    MeshHull {
        volume: shape.volume(),
        centroid: center,
        hull: Hull {
            shape,
            p_LoH: center,
            R_LH: R_LU,
            bound: half.norm(),
        },
        mesh: None,
    }
}
