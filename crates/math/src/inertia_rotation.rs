//! Rotation of a spatial inertia to other axes: `X' = R X Rᵀ` for each of its three blocks.
//!
//! With r_i the rows of R, `X'_ij = (Xᵀ r_i) · r_j`. For one robot, A and D are processed as a
//! pair, one entry of each per SIMD register, and likewise B and Bᵀ. For several robots, whose
//! lanes already fill the registers, the blocks are processed one after the other. Both variants
//! perform the same operations in the same order.

use crate::{Mat3, Real, SpatialInertia, Sym3, Vec3};

/// Rotates `inertia` by `R`, one block after the other.
#[inline(always)]
pub(crate) fn by_blocks<T: Real>(inertia: &SpatialInertia<T>, R: &Mat3<T>) -> SpatialInertia<T> {
    let SpatialInertia { A, B, D } = inertia;
    let [a, b, c] = R.r;
    let (over, under) = (|r| B.tr_mul_vec(r), |r| B.mul_vec(r));
    let (over_a, over_b) = (over(a), over(b));
    let (under_a, under_b, under_c) = (under(a), under(b), under(c));
    SpatialInertia {
        A: A.rotated(R),
        B: Mat3::from_rows(
            Vec3::new(under_a.dot(a), over_a.dot(b), over_a.dot(c)),
            Vec3::new(under_a.dot(b), under_b.dot(b), over_b.dot(c)),
            Vec3::new(under_a.dot(c), under_b.dot(c), under_c.dot(c)),
        ),
        D: D.rotated(R),
    }
}

/// One entry of two matrices. LLVM does not vectorise these pairs automatically in a function as
/// large as the kernel.
type Two = wide::f64x2;

/// Rotates `inertia` by `R` with the pairs A and D, and B and Bᵀ, in SIMD registers.
#[inline(always)]
pub(crate) fn side_by_side(inertia: &SpatialInertia, R: &Mat3) -> SpatialInertia {
    let SpatialInertia {
        A,
        B: Mat3 { r: [b0, b1, b2] },
        D,
    } = inertia;
    let two = |a: f64, b: f64| Two::new([a, b]);
    let (xy, xz, yz) = (two(A.xy, D.xy), two(A.xz, D.xz), two(A.yz, D.yz));
    let (xx, yy, zz) = (two(A.xx, D.xx), two(A.yy, D.yy), two(A.zz, D.zz));
    let AD = turn([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], R);
    let (xy, yx) = (two(b0.y, b1.x), two(b1.x, b0.y));
    let (xz, zx) = (two(b0.z, b2.x), two(b2.x, b0.z));
    let (yz, zy) = (two(b1.z, b2.y), two(b2.y, b1.z));
    let (xx, yy, zz) = (Two::splat(b0.x), Two::splat(b1.y), Two::splat(b2.z));
    let B = turn([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]], R);
    let [xx, xy, xz, yy, yz, zz] = AD.map(Two::to_array);
    let of = |k: usize| Sym3 {
        xx: xx[k],
        xy: xy[k],
        xz: xz[k],
        yy: yy[k],
        yz: yz[k],
        zz: zz[k],
    };
    let [xx, xy, xz, yy, yz, zz] = B.map(Two::to_array);
    SpatialInertia {
        A: of(0),
        B: Mat3::from_rows(
            Vec3::new(xx[0], xy[1], xz[1]),
            Vec3::new(xy[0], yy[0], yz[1]),
            Vec3::new(xz[0], yz[0], zz[0]),
        ),
        D: of(1),
    }
}

/// Computes `(X r_i) · r_j` for i <= j of two matrices given by their rows.
#[inline(always)]
fn turn([x, y, z]: [[Two; 3]; 3], R: &Mat3) -> [Two; 6] {
    let [a, b, c] =
        R.r.map(|r| [Two::splat(r.x), Two::splat(r.y), Two::splat(r.z)]);
    let times = |r: [Two; 3]| [dot(x, r), dot(y, r), dot(z, r)];
    let (Xa, Xb, Xc) = (times(a), times(b), times(c));
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
fn dot([x, y, z]: [Two; 3], r: [Two; 3]) -> Two {
    x * r[0] + y * r[1] + z * r[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_have_the_same_bits_and_turn_back() {
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
        let turned = side_by_side(&inertia, &R);
        assert_eq!(turned, by_blocks(&inertia, &R));
        // R B Rᵀ by matrix products, and the inverse rotation
        let B_there = R.mul_mat(&B).mul_mat_tr(&R);
        let back = side_by_side(&turned, &R.transpose());
        for i in 0..3 {
            for j in 0..3 {
                assert!((turned.B.r[i][j] - B_there.r[i][j]).abs() < 1e-15);
                // rounding error of two rotations of numbers up to 23
                assert!((back.D.full().r[i][j] - D.full().r[i][j]).abs() < 1e-13);
                assert!((back.A.full().r[i][j] - A.full().r[i][j]).abs() < 1e-13);
                assert!((back.B.r[i][j] - B.r[i][j]).abs() < 1e-14);
            }
        }
    }
}
