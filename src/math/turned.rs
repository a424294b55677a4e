//! An inertia seen along other axes: `X' = R X Rᵀ` of each of its three blocks.
//!
//! With r_i the rows of R, `X'_ij = (Xᵀ r_i) · r_j`. For one robot the four matrices A, D, B and Bᵀ go through it side by
//! side, an entry of each in a register; for several robots, which fill the registers already, block by block. Both are the
//! same operations in the same order.

use super::{Mat3, Real, SpatialInertia, Sym3, Vec3};

/// One block after another.
#[inline(always)]
pub fn by_blocks<T: Real>(inertia: &SpatialInertia<T>, R: &Mat3<T>) -> SpatialInertia<T> {
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

/// The same entry of A, D, B and Bᵀ.
type Four = [f64; 4];

/// All blocks at once.
#[inline(always)]
pub fn side_by_side(inertia: &SpatialInertia, R: &Mat3) -> SpatialInertia {
    let SpatialInertia { A, B: Mat3 { r: [b0, b1, b2] }, D } = inertia;
    let xx = [A.xx, D.xx, b0.x, b0.x];
    let xy = [A.xy, D.xy, b0.y, b1.x];
    let xz = [A.xz, D.xz, b0.z, b2.x];
    let yy = [A.yy, D.yy, b1.y, b1.y];
    let yz = [A.yz, D.yz, b1.z, b2.y];
    let zz = [A.zz, D.zz, b2.z, b2.z];
    let [yx, zx, zy] = [xy, xz, yz].map(|[a, d, b, t]| [a, d, t, b]);
    let times = |r: Vec3| [dot([xx, xy, xz], r), dot([yx, yy, yz], r), dot([zx, zy, zz], r)];
    let [a, b, c] = R.r;
    let (Xa, Xb, Xc) = (times(a), times(b), times(c));
    let [xx, xy, xz] = [dot(Xa, a), dot(Xa, b), dot(Xa, c)];
    let [yy, yz, zz] = [dot(Xb, b), dot(Xb, c), dot(Xc, c)];
    let of = |k: usize| Sym3 { xx: xx[k], xy: xy[k], xz: xz[k], yy: yy[k], yz: yz[k], zz: zz[k] };
    SpatialInertia {
        A: of(0),
        B: Mat3::from_rows(
            Vec3::new(xx[2], xy[3], xz[3]),
            Vec3::new(xy[2], yy[2], yz[3]),
            Vec3::new(xz[2], yz[2], zz[2]),
        ),
        D: of(1),
    }
}

#[inline(always)]
fn dot([x, y, z]: [Four; 3], r: Vec3) -> Four {
    std::array::from_fn(|k| x[k] * r.x + y[k] * r.y + z[k] * r.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_have_the_same_bits_and_turn_back() {
        let B =
            Mat3::from_rows(Vec3::new(0.3, -0.7, 0.2), Vec3::new(1.1, 0.4, -0.6), Vec3::new(-0.9, 0.5, 0.8));
        let A = Sym3 { xx: 3.1, xy: 0.2, xz: -0.4, yy: 2.7, yz: 0.6, zz: 4.3 };
        let D = Sym3 { xx: 11.0, xy: -0.8, xz: 0.3, yy: 17.0, yz: 1.9, zz: 23.0 };
        let inertia = SpatialInertia { A, B, D };
        let R = Mat3::from_rpy(0.4, -0.7, 2.1);
        let turned = side_by_side(&inertia, &R);
        assert_eq!(turned, by_blocks(&inertia, &R));
        // R B Rᵀ by products of matrices, and back again
        let B_there = R.mul_mat(&B).mul_mat_tr(&R);
        let back = side_by_side(&turned, &R.transpose());
        for i in 0..3 {
            for j in 0..3 {
                assert!((turned.B.r[i][j] - B_there.r[i][j]).abs() < 1e-15);
                // rounding of two turns of numbers up to 23
                assert!((back.D.full().r[i][j] - D.full().r[i][j]).abs() < 1e-13);
                assert!((back.A.full().r[i][j] - A.full().r[i][j]).abs() < 1e-13);
                assert!((back.B.r[i][j] - B.r[i][j]).abs() < 1e-14);
            }
        }
    }
}
