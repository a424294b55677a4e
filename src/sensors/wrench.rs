//! Force-torque sensor in a joint.
//!
//! # Law
//! ```text
//!   f = IA a + pA                                               (1)  [Featherstone 2008, eq. 7.26]
//!   F_S = R_SL f,  M_S = R_SL (m - p_LoS × f)                   (2)
//! ```
//! # Symbols
//! IA articulated inertia, pA bias force, a acceleration of the child link: f is what its parent exerts on it, so that weight,
//! water and inertia of all that hangs on the joint are in it, added mass too. The child exerts -f on its parent.
//!
//! # Frames
//! (1) at Lo in L, (2) at S in S.
//!
//! # Limits
//! The sensor is rigid and weighs nothing of its own.
//!
//! # Checked by
//! test/analytic/wrench.rs

use super::noise;
use crate::math::rng::Draw;
use crate::math::{SpatialForce, Vec3};
use crate::scene::Sensor;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Wrench;
use crate::state::workspace::LinkWork;

/// The wrench through the joint of `link`, at S in S: what the child exerts on the parent, or the other way round.
pub fn through_joint(sensor: &Sensor, link: &LinkWork, on_parent: bool) -> SpatialForce {
    let f = link.IA.mul(&link.A).plus(&link.pA); // (1)
    let sign = if on_parent { -1.0 } else { 1.0 };
    let (m, f) = (f.m.scale(sign), f.f.scale(sign));
    let R_LS = &sensor.R_LS;
    SpatialForce { m: R_LS.tr_mul_vec(m - sensor.p_LoS.cross(f)), f: R_LS.tr_mul_vec(f) } // (2)
}

/// One sample. Channels 0-2 of the memory are the force's, 3-5 the torque's.
pub fn measure(
    force: &Errors,
    torque: &Errors,
    F_S: SpatialForce,
    memory: &mut SensorState,
    draw: &mut Draw,
) -> Wrench {
    let on = memory.noise;
    let (f, m) = memory.drift.split_at_mut(3);
    let measured: Vec3 = noise::vector(force, f, F_S.f, on, draw);
    Wrench {
        force: measured,
        torque: noise::vector(torque, m, F_S.m, on, draw),
        variances: [force.variance(), torque.variance()],
    }
}
