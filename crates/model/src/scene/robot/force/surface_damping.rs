//! Damping at the surface: keys of the law in `crates/physics/src/forces/link/surface_damping.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Losses of a hull that pierces the surface, acting along and about the x axis of the body.
    pub struct SurfaceDamping {
        /// Roll moment per roll rate p.
        roll_nm_s_per_rad: f64 [non_negative] = 0.0,
        /// Roll moment per |p| p.
        roll_quadratic_nm_s2_per_rad2: f64 [non_negative] = 0.0,
        /// Roll moment per p³.
        roll_cubic_nm_s3_per_rad3: f64 [non_negative] = 0.0,
        /// Roll moment per |u| p, with u the forward speed through the water.
        roll_lift_n_s2_per_rad: f64 [non_negative] = 0.0,
        /// Pairs of forward speed [m/s] and wave resistance, by increasing speed. The resistance is
        /// zero at rest.
        wave_resistance_n: Vec<[f64; 2]> [non_negative] = Vec::new(),
    }
}

impl SurfaceDamping {
    /// Returns the wave resistance [N] at a forward speed [m/s]: zero at rest, linear between
    /// entries, constant beyond the last entry.
    #[inline]
    pub fn resistance(&self, speed: f64) -> f64 {
        let mut previous = [0.0, 0.0];
        for entry in &self.wave_resistance_n {
            if speed < entry[0] {
                let fraction = (speed - previous[0]) / (entry[0] - previous[0]);
                return previous[1] + fraction * (entry[1] - previous[1]);
            }
            previous = *entry;
        }
        previous[1]
    }
}

impl LinkForce for SurfaceDamping {
    type Keys = Self;

    fn new(keys: &Self, body: &ForceBody<'_>, problems: &mut Problems) -> Self {
        let place = keys.at.key_place("wave_resistance_n");
        let pairs = &keys.wave_resistance_n;
        if pairs.first().is_some_and(|pair| pair[0] <= 0.0) {
            let text = format!(
                "the wave resistance of {} begins at the speed {}; expected one above 0",
                body.name, pairs[0][0]
            );
            problems.push(place, text);
        }
        let what = format!("the wave resistance of {} over speed", body.name);
        problems.check_increasing(place, &what, pairs);
        keys.clone()
    }
}
