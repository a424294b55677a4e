//! Wind on the part of a link that is above the water.
//!
//! # Law
//! ```text
//!   f_i = ½ ρ_a C_i A_i |v_r| v_r,i (1 - s)                          (1)  [Fossen 2021, eqs 10.15-10.24, with C_X = c cos γ]
//! ```
//! # Symbols
//! v_r velocity of the air relative to the centre of the areas · A_i projected areas seen along the axes, C_i their
//! coefficients · ρ_a density of the air at its height · s wet part of the link.
//!
//! # Frames
//! Areas along the user's axes U; the force at Lo in L.
//!
//! # Limits
//! No lift across the wind, no shelter of one link behind another. The centre stays where it is as the link sinks in.
//!
//! # Checked by
//! test/analytic/air.rs

use crate::environment::{Instant, air};
use crate::math::{Mat3, Real, SpatialForce, Vec3};
use crate::scene::Link;
use crate::scene::body::WindLoad;
use crate::state::workspace::LinkWork;

/// (1)
#[inline(never)]
pub fn force<T: Real>(link: &Link, load: &WindLoad, at: &Instant<'_>, w: &LinkWork<T>) -> SpatialForce<T> {
    let p_WC = w.p_WL + w.R_WL.mul_vec(Vec3::splat(load.p_LoC));
    // over the surface as it is there
    let over = |p: Vec3| Vec3::new(p.x, p.y, at.above_surface(p));
    let wind = |i: usize| air::wind::at(&at.sea.air, over(p_WC.lane(i)), at.time);
    let v_W =
        Vec3::new(T::from_lanes(|i| wind(i).x), T::from_lanes(|i| wind(i).y), T::from_lanes(|i| wind(i).z));
    let v_C = w.V.v + w.V.w.cross(Vec3::splat(load.p_LoC));
    let R_LU = Mat3::splat(&link.R_LU);
    let v_r = R_LU.tr_mul_vec(w.R_WL.tr_mul_vec(v_W) - v_C);
    let temperature = air::weather(&at.sea.air, at.time).temperature;
    let half_rho = T::from_lanes(|i| 0.5 * air::density(at.sea, temperature, p_WC.lane(i).z));
    let k = half_rho * v_r.norm() * (T::one() - w.wet);
    let f_U =
        Vec3::new(v_r.x * k * load.drag_area.x, v_r.y * k * load.drag_area.y, v_r.z * k * load.drag_area.z);
    let f = R_LU.mul_vec(f_U);
    SpatialForce { m: Vec3::splat(load.p_LoC).cross(f), f }
}
