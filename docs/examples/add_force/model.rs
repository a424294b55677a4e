//! Mooring: keys of the law in `crates/physics/src/forces/link/mooring.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Spring and damper between the origin of a body and a point that is fixed in the world.
    pub struct Mooring {
        /// Position of the point in the world.
        station_m: [f64; 3],
        /// Force per distance.
        stiffness_n_per_m: f64 [non_negative],
        /// Force per speed.
        damping_n_s_per_m: f64 [non_negative] = 0.0,
    }
}

impl LinkForce for Mooring {
    type Keys = Self;

    fn new(keys: &Self, _: &ForceBody<'_>, _: &mut Problems) -> Self {
        keys.clone()
    }
}
