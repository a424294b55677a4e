//! Conversion of collision geometry to ray tracing shapes.
//!
//! Convex hulls and convex parts become the mesh from which they were made. Height fields become
//! the triangles that the contact solver uses: each cell is split from its south-western to its
//! north-eastern corner.

use crate::{Mesh, RayShape};
use merrow_math::Vec3;
use merrow_model::scene::Geometry;
use merrow_model::scene::robot::collision::Heightfield;
use std::sync::Arc;

impl From<&Geometry> for RayShape {
    fn from(geometry: &Geometry) -> Self {
        match geometry {
            Geometry::Primitive(primitive) => Self::Primitive(*primitive),
            Geometry::ConvexHull(mesh)
            | Geometry::ConvexDecomposition(mesh)
            | Geometry::Mesh(mesh) => {
                Self::Mesh(Arc::new(Mesh::new(&mesh.vertices, &mesh.triangles)))
            }
            Geometry::Heightfield(field) => Self::Mesh(Arc::new(grid(field))),
        }
    }
}

/// Returns the triangle mesh of a height field.
fn grid(field: &Heightfield) -> Mesh {
    let ([nx, ny], [length, width]) = (field.count, field.size);
    let part = |k: usize, n: usize| k as f64 / n.saturating_sub(1).max(1) as f64 - 0.5;
    let vertex = |(k, z): (usize, &f64)| {
        Vec3::new(
            length * part(k % nx.max(1), nx),
            width * part(k / nx.max(1), ny),
            *z,
        )
    };
    let vertices: Vec<Vec3> = field.heights.iter().enumerate().map(vertex).collect();
    let mut triangles = Vec::new();
    for j in 1..ny {
        for i in 1..nx {
            let ne = (j * nx + i) as u32;
            let (nw, se, sw) = (ne - 1, ne - nx as u32, ne - nx as u32 - 1);
            triangles.extend([[sw, se, ne], [sw, ne, nw]]);
        }
    }
    Mesh::new(&vertices, &triangles)
}
