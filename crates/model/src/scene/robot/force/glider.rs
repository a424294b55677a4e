//! Underwater glider: keys of the law in `crates/physics/src/forces/link/glider.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Published coefficients of an underwater glider (forward, right, down). All forces are
    /// proportional to the square of its speed.
    pub struct Glider {
        /// Drag: K_D0 [kg/m], and K_D per square of the angle of attack [kg/m per rad2].
        drag: [f64; 2] [non_negative],
        /// Lift: K_L0 [kg/m], and K_alpha per angle of attack [kg/m per rad].
        lift: [f64; 2],
        /// Side force per drift angle, K_beta [kg/m per rad].
        side: f64,
        /// Roll moment: K_MR per drift angle [kg per rad], and K_p per roll rate [kg s].
        roll: [f64; 2],
        /// Pitch moment: K_M0 [kg], K_M per angle of attack [kg per rad], and K_q per pitch rate
        /// [kg s].
        pitch: [f64; 3],
        /// Yaw moment: K_MY per drift angle [kg per rad], and K_r per yaw rate [kg s].
        yaw: [f64; 2],
    }
}

impl LinkForce for Glider {
    type Keys = Self;

    fn new(keys: &Self, _: &ForceBody<'_>, _: &mut Problems) -> Self {
        keys.clone()
    }
}
