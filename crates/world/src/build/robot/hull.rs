//! Conversion of a hull mesh to the wetted hull mesh on which the water pressure acts, or to its
//! bounding box.

use crate::build::robot::collision::axes_rotation;
use crate::import::assets::Assets;
use crate::import::sname;
use merrow_math::hull_cut::HullShape;
use merrow_math::hull_mesh::HullMesh;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Hull;
use merrow_schema::{BodyConfig, HullConfig, HullMeshConfig};
use merrow_yaml::error::{Problems, quote};
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

/// Returns the hull of the body `name` if it is a mesh or the bounding box of one.
pub(crate) fn build_mesh_hull(
    name: &str,
    body: &BodyConfig,
    R_LU: Mat3,
    assets: &Assets,
    problems: &mut Problems,
) -> Option<MeshHull> {
    let (file, is_box) = match &body.hull {
        HullConfig::Mesh(file) => (file, false),
        HullConfig::BoundingBox(file) => (file, true),
        HullConfig::Sphere | HullConfig::Box { .. } | HullConfig::Ellipsoid { .. } => return None,
    };
    let mesh = load_hull_mesh(name, body, file, is_box, assets, problems)?;
    if is_box {
        Some(bounding_box_hull(&mesh, R_LU))
    } else {
        Some(mesh_hull(&mesh, R_LU))
    }
}

/// Loads the mesh and transforms it to the axes U of the body.
fn load_hull_mesh(
    name: &str,
    body: &BodyConfig,
    file: &HullMeshConfig,
    is_box: bool,
    assets: &Assets,
    problems: &mut Problems,
) -> Option<HullMesh> {
    if file.scale.contains(&0.0) {
        problems.push(
            file.at.key_place("scale"),
            "`scale`: expected non-zero factors, 0 would make the mesh flat",
        );
        return None;
    }
    let place = file.at.key_place("file");
    let (mesh, check) = assets.mesh(&file.file, file.scale, place, problems)?;
    let what = quote(&file.file);
    if let Some(why) = check.closure_defect().filter(|_| !is_box) {
        let text = format!(
            "{what}: {why}; the hull of {name} must enclose the water it displaces; repair the mesh"
        );
        problems.push(place, text);
        return None;
    }
    if check.flat {
        problems.push(
            place,
            format!("{what}: the mesh is flat; expected one with a volume"),
        );
        return None;
    }
    if mesh.triangles.len() > TRIANGLES_MAX && !is_box {
        let found = mesh.triangles.len();
        let text =
            format!("{what}: expected at most {TRIANGLES_MAX} triangles of a hull, found {found}");
        problems.push(place, text);
        return None;
    }
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let R_UG = axes_rotation(body.axes).mul_mat(&Mat3::from_rpy(r, p, y));
    let p_UoG = sname::vector_to_flu(body.axes, file.position_m);
    let vertices = mesh
        .vertices
        .iter()
        .map(|v| p_UoG + R_UG.mul_vec(*v))
        .collect();
    Some(HullMesh::new(vertices, mesh.triangles.clone()))
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
