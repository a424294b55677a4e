//! A controller of your own: depth hold with one vertical thruster.
//!
//! # Law
//! ```text
//!   T = -k (z + h) - d z'                                          (1)
//! ```
//! # Symbols
//! T thrust · z height of the base, z' its rate · h depth · k stiffness [N/m], d damping [N s/m].
//!
//! # Frames
//! World W (ENU).
//!
//! # Limits
//! A vehicle that is not neutrally buoyant keeps a residual error.
//!
//! # Checked by
//! test/docs.rs

use merrow::prelude::*;
use std::error::Error;
use std::sync::Arc;

/// Settings and state of the depth hold; the first thruster pushes up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthHold {
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N s/m].
    pub damping: f64,
    /// Depth set-point, positive down [m].
    pub depth: f64,
    /// True while it is active.
    pub on: bool,
}

impl ControlLaw for DepthHold {
    fn tick(&mut self, tick: &Tick<'_>, devices: &mut Devices<'_>) {
        if self.on {
            let climb = tick.motion.q_WB.matrix().mul_vec(tick.motion.V_WB_B.v).z;
            let error = tick.motion.p_WB.z + self.depth;
            let thrust = -self.stiffness * error - self.damping * climb; // (1)
            devices.set_thrust(0, thrust, tick.environment.sea.density);
        }
    }

    fn enable(
        &mut self,
        on: bool,
        _: &KnownMotion,
        devices: &mut Devices<'_>,
    ) -> Result<(), String> {
        self.on = on;
        devices.stop_thruster(0);
        Ok(())
    }
}

/// World with a neutrally buoyant body of 20 kg at 9 m depth.
pub const WORLD: &str = "step: {dt_s: 0.005}
robots: {r: {position_m: [0, 0, -9], model: {source: example, body: {source: example, axes: flu,
  mass_kg: 20, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, net_buoyancy_n: 0},
  thrusters: {up: {motor: t200_12v, position_m: [0, 0, 0], direction: [0, 0, 1]}}}}}";

/// Holds 10 m of depth for 10 s, 50 times per second.
pub fn main() -> Result<(), Box<dyn Error>> {
    let world = load_text("hold.yaml", WORLD, Overrides::default())?;
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    let mut hold = DepthHold {
        stiffness: 20.0,
        damping: 40.0,
        depth: 10.0,
        on: true,
    };
    for _ in 0..500 {
        simulation.run_law(0, &mut hold, 0.02);
        simulation.advance(4);
    }
    println!("{:.2?}", simulation.state.robots[0].motion.p_WB);
    Ok(())
}
