//! Axis of revolution of a closed triangle mesh.
//!
//! A body of revolution about the z axis has ∫ (x + iy)ᵐ f(z) dV = 0 for every m > 0. The moment
//! about the axis of a pressure p on its surface, ∫ ∂p/∂φ dV, then vanishes too for every pressure
//! that varies little around the body. A mesh of such a body is a prism of many sides, for which
//! the integrals with m below the number of sides are zero.

use crate::Vec3;

/// Largest integral relative to the integral of the absolute value.
const TOLERANCE: f64 = 3e-3;
/// Numbers of integrals over the angle, m = 1.., and over the axis, z⁰...
const ORDERS: [usize; 2] = [4, 3];

/// Returns the axis of revolution through `centroid` [m] of the closed mesh, z before x and y, or
/// `None` if it has none.
pub(crate) fn axis_of_revolution(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    centroid: Vec3,
) -> Option<Vec3> {
    [2, 0, 1]
        .into_iter()
        .find(|axis| is_revolved(vertices, triangles, centroid, *axis))
        .map(|axis| {
            let mut direction = [0.0; 3];
            direction[axis] = 1.0;
            Vec3::from(direction)
        })
}

fn is_revolved(vertices: &[Vec3], triangles: &[[u32; 3]], centroid: Vec3, axis: usize) -> bool {
    let mut sums = [[[0.0; 3]; ORDERS[1]]; ORDERS[0]];
    for t in triangles {
        let [a, b, c] = t.map(|k| vertices[k as usize] - centroid);
        let volume = a.dot(b.cross(c)) / 6.0;
        let q = (a + b + c).scale(0.25);
        let (x, y, z) = (q[(axis + 1) % 3], q[(axis + 2) % 3], q[axis]);
        let (mut re, mut im) = (1.0, 0.0);
        for sums in &mut sums {
            (re, im) = (re * x - im * y, re * y + im * x);
            let mut weight = volume;
            for sum in sums {
                sum[0] += weight * re;
                sum[1] += weight * im;
                sum[2] += weight.abs() * libm::hypot(re, im);
                weight *= z;
            }
        }
    }
    sums.iter()
        .flatten()
        .all(|[re, im, size]| libm::hypot(*re, *im) <= TOLERANCE * size)
}

#[cfg(test)]
mod tests {
    use crate::Vec3;
    use crate::hull_mesh::HullMesh;
    use crate::solid_mesh::SolidMesh;

    fn axis(solid: SolidMesh, scale: Vec3) -> Option<Vec3> {
        let scaled = solid.vertices.iter().map(|v| {
            Vec3::new(
                v.x * scale.x + 3.0,
                v.y * scale.y - 1.0,
                v.z * scale.z + 0.5,
            )
        });
        HullMesh::new(scaled.collect(), solid.triangles).axis
    }

    // Cylinders, spheres and spheroids have an axis of revolution; blocks and ellipsoids have none.
    // Method: their meshes, away from the origin.
    #[test]
    fn axes_of_revolution_are_found() {
        let same = Vec3::new(1.0, 1.0, 1.0);
        let (x, y, z) = (
            Some(Vec3::new(1.0, 0.0, 0.0)),
            Some(Vec3::new(0.0, 1.0, 0.0)),
            Some(Vec3::new(0.0, 0.0, 1.0)),
        );
        assert_eq!(axis(SolidMesh::cylinder(0.5, 2.0), same), z);
        assert_eq!(axis(SolidMesh::sphere(1.0), same), z);
        assert_eq!(axis(SolidMesh::sphere(1.0), Vec3::new(1.0, 1.0, 3.0)), z);
        assert_eq!(axis(SolidMesh::sphere(1.0), Vec3::new(3.0, 1.0, 1.0)), x);
        assert_eq!(axis(SolidMesh::sphere(1.0), Vec3::new(1.0, 3.0, 1.0)), y);
        assert_eq!(
            axis(SolidMesh::sphere(1.0), Vec3::new(1.0, 1.03, 1.1)),
            None
        );
        assert_eq!(axis(SolidMesh::block([1.0, 1.0, 2.0]), same), None);
    }
}
