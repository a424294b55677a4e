//! Force-torque sensor in a joint.
//!
//! # Law
//! ```text
//!   f = IA a + pA                              (1)  [Featherstone 2008, eq. 7.26]
//!   f = Σ_outboard (I_k a_k - F_k - F_c,k)     (1')  with contact or coupling forces
//!   F_S = R_SL f,  M_S = R_SL (m - p_LoS × f)  (2)
//! ```
//! # Symbols
//! IA articulated inertia, pA bias force, a acceleration of the child link. f is the wrench that
//! the parent exerts on the child link. It contains weight, hydrodynamic forces and inertia (with
//! added mass) of all links outboard of the joint. The child exerts -f on its parent. I_k inertia,
//! a_k acceleration of and F_k forces on a link outboard of the joint. F_c,k forces of contacts,
//! couplings and funnels, mean over the last step; a_k is then the mean acceleration of this step.
//! Forces of stops, friction and gears in outboard joints cancel. At the joint of the sensor they
//! are part of f: f is the sum of the forces of bearing, motor and stop.
//!
//! # Frames
//! (1) at Lo in L, (2) at S in S.
//!
//! # Limits
//! The sensor is rigid and has no weight. A contact force is the mean over one step, in which
//! damping slows the free motion. It is lower than the instantaneous force by the fraction `h d/(2
//! m)`, with step h, damping d and inertia m of the body in contact.
//!
//! # Checked by
//! test/sensors/instruments/wrench.rs, test/identity/wrench.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_math::SpatialForce;
use merrow_model::scene::{Robot, Sensor};
use merrow_model::sensor::vehicle::{Wrench, WrenchDirection, WrenchSpec};
use merrow_model::state::Workspace;

/// Computes the wrench that the parent exerts on `link` through their joint, at Lo in L [N, N m].
/// `constraint_forces` are the contact forces and the coupling forces on all links, at Lo along the
/// axes of W; `None` if no contact and no coupling acted.
pub fn joint_wrench(
    robot: &Robot,
    work: &Workspace,
    link: usize,
    constraint_forces: Option<[&[SpatialForce]; 2]>,
) -> SpatialForce {
    let own = &work.links[link];
    let Some([contacts, couplings]) = constraint_forces else {
        return own.IA.mul(&own.A) + own.pA;
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
        let net = w.inertia.mul(&w.A) - w.F;
        let F_W = contacts[k] + couplings[k];
        let (m, f) = (w.R_WL.mul_vec(net.m) - F_W.m, w.R_WL.mul_vec(net.f) - F_W.f);
        sum += SpatialForce {
            m: m + (w.p_WL - own.p_WL).cross(f),
            f,
        }; // (1')
    }
    SpatialForce {
        m: own.R_WL.tr_mul_vec(sum.m),
        f: own.R_WL.tr_mul_vec(sum.f),
    }
}

/// Transforms the wrench `f` of [`joint_wrench`] to S, at S: the wrench that the child exerts on
/// the parent or the wrench that the parent exerts on the child, by `direction` [N, N m].
pub fn wrench_at_sensor(
    sensor: &Sensor,
    f: &SpatialForce,
    direction: WrenchDirection,
) -> SpatialForce {
    let sign = match direction {
        WrenchDirection::ChildToParent => -1.0,
        WrenchDirection::ParentToChild => 1.0,
    };
    let (m, f) = (f.m.scale(sign), f.f.scale(sign));
    let R_LS = &sensor.R_LS;
    SpatialForce {
        m: R_LS.tr_mul_vec(m - sensor.p_LoS.cross(f)),
        f: R_LS.tr_mul_vec(f),
    } // (2)
}

impl Measure for WrenchSpec {
    /// Takes one sample of the wrench at S in S. Channels 0-2 of `SensorState::drift` belong to the
    /// force, 3-5 to the torque.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Wrench> {
        let (force, torque) = (&self.force, &self.torque);
        let (sensor, on_board) = (sample.sensor, sample.on_board);
        let (robot, state) = (on_board.robot, on_board.state);
        let is_current = state.impulse_acceleration.has_current_forces;
        let constraint_forces =
            is_current.then_some([&state.contact_force[..], &state.coupling_force[..]]);
        let F_L = joint_wrench(robot, on_board.work, sensor.link, constraint_forces);
        let F_S = wrench_at_sensor(sensor, &F_L, self.keys.direction);
        let measured_force = sample.measure_vector(force, 0, F_S.f);
        let measured_torque = sample.measure_vector(torque, 3, F_S.m);
        Some(Wrench {
            force: measured_force,
            torque: measured_torque,
            variances: [
                force.variances(measured_force, sample.memory.samples),
                torque.variances(measured_torque, sample.memory.samples),
            ],
        })
    }
}

faulty!(Wrench: force);
