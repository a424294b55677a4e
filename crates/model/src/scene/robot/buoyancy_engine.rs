//! Buoyancy engine: a volume that a pump changes.

use merrow_math::Vec3;

/// Buoyancy engine: a bladder or cylinder whose volume a pump changes at constant mass.
#[derive(Clone, Debug, PartialEq)]
pub struct BuoyancyEngine {
    /// Name; used in its topics.
    pub name: String,
    /// Index of the link that contains it.
    pub link: usize,
    /// Position in the link frame L [m].
    pub p_LoV: Vec3,
    /// Minimum and maximum volume, in addition to the volume of the link's hull [m³].
    pub range_m3: [f64; 2],
    /// Maximum rate of growing and of shrinking [m³/s].
    pub rate_m3_s: [f64; 2],
    /// Volume at the start [m³].
    pub start_m3: f64,
    /// Efficiency while pumping out: pressure work per electrical work.
    pub efficiency: f64,
}

impl BuoyancyEngine {
    /// Returns the volume [m³] after `dt` [s], from `volume` [m³] towards `command` [m³] at the
    /// fraction `part` of the maximum rate.
    pub fn advance_volume(&self, volume: f64, command: f64, part: f64, dt: f64) -> f64 {
        volume
            + (command - volume).clamp(
                -self.rate_m3_s[1] * part * dt,
                self.rate_m3_s[0] * part * dt,
            )
    }
}
