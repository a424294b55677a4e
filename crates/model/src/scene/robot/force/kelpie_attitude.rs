//! Pitch and roll of the Kelpie simulator: keys of the law in
//! `crates/physics/src/forces/link/kelpie_attitude.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Pitch and roll of the Kelpie simulator. They are proportional to the surface height and to
    /// the component of the wind direction along or across the vehicle.
    pub struct KelpieAttitude {
        /// Pitch per metre of surface height with the wind from astern; positive is bow up.
        pitch_rad_per_m: f64,
        /// Roll per metre of surface height with the wind blowing to starboard; positive is
        /// starboard down.
        roll_rad_per_m: f64,
        /// Bandwidth with which the vehicle follows these angles, critically damped.
        bandwidth_hz: f64 [positive] = 2.0,
    }
}

impl KelpieAttitude {
    /// Returns the bandwidth [rad/s].
    #[inline]
    pub fn bandwidth_rad_s(&self) -> f64 {
        std::f64::consts::TAU * self.bandwidth_hz
    }
}

impl LinkForce for KelpieAttitude {
    type Keys = Self;

    fn new(keys: &Self, body: &ForceBody<'_>, problems: &mut Problems) -> Self {
        let name = body.name;
        if !body.is_base {
            let text = format!("`kelpie_attitude` of {name}: only the base of a robot can have it");
            problems.push(&keys.at.whole, text);
        }
        if body.has_hull_mesh {
            let text = format!(
                "`kelpie_attitude` is for vehicles without a hull mesh, but the hull of {name} is a \
                 mesh, on which the wave pressure acts: leave one of them out"
            );
            problems.push(&keys.at.whole, text);
        }
        keys.clone()
    }
}
