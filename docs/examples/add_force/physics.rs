//! Mooring: spring and damper that pull a link to a fixed point.
//!
//! # Law
//! ```text
//!   f = -k (p - p_0) - d v                                         (1)
//! ```
//! # Symbols
//! p position of the link origin, p_0 the station [m] · v velocity of the link origin [m/s] · k
//! stiffness [N/m], d damping [N s/m].
//!
//! # Frames
//! p and p_0 in W. The force acts at Lo and is expressed in L.
//!
//! # Limits
//! The spring has no slack and no maximum force, and exerts no moment.
//!
//! # Checked by
//! test/docs.rs

use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::force::Mooring;

impl LinkForceLaw for Mooring {
    /// Returns the force (1).
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let station = Vec3::splat(Vec3::from(self.station_m));
        let pull = state.work.R_WL.tr_mul_vec(station - state.work.p_WL);
        let spring = pull.scale(T::splat(self.stiffness_n_per_m));
        let damper = state.work.V.v.scale(T::splat(self.damping_n_s_per_m));
        SpatialForce::new(Vec3::zero(), spring - damper)
    }
}
