//! Interface of a force on one link: what its law reads and returns.

use merrow_environment::EnvironmentState;
use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity};
use merrow_model::scene::Link;
use merrow_model::state::workspace::LinkWork;

/// Law of a force on one link. It is generic over the scalar, because the kernel evaluates several
/// robots at once, one per SIMD lane.
pub trait LinkForceLaw {
    /// Returns the force at Lo in L.
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T>;
}

/// Motion of a link and its environment.
pub struct LinkState<'a, T> {
    /// The link.
    pub link: &'a Link,
    /// Water, wind and gravity.
    pub environment: &'a EnvironmentState<'a>,
    /// Pose and velocity of the link, motion of the water, wet fraction.
    pub work: &'a LinkWork<T>,
}

impl<T: Real> LinkState<'_, T> {
    /// Returns the velocity relative to the water, at Lo in L.
    #[inline(always)]
    pub fn V_r(&self) -> SpatialVelocity<T> {
        SpatialVelocity::new(self.work.V.w, self.work.V.v - self.work.water)
    }

    /// Evaluates a law in the user's link frame: converts the relative velocity to U and the force
    /// back to L.
    #[inline(always)]
    pub fn in_user_frame(
        &self,
        law: impl Fn(&SpatialVelocity<T>) -> SpatialForce<T>,
    ) -> SpatialForce<T> {
        let R_LU = Mat3::splat(self.link.R_LU);
        let V_r = self.V_r();
        let V_U = SpatialVelocity::new(R_LU.tr_mul_vec(V_r.w), R_LU.tr_mul_vec(V_r.v));
        let F_U = law(&V_U);
        SpatialForce::new(R_LU.mul_vec(F_U.m), R_LU.mul_vec(F_U.f))
    }
}
