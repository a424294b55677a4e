//! Approximates a mesh by an ellipsoid.
//!
//! # Law
//! ```text
//!   S = ∫ r rᵀ dV about the centroid = R diag(s) Rᵀ;   a_i² = 5 s_i / V, scaled to the volume V  (1)
//! ```
//! A closed mesh becomes the ellipsoid with its volume, centroid, principal axes and ratios of
//! second moments. An open mesh has none of these and is replaced by its convex hull, a flat mesh
//! by the ellipsoid in its bounding box, a thin plate.
//!
//! # Symbols
//! S second moment of volume [m⁵]; a_i semi-axes [m].
//! # Frames
//! The mesh's own.
//! # Limits
//! Holes, ducts and sharp edges are neglected.
//! # Checked by
//! The moments of a box, closed and open, in crates/world/tests/world/estimate.rs.

use crate::import::estimate::{PlacedSolid, Solid};
use merrow_math::bounds::box_around;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::collision::Mesh;
use merrow_physics::contact::geometry::convex_hull::convex_hull;
use nalgebra::{Matrix3, SymmetricEigen};

/// Returns the equivalent ellipsoid of a mesh. `closed` states whether the mesh encloses a volume.
pub fn equivalent_ellipsoid(mesh: &Mesh, closed: bool) -> Option<PlacedSolid> {
    if closed {
        return by_moments(&mesh.vertices, &mesh.triangles);
    }
    match convex_hull(&mesh.vertices) {
        Some(hull) => by_moments(&hull.vertices, &hull.triangles),
        None => by_bounds(mesh),
    }
}

fn by_moments(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Option<PlacedSolid> {
    let corner = |k: u32| vertices[k as usize];
    // relative to a vertex, so that a mesh far from its origin loses no precision
    let origin = corner(triangles.first()?[0]);
    let (mut volume, mut first, mut second) = (0.0, Vec3::zero(), Matrix3::<f64>::zeros());
    for t in triangles {
        let p = t.map(|k| corner(k) - origin);
        let v = p[0].dot(p[1].cross(p[2])) / 6.0;
        let sum = p[0] + p[1] + p[2];
        volume += v;
        first += sum.scale(v / 4.0);
        // ∫ r rᵀ over a tetrahedron with one vertex at 0: V/20 (Σ p pᵀ + (Σ p)(Σ p)ᵀ)
        for q in [p[0], p[1], p[2], sum] {
            let q = nalgebra::Vector3::from(q.to_array());
            second += q * q.transpose() * (v / 20.0);
        }
    }
    if volume <= 0.0 {
        return None;
    }
    let c = first.scale(1.0 / volume);
    let at = nalgebra::Vector3::from(c.to_array());
    let eigen = SymmetricEigen::new(second - at * at.transpose() * volume);
    let raw: [f64; 3] =
        std::array::from_fn(|i| (5.0 * eigen.eigenvalues[i].max(0.0) / volume).sqrt());
    let ratio = volume / Solid::Ellipsoid(raw).volume();
    let axes = raw.map(|a| a * libm::cbrt(ratio));
    if !axes.iter().all(|a| a.is_finite() && *a > 0.0) {
        return None;
    }
    let column = |j: usize| Vec3::from(std::array::from_fn(|i| eigen.eigenvectors[(i, j)]));
    let (x, y) = (column(0), column(1));
    let R = Mat3::from_rows(x, y, x.cross(y)).transpose();
    Some(PlacedSolid {
        solid: Solid::Ellipsoid(axes),
        R,
        p: origin + c,
    })
}

fn by_bounds(mesh: &Mesh) -> Option<PlacedSolid> {
    let [low, high] = box_around(mesh.vertices.iter().copied())?;
    let half = (high - low).scale(0.5);
    // a flat mesh counts as a thin plate
    let min_half = 1e-3 * half.norm();
    let axes = half.to_array().map(|a| a.max(min_half));
    let placed = PlacedSolid {
        solid: Solid::Ellipsoid(axes),
        R: Mat3::identity(),
        p: (low + high).scale(0.5),
    };
    (min_half > 0.0).then_some(placed)
}
