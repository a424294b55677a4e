//! A sensor of your own: an inclinometer with noise, published on a ROS 2 topic.
//!
//! # Law
//! ```text
//!   θ = acos(ẑ_S · ẑ_W) + ε                                        (1)
//! ```
//! # Symbols
//! θ angle [rad] · ẑ_S, ẑ_W z axes of the sensor and of the world · ε normal error.
//!
//! # Limits
//! Accelerations do not disturb the reading.
//!
//! # Checked by
//! test/docs.rs

use merrow::prelude::*;
use msg::std_msgs::Float64;
use std::error::Error;
use std::sync::Arc;

/// Inclinometer on the base of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Inclinometer {
    /// Standard deviation of the error [rad].
    pub std: f64,
    /// Random numbers, the same in every run with the seed of the world.
    pub stream: Stream,
}

impl Inclinometer {
    /// Returns sample number `index` of the angle (1) [rad].
    pub fn measure(&self, motion: &Motion, index: u64) -> f64 {
        let up = motion.q_WB.matrix().r[2].z;
        up.clamp(-1.0, 1.0).acos() + self.std * self.stream.draw(index).normal()
    }
}

/// Publishes the tilt of a buoy in waves ten times per simulated second, for five seconds.
pub fn main() -> Result<(), Box<dyn Error>> {
    let text = "seed: 7
step: {dt_s: 0.01}
water: {waves: {kind: jonswap, hs_m: 0.5, tp_s: 4, direction_deg: 90}}
robots: {rov: {model: bluerov2, position_m: [0, 0, -0.2], attitude_deg: [10, 0, 0]}}";
    let world = load_text("tilt.yaml", text, Overrides::default())?;
    let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
    let sensor = Inclinometer {
        std: 0.002,
        stream: Stream::new(simulation.scene.seed, "rov/inclinometer"),
    };
    let node = Node::new(&NodeOptions::new("inclinometer"))?;
    let publisher = node.publisher("/rov/tilt", Float64::info(), &Qos::DEFAULT)?;
    for index in 0..50 {
        simulation.advance(10);
        let data = sensor.measure(&simulation.state.robots[0].motion, index);
        publisher.publish(&to_bytes(&Float64 { data }))?;
        println!(
            "{:4.1} s  {:6.2} deg",
            simulation.time_ns() as f64 * 1e-9,
            data.to_degrees()
        );
    }
    Ok(())
}
