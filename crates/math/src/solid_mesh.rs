//! Closed triangle meshes of simple solids about their own centre.
//!
//! The meshes are for hulls: each encloses the exact volume of its solid, because the flat
//! triangles of a curved surface are moved outwards. Long solids are divided along their length, so
//! that the triangles are short compared with the solid.

use crate::Vec3;
use crate::real::sin_cos;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Number of edges around a solid of revolution.
const AROUND: u32 = 48;

/// Number of bands from the equator to the pole of a hemisphere.
const BANDS: u32 = 10;

/// Maximum number of divisions along the length of a solid.
const DIVISIONS: u32 = 8;

/// Triangle mesh of a closed surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidMesh {
    /// Vertex positions [m].
    pub vertices: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl SolidMesh {
    /// Creates a box with the edges `size` [m].
    pub fn block(size: [f64; 3]) -> Self {
        let longest = size.iter().copied().fold(0.0, f64::max);
        let n = size.map(|s| {
            let parts = (f64::from(DIVISIONS) * s / longest).round();
            (parts as u32).clamp(1, DIVISIONS)
        });
        let mut mesh = Self::default();
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [-0.5, 0.5] {
                let point = |i: u32, j: u32| {
                    let mut p = [0.0; 3];
                    p[axis] = side * size[axis];
                    p[u] = (f64::from(i) / f64::from(n[u]) - 0.5) * size[u];
                    p[v] = (f64::from(j) / f64::from(n[v]) - 0.5) * size[v];
                    Vec3::from(p)
                };
                mesh.add_grid([n[u], n[v]], side > 0.0, point);
            }
        }
        mesh
    }

    /// Creates a sphere with the given radius [m].
    pub fn sphere(radius: f64) -> Self {
        Self::revolved(&cap(radius, 0.0), 4.0 / 3.0 * PI * radius * radius * radius)
    }

    /// Creates a cylinder along z with the given radius and length [m].
    pub fn cylinder(radius: f64, length: f64) -> Self {
        let profile = [[0.0, 0.5 * length], [radius, 0.5 * length]];
        Self::revolved(&profile, PI * radius * radius * length)
    }

    /// Creates a cylinder along z with hemispherical ends; `length` is the distance between the
    /// centres of the ends [m].
    pub fn capsule(radius: f64, length: f64) -> Self {
        let volume = PI * radius * radius * (length + 4.0 / 3.0 * radius);
        Self::revolved(&cap(radius, 0.5 * length), volume)
    }

    /// Creates the solid with the given volume [m³] whose upper half has the profile `upper`:
    /// radius and height [m] from the top to the equator. The lower half is its mirror image.
    fn revolved(upper: &[[f64; 2]], volume: f64) -> Self {
        let [radius, half] = upper.last().copied().unwrap_or_default();
        let divisions = if half > 0.0 {
            ((half / radius).ceil().clamp(1.0, f64::from(DIVISIONS))) as u32
        } else {
            0
        };
        let middle = (1..divisions).map(|k| {
            let share = f64::from(k) / f64::from(divisions);
            [radius, half * (1.0 - 2.0 * share)]
        });
        let lower = upper.iter().rev().map(|[r, z]| [*r, -z]);
        let skipped = usize::from(divisions == 0); // the equator is one ring
        let profile: Vec<[f64; 2]> = upper
            .iter()
            .copied()
            .chain(middle)
            .chain(lower.skip(skipped))
            .collect();
        let rings = profile.len() as u32 - 1;
        let mut mesh = Self::default();
        let point = |i: u32, j: u32| {
            let [r, z] = profile[i as usize];
            let (s, c) = sin_cos(TAU * f64::from(j) / f64::from(AROUND));
            Vec3::new(r * c, r * s, z)
        };
        mesh.add_grid([rings, AROUND], true, point);
        let widening = (volume / mesh.volume()).sqrt();
        for p in &mut mesh.vertices {
            p.x *= widening;
            p.y *= widening;
        }
        mesh
    }

    /// Adds a grid of `n` cells, of two triangles each. `point` gives the corners by their
    /// indices. The normals are along du x dv if `outwards`, else against it. Triangles that have
    /// no area because two corners agree are left out.
    fn add_grid(&mut self, n: [u32; 2], outwards: bool, point: impl Fn(u32, u32) -> Vec3) {
        let first = self.vertices.len() as u32;
        let columns = n[1] + 1;
        for i in 0..=n[0] {
            self.vertices.extend((0..columns).map(|j| point(i, j)));
        }
        for (i, j) in (0..n[0]).flat_map(|i| (0..n[1]).map(move |j| (i, j))) {
            let at = |di: u32, dj: u32| first + (i + di) * columns + j + dj;
            let corners = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]].map(|t: [usize; 3]| t.map(|k| corners[k])) {
                let [p, q, r] = [a, b, c].map(|k| self.vertices[k as usize]);
                if p != q && q != r && r != p {
                    let turned = if outwards { [a, b, c] } else { [a, c, b] };
                    self.triangles.push(turned);
                }
            }
        }
    }

    /// Computes the enclosed volume [m³].
    pub fn volume(&self) -> f64 {
        let corner = |k: u32| self.vertices[k as usize];
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(corner);
            a.dot(b.cross(c)) / 6.0
        };
        self.triangles.iter().map(part).sum()
    }
}

/// Returns the profile of a hemisphere on top of a cylinder whose upper end is at the height `base`
/// [m]: radius and height [m], from the top to the equator.
fn cap(radius: f64, base: f64) -> Vec<[f64; 2]> {
    let step = FRAC_PI_2 / f64::from(BANDS);
    // a polygon around the circle with the area of the circle; the equator keeps its radius
    let outer = radius * (step / sin_cos(step).0).sqrt();
    let ring = |k: u32| {
        let (s, c) = sin_cos(step * f64::from(k));
        [if k == 0 { 0.0 } else { outer * s }, base + outer * c]
    };
    let mut profile: Vec<[f64; 2]> = (0..BANDS).map(ring).collect();
    profile.push([radius, base]);
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull_mesh::HullMesh;

    // The meshes are closed, have the exact volume, and the waterplane and the second moment of
    // their solid. Method: half submerged, compared with the closed forms.
    #[test]
    fn solids_have_their_volume_and_waterplane() {
        let up = Vec3::new(0.0, 0.0, 1.0);
        let cases = [
            (SolidMesh::block([2.0, 0.25, 0.2]), 0.1, 0.5),
            (SolidMesh::sphere(0.3), 4.0 / 3.0 * PI * 0.027, PI * 0.09),
            (SolidMesh::cylinder(0.2, 2.0), PI * 0.08, PI * 0.04),
            (
                SolidMesh::capsule(0.2, 1.0),
                PI * 0.04 * (1.0 + 0.8 / 3.0),
                PI * 0.04,
            ),
        ];
        for (mesh, volume, waterplane) in cases {
            let count = mesh.triangles.len();
            let hull = HullMesh::new(mesh.vertices, mesh.triangles);
            assert!((hull.volume / volume - 1.0).abs() < 1e-12, "{count}");
            assert!(hull.centroid.norm() < 1e-12, "{count}");
            let under = |z: f64| hull.submerged_below_plane(up, z).volume;
            assert!((under(0.0) / volume - 0.5).abs() < 1e-12, "{count}");
            let step = 1e-3;
            let area = (under(-step) - under(step)) / (2.0 * step);
            assert!((area / waterplane - 1.0).abs() < 0.004, "{count} {area}");
        }
    }
}
