//! Convex hull of points as a closed mesh.

use crate::contact::geometry::shapes::{from_parry, to_parry};
use merrow_math::Vec3;
use merrow_math::solid_mesh::SolidMesh;
use parry3d_f64::transformation::try_convex_hull;

/// Returns the convex hull of `points` [m]; `None` if it has no volume.
pub fn convex_hull(points: &[Vec3]) -> Option<SolidMesh> {
    let points: Vec<_> = points.iter().map(|p| to_parry(*p)).collect();
    let (vertices, triangles) = try_convex_hull(&points).ok()?;
    let mesh = SolidMesh {
        vertices: vertices.into_iter().map(from_parry).collect(),
        triangles,
    };
    (mesh.volume() > 0.0).then_some(mesh)
}
