//! Rotation of a spatial inertia to other axes: `X' = R X Rᵀ` for each of its three blocks.
//!
//! With r_i the rows of R, `X'_ij = (Xᵀ r_i) · r_j`. For one robot, A and D are processed as a
//! pair, one entry of each per SIMD register, and likewise B and Bᵀ. For several robots, whose
//! lanes already fill the registers, the blocks are processed one after the other. Both variants
//! perform the same operations in the same order.

use crate::{Mat3, Real, SpatialInertia, Sym3, Vec3};

/// Rotates `inertia` by `R`, one block after the other.
#[inline(always)]
pub(crate) fn rotate_blocks<T: Real>(
    inertia: &SpatialInertia<T>,
    R: &Mat3<T>,
) -> SpatialInertia<T> {
    let SpatialInertia { A, B, D } = inertia;
    let [a, b, c] = R.r;
    let (transposed, direct) = (|r| B.tr_mul_vec(r), |r| B.mul_vec(r));
    let (transposed_a, transposed_b) = (transposed(a), transposed(b));
    let (direct_a, direct_b, direct_c) = (direct(a), direct(b), direct(c));
    SpatialInertia {
        A: A.rotated(R),
        B: Mat3::from_rows(
            Vec3::new(direct_a.dot(a), transposed_a.dot(b), transposed_a.dot(c)),
            Vec3::new(direct_a.dot(b), direct_b.dot(b), transposed_b.dot(c)),
            Vec3::new(direct_a.dot(c), direct_b.dot(c), direct_c.dot(c)),
        ),
        D: D.rotated(R),
    }
}

/// One entry of two matrices. LLVM does not vectorise these pairs automatically in a function as
/// large as the kernel.
type F64x2 = wide::f64x2;

/// Rotates `inertia` by `R` with the pairs A and D, and B and Bᵀ, in SIMD registers.
#[inline(always)]
pub(crate) fn rotate_paired(inertia: &SpatialInertia, R: &Mat3) -> SpatialInertia {
    let SpatialInertia {
        A,
        B: Mat3 { r: [b0, b1, b2] },
        D,
    } = inertia;
    let pair = |a: f64, b: f64| F64x2::new([a, b]);
    let (xy, xz, yz) = (pair(A.xy, D.xy), pair(A.xz, D.xz), pair(A.yz, D.yz));
    let (xx, yy, zz) = (pair(A.xx, D.xx), pair(A.yy, D.yy), pair(A.zz, D.zz));
    let AD = rotate_pair([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], R);
    let (xy, yx) = (pair(b0.y, b1.x), pair(b1.x, b0.y));
    let (xz, zx) = (pair(b0.z, b2.x), pair(b2.x, b0.z));
    let (yz, zy) = (pair(b1.z, b2.y), pair(b2.y, b1.z));
    let (xx, yy, zz) = (F64x2::splat(b0.x), F64x2::splat(b1.y), F64x2::splat(b2.z));
    let B = rotate_pair([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]], R);
    let [xx, xy, xz, yy, yz, zz] = AD.map(F64x2::to_array);
    let block = |k: usize| Sym3::new(xx[k], xy[k], xz[k], yy[k], yz[k], zz[k]);
    let [xx, xy, xz, yy, yz, zz] = B.map(F64x2::to_array);
    SpatialInertia {
        A: block(0),
        B: Mat3::from_rows(
            Vec3::new(xx[0], xy[1], xz[1]),
            Vec3::new(xy[0], yy[0], yz[1]),
            Vec3::new(xz[0], yz[0], zz[0]),
        ),
        D: block(1),
    }
}

/// Computes `(X r_i) · r_j` for i <= j of two matrices given by their rows.
#[inline(always)]
fn rotate_pair([x, y, z]: [[F64x2; 3]; 3], R: &Mat3) -> [F64x2; 6] {
    let [a, b, c] =
        R.r.map(|r| [F64x2::splat(r.x), F64x2::splat(r.y), F64x2::splat(r.z)]);
    let product = |r: [F64x2; 3]| [dot(x, r), dot(y, r), dot(z, r)];
    let (Xa, Xb, Xc) = (product(a), product(b), product(c));
    [
        dot(Xa, a),
        dot(Xa, b),
        dot(Xa, c),
        dot(Xb, b),
        dot(Xb, c),
        dot(Xc, c),
    ]
}

#[inline(always)]
fn dot([x, y, z]: [F64x2; 3], r: [F64x2; 3]) -> F64x2 {
    x * r[0] + y * r[1] + z * r[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paired_and_blockwise_rotations_agree_and_invert() {
        let B = Mat3::from_rows(
            Vec3::new(0.3, -0.7, 0.2),
            Vec3::new(1.1, 0.4, -0.6),
            Vec3::new(-0.9, 0.5, 0.8),
        );
        let A = Sym3 {
            xx: 3.1,
            xy: 0.2,
            xz: -0.4,
            yy: 2.7,
            yz: 0.6,
            zz: 4.3,
        };
        let D = Sym3 {
            xx: 11.0,
            xy: -0.8,
            xz: 0.3,
            yy: 17.0,
            yz: 1.9,
            zz: 23.0,
        };
        let inertia = SpatialInertia { A, B, D };
        let R = Mat3::from_rpy(0.4, -0.7, 2.1);
        let rotated = rotate_paired(&inertia, &R);
        assert_eq!(rotated, rotate_blocks(&inertia, &R));
        // R B Rᵀ by matrix products, and the inverse rotation
        let B_rotated = R.mul_mat(&B).mul_mat_tr(&R);
        let back = rotate_paired(&rotated, &R.transpose());
        for i in 0..3 {
            for j in 0..3 {
                assert!((rotated.B.r[i][j] - B_rotated.r[i][j]).abs() < 1e-15);
                // rounding error of two rotations of numbers up to 23
                assert!((back.D.full().r[i][j] - D.full().r[i][j]).abs() < 1e-13);
                assert!((back.A.full().r[i][j] - A.full().r[i][j]).abs() < 1e-13);
                assert!((back.B.r[i][j] - B.r[i][j]).abs() < 1e-14);
            }
        }
    }
}
