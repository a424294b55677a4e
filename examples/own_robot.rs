//! A robot of your own: the torpedo-shaped vehicle of `scout.yaml`, driven for five seconds.

use merrow::prelude::*;
use std::error::Error;
use std::sync::Arc;

/// The world file, which `merrow run examples/scout.yaml` starts too.
pub const SCOUT: &str = include_str!("scout.yaml");

/// Runs the vehicle with half of its thrust.
pub fn main() -> Result<(), Box<dyn Error>> {
    let world = load_text("scout.yaml", SCOUT, Overrides::default())?;
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    simulation
        .apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: 1700.0,
            },
        ))
        .map_err(|refused| refused.reason)?;
    for second in 1..=5 {
        simulation.advance(200);
        let motion = &simulation.state.robots[0].motion;
        println!(
            "{second} s: {:.2} m, {:.2} m/s",
            motion.p_WB.x, motion.V_WB_B.v.x
        );
    }
    Ok(())
}
