//! 3-vectors and 3x3 matrices over any [`Real`].
//!
//! The types are plain structs with the few operations that the equations use. The operations are
//! unrolled so that the compiler keeps them in registers. The monogram notation of the variable
//! name states the frame (CONVENTIONS.md).

use crate::Real;
use crate::componentwise::componentwise;
use std::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

/// Vector [x, y, z], expressed in the frame that the variable name states.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Vec3<T = f64> {
    pub x: T,
    pub y: T,
    pub z: T,
}

componentwise!(Vec3 { x: T, y: T, z: T });

impl<T: Real> Vec3<T> {
    /// Computes the scalar product `self · o`.
    #[inline(always)]
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Computes the vector product `self x o`.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
    /// Computes the vector product `self x o` with a constant `o`; its unit is the product of
    /// theirs.
    #[inline(always)]
    pub fn cross_const(self, o: Vec3<f64>) -> Self {
        self.cross(Self::splat(o))
    }
    /// Computes the Euclidean norm.
    #[inline(always)]
    pub fn norm(self) -> T {
        self.dot(self).sqrt()
    }
    /// Returns the components as an array.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }
}

impl Vec3<f64> {
    /// Returns a coordinate axis that is not parallel to the unit vector `self`.
    pub fn other_axis(self) -> Self {
        if self.z.abs() < 0.9 {
            Self::new(0.0, 0.0, 1.0)
        } else {
            Self::new(1.0, 0.0, 0.0)
        }
    }
    /// Returns the unit vector along `self`, or `None` if the norm is 1e-12 or less.
    #[inline]
    pub fn unit(self) -> Option<Self> {
        let n = self.norm();
        (n > 1e-12).then(|| self.scale(1.0 / n))
    }
    /// Returns true if all components are finite.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl<T> From<[T; 3]> for Vec3<T> {
    fn from([x, y, z]: [T; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<T: Real> Mul<f64> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k, self.z * k)
    }
}
impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        match i {
            0 => &self.x,
            1 => &self.y,
            _ => &self.z,
        }
    }
}
impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        match i {
            0 => &mut self.x,
            1 => &mut self.y,
            _ => &mut self.z,
        }
    }
}

/// 3x3 matrix, stored by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3<T = f64> {
    /// Rows of the matrix.
    pub r: [Vec3<T>; 3],
}

