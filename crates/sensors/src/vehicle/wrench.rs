//! Force-torque sensor in a joint.
//!
//! # Law
//! ```text
//!   f = IA a + pA                                               (1)  [Featherstone 2008, eq. 7.26]
//!   f = Σ_outboard (I_k a_k - F_k - F_c,k)                       (1')  where something is held back
//!   F_S = R_SL f,  M_S = R_SL (m - p_LoS × f)                   (2)
//! ```
//! # Symbols
//! IA articulated inertia, pA bias force, a acceleration of the child link: f is what its parent exerts on it, so that weight,
//! water and inertia of all that hangs on the joint are in it, added mass too. The child exerts -f on its parent. F_k forces on a
//! link outboard of the joint; F_c,k those of contacts, couplings and funnels, the mean of the last step, whose mean acceleration is
//! then in a_k. What stops, friction and gears do within outboard joints cancels; at the sensor's own joint it is part of f, as
//! of the sum: bearing, motor and stop together.
//!
//! # Frames
//! (1) at Lo in L, (2) at S in S.
//!
//! # Limits
//! The sensor is rigid and weighs nothing of its own. A contact's force is the mean over a step whose free motion damping slows: it is
//! less than that of an instant by `h d/(2 m)`, with step h, damping d and inertia m of what is held back.
//!
//! # Checked by
//! test/analytic/wrench.rs, test/identity/wrench.rs

use crate::noise;
use merrow_math::rng::Draw;
use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::sensor::Errors;
use merrow_model::scene::{Robot, Sensor};
use merrow_model::state::reading::Wrench;
use merrow_model::state::{SensorState, Workspace};

/// What its parent exerts on `link` through their joint, at Lo in L. `felt` are the forces of contacts and those of couplings on all
/// links, at Lo along the world's axes; none where nothing held anything back.
pub fn on_link(
    robot: &Robot,
    work: &Workspace,
    link: usize,
    felt: Option<[&[SpatialForce]; 2]>,
) -> SpatialForce {
    let own = &work.links[link];
    let Some([contacts, couplings]) = felt else {
        return own.IA.mul(&own.A).plus(&own.pA);
    }; // (1)
    let mut sum = SpatialForce::zero();
    for (k, w) in work.links.iter().enumerate().skip(link) {
        let mut above = k;
        while above > link {
            above = robot.links[above].parent.unwrap_or(0);
        }
        if above != link {
            continue;
        }
        let net = w.inertia.mul(&w.A).minus(&w.F);
        let F_W = contacts[k].plus(&couplings[k]);
        let (m, f) = (w.R_WL.mul_vec(net.m) - F_W.m, w.R_WL.mul_vec(net.f) - F_W.f);
        sum = sum.plus(&SpatialForce {
            m: m + (w.p_WL - own.p_WL).cross(f),
            f,
        }); // (1')
    }
    SpatialForce {
        m: own.R_WL.tr_mul_vec(sum.m),
        f: own.R_WL.tr_mul_vec(sum.f),
    }
}

/// The wrench `f` of [`on_link`] at S in S: what the child exerts on the parent, or the other way round.
pub fn through_joint(sensor: &Sensor, f: &SpatialForce, on_parent: bool) -> SpatialForce {
    let sign = if on_parent { -1.0 } else { 1.0 };
    let (m, f) = (f.m.scale(sign), f.f.scale(sign));
    let R_LS = &sensor.R_LS;
    SpatialForce {
        m: R_LS.tr_mul_vec(m - sensor.p_LoS.cross(f)),
        f: R_LS.tr_mul_vec(f),
    } // (2)
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
