//! Conversion of collision geometry to ray tracing shapes.
//!
//! Convex hulls and convex parts become the mesh from which they were made. Height fields become
//! the triangles that the contact solver uses: each cell is split from its south-western to its
//! north-eastern corner.

use crate::raytrace::{Mesh, Shape};
use merrow_math::Vec3;
use merrow_model::scene::Geometry;
use merrow_model::scene::robot::collision::Heightfield;
use std::sync::Arc;

impl From<&Geometry> for Shape {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raytrace::{PosedShape, Ray, ShapeScene};
    use merrow_math::Mat3;

    // Goal: rays hit the triangles of a height field above and below the diagonal of a cell.
    // Method: heights computed by hand. Tolerance: 1e-6 m.
    #[test]
    fn heightfield_triangles_are_hit() {
        let field = Heightfield {
            count: [3, 2],
            size: [4.0, 3.0],
            heights: vec![0.0, 1.0, 1.0, 2.0, 4.0, 1.0],
        };
        let shape = Shape::from(&Geometry::Heightfield(Arc::new(field)));
        let placed = PosedShape {
            shape,
            R_WG: Mat3::identity(),
            p_WG: Vec3::zero(),
        };
        let all = ShapeScene::new(vec![placed], vec![]);
        // Position in the first cell as fractions of its sides, and the height there.
        for (u, v, height) in [
            (0.5, 0.25, 0.5 + 0.75),
            (0.25, 0.5, 1.0 + 0.5),
            (0.9, 0.1, 0.9 + 0.3),
        ] {
            let origin = Vec3::new(2.0 * u - 2.0, 3.0 * v - 1.5, 9.0);
            let ray = Ray {
                origin,
                direction: Vec3::new(0.0, 0.0, -1.0),
                range: [0.0, 99.0],
            };
            let found = all.closest(&ray, 0..0).map(|hit| 9.0 - hit.distance);
            assert!(
                found.is_some_and(|z| (z - height).abs() < 1e-6),
                "{u} {v}: {found:?}, expected {height}"
            );
            assert!(
                all.closest(&ray, 0..0)
                    .is_some_and(|hit| hit.normal.z > 0.0)
            );
        }
    }
}