impl<T: Real> Mat3<T> {
    /// Creates a matrix from its rows.
    #[inline(always)]
    pub const fn from_rows(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self { r: [a, b, c] }
    }
    /// Returns the zero matrix.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            r: [Vec3::zero(); 3],
        }
    }
    /// Returns the identity matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, i) = (T::zero(), T::one());
        Self::from_rows(Vec3::new(i, o, o), Vec3::new(o, i, o), Vec3::new(o, o, i))
    }
    /// Returns the same `f64` matrix in every lane, in the same unit.
    #[inline(always)]
    pub fn splat(m: Mat3<f64>) -> Self {
        let [a, b, c] = m.r;
        Self::from_rows(Vec3::splat(a), Vec3::splat(b), Vec3::splat(c))
    }
    /// Returns the matrix of lane `i`, in the same unit.
    #[inline(always)]
    pub fn lane(&self, i: usize) -> Mat3<f64> {
        Mat3 {
            r: self.r.map(|row| row.lane(i)),
        }
    }
    /// Builds a value from one matrix per lane, all in one unit.
    pub fn from_lanes(f: impl Fn(usize) -> Mat3<f64>) -> Self {
        let row = |k: usize| Vec3::from_lanes(|i| f(i).r[k]);
        Self::from_rows(row(0), row(1), row(2))
    }
    /// Selects per lane: `self` where `keep(lane)` is true, otherwise `other`.
    pub fn select_lanes(self, other: Self, keep: impl Fn(usize) -> bool) -> Self {
        let row = |k: usize| self.r[k].select_lanes(other.r[k], &keep);
        Self::from_rows(row(0), row(1), row(2))
    }
    /// Computes the product `M v`.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.r[0].dot(v), self.r[1].dot(v), self.r[2].dot(v))
    }
    /// Computes the product `Mᵀ v`.
    #[inline(always)]
    pub fn tr_mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        self.r[0].scale(v.x) + self.r[1].scale(v.y) + self.r[2].scale(v.z)
    }
    /// Computes the product `k M`.
    #[inline(always)]
    pub fn scale(&self, k: T) -> Self {
        let [a, b, c] = self.r;
        Self::from_rows(a.scale(k), b.scale(k), c.scale(k))
    }
    /// Computes the matrix product `M N`.
    #[inline(always)]
    pub fn mul_mat(&self, n: &Self) -> Self {
        let [a, b, c] = self.r;
        Self::from_rows(n.tr_mul_vec(a), n.tr_mul_vec(b), n.tr_mul_vec(c))
    }
    /// Computes the matrix product `M Nᵀ`.
    #[inline(always)]
    pub fn mul_mat_tr(&self, n: &Self) -> Self {
        let [a, b, c] = self.r;
        Self::from_rows(n.mul_vec(a), n.mul_vec(b), n.mul_vec(c))
    }
    /// Returns the transpose `Mᵀ`.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        let [a, b, c] = self.r;
        Self::from_rows(
            Vec3::new(a.x, b.x, c.x),
            Vec3::new(a.y, b.y, c.y),
            Vec3::new(a.z, b.z, c.z),
        )
    }
    /// Returns column `j` of the matrix.
    #[inline(always)]
    pub fn col(&self, j: usize) -> Vec3<T> {
        Vec3::new(self.r[0][j], self.r[1][j], self.r[2][j])
    }
    /// Returns the skew-symmetric matrix `[v]×`, so that `cross(v).mul_vec(u) == v × u`.
    #[inline(always)]
    pub fn cross(v: Vec3<T>) -> Self {
        let o = T::zero();
        Self::from_rows(
            Vec3::new(o, -v.z, v.y),
            Vec3::new(v.z, o, -v.x),
            Vec3::new(-v.y, v.x, o),
        )
    }
    /// Computes the product `[v]× M`.
    #[inline(always)]
    pub(crate) fn cross_left(v: Vec3<T>, m: &Self) -> Self {
        let [a, b, c] = m.r;
        Self::from_rows(
            c.scale(v.y) - b.scale(v.z),
            a.scale(v.z) - c.scale(v.x),
            b.scale(v.x) - a.scale(v.y),
        )
    }
    /// Computes the product `M [v]×`.
    #[inline(always)]
    pub(crate) fn cross_right(&self, v: Vec3<T>) -> Self {
        let [a, b, c] = self.r;
        Self::from_rows(a.cross(v), b.cross(v), c.cross(v))
    }
}

impl Mat3<f64> {
    /// Computes `R_AB` from roll, pitch and yaw [rad] of B in A. The rotations are about the fixed
    /// axes x, y, z, as in URDF.
    pub fn from_rpy(roll: f64, pitch: f64, yaw: f64) -> Self {
        let ((sr, cr), (sp, cp), (sy, cy)) = (
            crate::real::sin_cos(roll),
            crate::real::sin_cos(pitch),
            crate::real::sin_cos(yaw),
        );
        Self::from_rows(
            Vec3::new(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            Vec3::new(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            Vec3::new(-sp, cp * sr, cp * cr),
        )
    }
    /// Computes roll, pitch and yaw [rad] of `R_AB`; pitch is in [-pi/2, pi/2]. At pitch ±pi/2 only
    /// the sum or difference of roll and yaw is defined; there the roll is set to 0.
    pub fn to_rpy(&self) -> [f64; 3] {
        let sp = (-self.r[2].x).clamp(-1.0, 1.0);
        if self.r[2].y.abs().max(self.r[2].z.abs()) < 1e-12 {
            return [
                0.0,
                libm::asin(sp),
                libm::atan2(0.0 - self.r[0].y, self.r[1].y),
            ];
        }
        [
            libm::atan2(self.r[2].y, self.r[2].z),
            libm::asin(sp),
            libm::atan2(self.r[1].x, self.r[0].x),
        ]
    }
    /// Returns the diagonal matrix with the elements `d` [unit of `d`].
    pub fn diagonal(d: Vec3<f64>) -> Self {
        Self::from_rows(
            Vec3::new(d.x, 0.0, 0.0),
            Vec3::new(0.0, d.y, 0.0),
            Vec3::new(0.0, 0.0, d.z),
        )
    }
    /// Computes `along t tᵀ + across (1 - t tᵀ)` for a unit vector `t`.
    #[inline]
    pub fn axial(t: Vec3<f64>, along: f64, across: f64) -> Self {
        let k = t.scale(along - across);
        let row = |i: usize| {
            let mut row = t.scale(k[i]);
            row[i] += across;
            row
        };
        Self::from_rows(row(0), row(1), row(2))
    }
    /// Returns a rotation whose third column is the unit vector `z`. The other two columns are an
    /// arbitrary orthonormal completion.
    pub fn with_z_axis(z: Vec3<f64>) -> Self {
        let helper = if z.x.abs() < 0.9 {
            Vec3::new(1.0, 0.0, 0.0)
        } else {
            Vec3::new(0.0, 1.0, 0.0)
        };
        let x = helper - z.scale(helper.dot(z));
        let x = x.scale(1.0 / x.norm());
        let y = z.cross(x);
        Self::from_rows(x, y, z).transpose()
    }
}

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::from_rows(self.r[0] + o.r[0], self.r[1] + o.r[1], self.r[2] + o.r[2])
    }
}
impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::from_rows(self.r[0] - o.r[0], self.r[1] - o.r[1], self.r[2] - o.r[2])
    }
}

