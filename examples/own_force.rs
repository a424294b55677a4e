//! A force of your own: a mooring that pulls a link to a fixed point.
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

use merrow::prelude::*;
use std::error::Error;
use std::sync::Arc;

/// Parameters of the mooring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mooring {
    /// Position of the station in W [m].
    pub p_W0: Vec3,
    /// Stiffness of the spring [N/m].
    pub stiffness: f64,
    /// Damping of the spring [N s/m].
    pub damping: f64,
}

impl Mooring {
    /// Returns the force (1) at Lo in L. `R_WL` and `p_WL` are the pose of the link in W, `V` its
    /// velocity at Lo in L.
    pub fn force(&self, R_WL: &Mat3, p_WL: Vec3, V: &SpatialVelocity) -> SpatialForce {
        let pull = R_WL.tr_mul_vec(self.p_W0 - p_WL).scale(self.stiffness);
        SpatialForce {
            m: Vec3::zero(),
            f: pull - V.v.scale(self.damping),
        }
    }

    /// Adds the force to the base of `robot` for the next step.
    pub fn apply(&self, simulation: &mut Simulation, robot: usize) {
        let own = &mut simulation.state.robots[robot];
        let R_WB = own.motion.q_WB.matrix();
        let F_B = self.force(&R_WB, own.motion.p_WB, &own.motion.V_WB_B);
        // along the axes of W, at the origin of the link
        own.external_force[0] = SpatialForce {
            m: R_WB.mul_vec(F_B.m),
            f: R_WB.mul_vec(F_B.f),
        };
    }
}

/// Moors a BlueROV2 in a current of 0.3 m/s for a minute.
pub fn main() -> Result<(), Box<dyn Error>> {
    let text = "water: {current: {kind: uniform, speed_m_s: 0.3, direction_deg: 90}}
robots: {rov: {model: bluerov2, position_m: [0, 0, -5]}}";
    let world = load_text("moored.yaml", text, Overrides::default())?;
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    let mooring = Mooring {
        p_W0: Vec3::new(0.0, 0.0, -5.0),
        stiffness: 40.0,
        damping: 20.0,
    };
    while simulation.time_ns() < 60_000_000_000 {
        mooring.apply(&mut simulation, 0);
        simulation.advance(1);
    }
    println!(
        "the ROV hangs at {:.2?}",
        simulation.state.robots[0].motion.p_WB
    );
    Ok(())
}
