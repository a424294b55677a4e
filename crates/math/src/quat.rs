//! Unit quaternions for attitude, stored as (w, x, y, z). Only `crates/ros2` uses the ROS order (x,
//! y, z, w).

use crate::componentwise::componentwise;
use crate::{Mat3, Real, Vec3};

/// Attitude quaternion of B in A; [`Quat::matrix`] returns `R_AB`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Quat<T = f64> {
    pub w: T,
    pub x: T,
    pub y: T,
    pub z: T,
}

/// The identity rotation.
impl<T: Real> Default for Quat<T> {
    fn default() -> Self {
        Self::identity()
    }
}

componentwise!(Quat {
    w: T,
    x: T,
    y: T,
    z: T
});

impl<T: Real> Quat<T> {
    /// Returns the identity rotation.
    pub fn identity() -> Self {
        Self::new(T::one(), T::zero(), T::zero(), T::zero())
    }
    /// Computes the rotation matrix `R_AB`. The quaternion need not be normalised (intermediate RK4
    /// stages are not).
    #[inline(always)]
    pub fn matrix(&self) -> Mat3<T> {
        let Self { w, x, y, z } = *self;
        let k = T::splat(2.0) / (w * w + x * x + y * y + z * z);
        let (kx, ky, kz) = (x * k, y * k, z * k);
        let (xx, yy, zz) = (x * kx, y * ky, z * kz);
        let (xy, xz, yz) = (x * ky, x * kz, y * kz);
        let (wx, wy, wz) = (w * kx, w * ky, w * kz);
        let one = T::one();
        Mat3::from_rows(
            Vec3::new(one - (yy + zz), xy - wz, xz + wy),
            Vec3::new(xy + wz, one - (xx + zz), yz - wx),
            Vec3::new(xz - wy, yz + wx, one - (xx + yy)),
        )
    }
    /// Computes the time derivative for the angular velocity `w_AB_B` [rad/s]: `q̇ = ½ q ∘ (0, w)`.
    #[inline(always)]
    pub fn rate(&self, w_AB_B: Vec3<T>) -> Self {
        let Self { w, x, y, z } = *self;
        let h = w_AB_B * 0.5;
        Self {
            w: -(x * h.x + y * h.y + z * h.z),
            x: w * h.x + y * h.z - z * h.y,
            y: w * h.y + z * h.x - x * h.z,
            z: w * h.z + x * h.y - y * h.x,
        }
    }
    /// Returns the quaternion scaled to unit norm.
    #[inline(always)]
    pub fn normalized(&self) -> Self {
        let Self { w, x, y, z } = *self;
        let k = T::one() / (w * w + x * x + y * y + z * z).sqrt();
        self.scale(k)
    }
    /// Computes the product: `q_AC = q_AB.mul(q_BC)`.
    #[inline(always)]
    pub fn mul(&self, o: &Self) -> Self {
        let (a, b) = (self, o);
        Self {
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        }
    }
    /// Computes the quaternion of the rotation vector `v` (axis times angle) [rad].
    #[inline(always)]
    pub fn from_rotation_vector(v: Vec3<T>) -> Self {
        // the tiny term avoids 0/0; for small angles sin(h)/(2h) -> 1/2 to machine precision
        let h = (v.dot(v) * 0.25 + T::splat(1e-300)).sqrt();
        let (s, c) = h.sin_cos();
        let k = s / h * 0.5;
        Self::new(c, v.x * k, v.y * k, v.z * k)
    }
}

impl Quat<f64> {
    /// Converts `R_AB` [-] to a quaternion with w >= 0. Computes the largest component first, so
    /// that no branch loses precision [Shepperd 1978].
    pub fn from_matrix(m: &Mat3<f64>) -> Self {
        let [a, b, c] = m.r;
        let (tr, xx, yy, zz) = (a.x + b.y + c.z, a.x, b.y, c.z);
        let q = if tr >= xx && tr >= yy && tr >= zz {
            Self::new(1.0 + tr, c.y - b.z, a.z - c.x, b.x - a.y)
        } else if xx >= yy && xx >= zz {
            Self::new(c.y - b.z, 1.0 + xx - yy - zz, a.y + b.x, a.z + c.x)
        } else if yy >= zz {
            Self::new(a.z - c.x, a.y + b.x, 1.0 + yy - xx - zz, b.z + c.y)
        } else {
            Self::new(b.x - a.y, a.z + c.x, b.z + c.y, 1.0 + zz - xx - yy)
        };
        let q = q.normalized();
        if q.w < 0.0 { -q } else { q }
    }
    /// Converts roll, pitch and yaw [rad] of B in A to a quaternion. The rotations are about the
    /// fixed axes x, y, z (URDF, ROS).
    pub fn from_rpy(roll: f64, pitch: f64, yaw: f64) -> Self {
        Self::from_matrix(&Mat3::from_rpy(roll, pitch, yaw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_and_quaternion_agree_in_general_attitudes() {
        for (r, p, y) in [
            (0.3, -0.7, 2.1),
            (3.0, 0.2, -1.0),
            (-2.9, 1.4, 0.1),
            (0.1, -1.5, 3.1),
        ] {
            let m = Mat3::from_rpy(r, p, y);
            let q = Quat::from_matrix(&m);
            let back = q.matrix();
            for i in 0..3 {
                for j in 0..3 {
                    assert!((m.r[i][j] - back.r[i][j]).abs() < 1e-15);
                }
            }
            let [r2, p2, y2] = m.to_rpy();
            assert!((r - r2).abs() < 1e-12 && (p - p2).abs() < 1e-12 && (y - y2).abs() < 1e-12);
        }
    }

    #[test]
    fn small_rotation_vectors_are_exact() {
        let q = Quat::from_rotation_vector(Vec3::new(2e-9, -4e-9, 6e-9));
        assert!((q.x - 1e-9).abs() < 1e-24 && (q.w - 1.0).abs() < 1e-16);
        let zero_rotation = Quat::from_rotation_vector(Vec3::<f64>::zero());
        assert_eq!(zero_rotation, Quat::identity());
    }

    // pitch ±90°, where roll and yaw describe the same rotation; the round trip must preserve that
    // rotation
    #[test]
    fn rpy_at_the_poles_matches_the_matrix() {
        for (a, b, pitch) in [
            (0.3, 0.9, 1.0),
            (-2.0, 0.4, -1.0),
            (3.0, 3.0, -1.0),
            (0.0, 0.0, 1.0),
        ] {
            let R = Mat3::from_rpy(a, 0.0, 0.0);
            let R = Quat::from_rpy(0.0, pitch * std::f64::consts::FRAC_PI_2, b)
                .matrix()
                .mul_mat(&R);
            let [r, p, y] = R.to_rpy();
            let back = Mat3::from_rpy(r, p, y);
            (0..3).for_each(|k| {
                assert!(
                    (back.col(k) - R.col(k)).norm() < 3e-8,
                    "{a} {b} {pitch}: {r} {p} {y}"
                )
            });
        }
        // a forward-looking sonar: z along the line of sight, x up
        let exact = Quat::new(0.0, 0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt()).matrix();
        let [r, p, y] = exact.to_rpy();
        assert!((Mat3::from_rpy(r, p, y).col(0) - exact.col(0)).norm() < 1e-8);
        assert!((Mat3::from_rpy(r, p, y).col(1) - exact.col(1)).norm() < 1e-8);
    }
}