impl<T: Real> Neg for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::from_rows(-self.r[0], -self.r[1], -self.r[2])
    }
}

/// Symmetric 3x3 matrix, stored as its upper triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Sym3<T = f64> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

componentwise!(Sym3 {
    xx: T,
    xy: T,
    xz: T,
    yy: T,
    yz: T,
    zz: T
});

impl Sym3 {
    /// Returns the diagonal matrix of these elements, in the same unit.
    pub fn diagonal([xx, yy, zz]: [f64; 3]) -> Self {
        Self::new(xx, 0.0, 0.0, yy, 0.0, zz)
    }
}

impl<T: Real> Sym3<T> {
    /// Returns the upper triangle of `m`, which must be symmetric.
    #[inline(always)]
    pub fn upper(m: &Mat3<T>) -> Self {
        let [a, b, c] = m.r;
        Self::new(a.x, a.y, a.z, b.y, b.z, c.z)
    }
    /// Returns the full 3x3 matrix.
    #[inline(always)]
    pub fn full(&self) -> Mat3<T> {
        Mat3::from_rows(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }
    /// Computes the product `S v`.
    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
    /// Computes the congruence `R S Rᵀ`.
    #[inline(always)]
    pub fn rotated(&self, r: &Mat3<T>) -> Self {
        let [a, b, c] = r.r;
        let (x, y, z) = (self.mul_vec(a), self.mul_vec(b), self.mul_vec(c));
        Self::new(x.dot(a), x.dot(b), x.dot(c), y.dot(b), y.dot(c), z.dot(c))
    }
    /// Computes the rank-one update `S - k v vᵀ`.
    #[inline(always)]
    pub fn minus_outer(&self, v: Vec3<T>, k: T) -> Self {
        let w = v.scale(k);
        let outer = Self::new(
            w.x * v.x,
            w.x * v.y,
            w.x * v.z,
            w.y * v.y,
            w.y * v.z,
            w.z * v.z,
        );
        *self - outer
    }
    /// Returns the matrix of the cofactors of the elements.
    #[inline(always)]
    fn cofactors(&self) -> Self {
        let Self {
            xx,
            xy,
            xz,
            yy,
            yz,
            zz,
        } = *self;
        Self {
            xx: yy * zz - yz * yz,
            xy: xz * yz - xy * zz,
            xz: xy * yz - xz * yy,
            yy: xx * zz - xz * xz,
            yz: xy * xz - xx * yz,
            zz: xx * yy - xy * xy,
        }
    }
    /// Returns the determinant, in the cubed unit of the elements.
    #[inline(always)]
    pub fn determinant(&self) -> T {
        let cofactors = self.cofactors();
        self.xx * cofactors.xx + self.xy * cofactors.xy + self.xz * cofactors.xz
    }
    /// Computes the inverse `S⁻¹` by cofactors. The matrix must be invertible.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        self.cofactors().scale(T::one() / self.determinant())
    }
}
