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
    /// Velocity relative to the water, at Lo in L.
    pub V_r: SpatialVelocity<T>,
}

impl<'a, T: Real> LinkState<'a, T> {
    /// Creates the state of `link`, whose pose, velocity and wet fraction `work` has.
    #[inline(always)]
    pub fn new(
        link: &'a Link,
        environment: &'a EnvironmentState<'a>,
        work: &'a LinkWork<T>,
    ) -> Self {
        let mut V_r = work.V;
        V_r.v -= work.water;
        Self {
            link,
            environment,
            work,
            V_r,
        }
    }

    /// Evaluates a law in the user's link frame: converts the relative velocity to U and the force
    /// back to L.
    #[inline(always)]
    pub fn in_user_frame(
        &self,
        law: impl Fn(&SpatialVelocity<T>) -> SpatialForce<T>,
    ) -> SpatialForce<T> {
        let R_LU = Mat3::splat(self.link.R_LU);
        let V_U = SpatialVelocity::new(R_LU.tr_mul_vec(self.V_r.w), R_LU.tr_mul_vec(self.V_r.v));
        let F_U = law(&V_U);
        SpatialForce::new(R_LU.mul_vec(F_U.m), R_LU.mul_vec(F_U.f))
    }
}
