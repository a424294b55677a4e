//! Checks whether a mesh is the closed, consistently oriented surface of a solid.

use merrow_math::Vec3;
use merrow_model::scene::robot::collision::Mesh;

/// Result of the manifold check of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldCheck {
    /// Number of edges with only one triangle.
    pub open: usize,
    /// Number of edges with more than two triangles, or with two triangles of inconsistent
    /// orientation.
    pub crossed: usize,
    /// Enclosed volume [m³], negative if the mesh is inside out. Not meaningful with open or
    /// inconsistent edges.
    pub volume: f64,
    /// True if all vertices lie in one plane.
    pub flat: bool,
}

impl ManifoldCheck {
    /// Returns the reason why the mesh does not enclose a volume, or `None` if it does.
    pub fn closure_defect(&self) -> Option<String> {
        if self.open > 0 {
            let edges = edges(self.open);
            return Some(format!(
                "the mesh is open: {edges} only one triangle; expected a closed surface"
            ));
        }
        self.orientation_defect()
    }

    /// Returns the reason why the mesh, which may be open, has no consistent outside, or `None` if
    /// it has one.
    pub(crate) fn orientation_defect(&self) -> Option<String> {
        if self.crossed > 0 {
            Some(format!(
                "the mesh is not manifold: {} more than two triangles, or two of opposite orientation",
                edges(self.crossed)
            ))
        } else if self.open == 0 && self.volume < 0.0 {
            Some(
                "the mesh is inside out; expected triangles counter-clockwise seen from outside"
                    .to_string(),
            )
        } else {
            None
        }
    }
}

fn edges(n: usize) -> String {
    if n == 1 {
        "1 edge has".to_string()
    } else {
        format!("{n} edges have")
    }
}

/// Computes the manifold check, the volume and the flatness of a mesh.
pub fn check_manifold(mesh: &Mesh) -> ManifoldCheck {
    let (open, crossed) = count_edge_defects(mesh);
    let corner = |k: u32| mesh.vertices[k as usize];
    let origin = corner(mesh.triangles[0][0]);
    let volume = mesh
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|k| corner(k) - origin);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    ManifoldCheck {
        open,
        crossed,
        volume,
        flat: is_flat(mesh),
    }
}

/// Counts the edges with one triangle, and the edges with more than two triangles or with two of
/// opposite orientation.
fn count_edge_defects(mesh: &Mesh) -> (usize, usize) {
    // lower vertex index first, and whether the triangle traverses the edge in ascending direction
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            edges.push((a.min(b), a.max(b), a < b));
        }
    }
    edges.sort_unstable();
    let (mut open, mut crossed) = (0, 0);
    for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        match edge {
            [_] => open += 1,
            [first, second] if first.2 != second.2 => {}
            _ => crossed += 1,
        }
    }
    (open, crossed)
}

/// Returns true if all vertices lie in one plane, to 1e-6 of the mesh size.
fn is_flat(mesh: &Mesh) -> bool {
    let origin = mesh.vertices[0];
    let farthest = |f: &dyn Fn(Vec3) -> f64| {
        mesh.vertices
            .iter()
            .map(|v| *v - origin)
            .fold((0.0, Vec3::zero()), |best, v| {
                let d = f(v).abs();
                if d > best.0 { (d, v) } else { best }
            })
    };
    let (size, along) = farthest(&|v| v.norm());
    let (area, across) = farthest(&|v| along.cross(v).norm());
    let normal = along.cross(across);
    let (height, _) = farthest(&|v| {
        if area > 0.0 {
            normal.dot(v) / normal.norm()
        } else {
            0.0
        }
    });
    height <= 1e-6 * size
}
