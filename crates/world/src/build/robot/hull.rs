//! Conversion of a hull mesh to the wetted hull mesh on which the water pressure acts, or to its
//! bounding box.

use crate::build::robot::collision::axes;
use crate::import::assets::Assets;
use crate::import::sname;
use crate::schema::{Body, HullFile, HullMeshFile};
use merrow_math::hull_cut::Shape;
use merrow_math::hull_mesh::Skin;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Hull;
use merrow_yaml::error::{Problems, quote};
use std::sync::Arc;

/// Maximum number of triangles of a hull, a limit for real-time speed.
const TRIANGLES_MAX: usize = 50_000;

/// A hull that is derived from a mesh.
#[derive(Clone, Debug)]
pub struct Meshed {
    /// Volume of the hull [m³].
    pub volume: f64,
    /// Centroid of the volume in L [m].
    pub centroid: Vec3,
    /// Bounding box of the mesh.
    pub hull: Hull,
    /// The mesh itself; `None` if the bounding box is used instead.
    pub skin: Option<Arc<Skin>>,
}

/// Returns the hull of the body `name` if it is a mesh or the bounding box of one.
pub fn meshed(
    name: &str,
    body: &Body,
    R_LU: Mat3,
    assets: &Assets,
    problems: &mut Problems,
) -> Option<Meshed> {
    let (file, is_box) = match &body.hull {
        HullFile::Mesh(file) => (file, false),
        HullFile::BoundingBox(file) => (file, true),
        HullFile::Sphere | HullFile::Box { .. } | HullFile::Ellipsoid { .. } => return None,
    };
    let skin = skin(name, body, file, is_box, assets, problems)?;
    if is_box {
        Some(boxed(&skin, R_LU))
    } else {
        Some(whole(&skin, R_LU))
    }
}

/// Loads the mesh and transforms it to the axes U of the body.
fn skin(
    name: &str,
    body: &Body,
    file: &HullMeshFile,
    is_box: bool,
    assets: &Assets,
    problems: &mut Problems,
) -> Option<Skin> {
    if file.scale.contains(&0.0) {
        problems.push(
            file.at.of("scale"),
            "`scale`: expected non-zero factors, 0 would make the mesh flat",
        );
        return None;
    }
    let place = file.at.of("file");
    let (mesh, survey) = assets.mesh(&file.file, file.scale, place, problems)?;
    let what = quote(&file.file);
    if let Some(why) = survey.no_body().filter(|_| !is_box) {
        let text = format!(
            "{what}: {why}; the hull of {name} must enclose the water it displaces: repair the mesh"
        );
        problems.push(place, text);
        return None;
    }
    if survey.flat {
        problems.push(
            place,
            format!("{what}: the mesh is flat, expected one with a volume"),
        );
        return None;
    }
    if mesh.triangles.len() > TRIANGLES_MAX && !is_box {
        let found = mesh.triangles.len();
        let text =
            format!("{what}: found {found} triangles, expected at most {TRIANGLES_MAX} of a hull");
        problems.push(place, text);
        return None;
    }
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let R_UG = axes(body.axes).mul_mat(&Mat3::from_rpy(r, p, y));
    let p_UoG = sname::vector(body.axes, file.position_m);
    let vertices = mesh
        .vertices
        .iter()
        .map(|v| p_UoG + R_UG.mul_vec(*v))
        .collect();
    Some(Skin::new(vertices, mesh.triangles.clone()))
}

fn whole(skin: &Skin, R_LU: Mat3) -> Meshed {
    let vertices = skin.vertices.iter().map(|v| R_LU.mul_vec(*v)).collect();
    let turned = Skin::new(vertices, skin.triangles.clone());
    let (middle, bound) = skin.ball();
    let half = (skin.bounds[1] - skin.bounds[0]).scale(0.5);
    Meshed {
        volume: turned.volume,
        centroid: turned.centroid,
        hull: Hull {
            shape: Shape::Box(half),
            p_LoH: R_LU.mul_vec(middle),
            R_LH: R_LU,
            bound,
        },
        skin: Some(Arc::new(turned)),
    }
}

fn boxed(skin: &Skin, R_LU: Mat3) -> Meshed {
    let [low, high] = skin.bounds;
    let half = (high - low).scale(0.5);
    let middle = R_LU.mul_vec((low + high).scale(0.5));
    let shape = Shape::Box(half);
    Meshed {
        volume: shape.volume(),
        centroid: middle,
        hull: Hull {
            shape,
            p_LoH: middle,
            R_LH: R_LU,
            bound: half.norm(),
        },
        skin: None,
    }
}
