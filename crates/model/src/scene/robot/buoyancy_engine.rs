//! A buoyancy engine: a volume that a pump changes.

use merrow_math::Vec3;

/// A bladder or cylinder whose volume a pump changes at constant mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Ballast {
    /// Name; part of its topics.
    pub name: String,
    /// Link that it is in.
    pub link: usize,
    /// Its place in the link frame L [m].
    pub p_LoV: Vec3,
    /// Smallest and largest volume, over that of the link's hull [m³].
    pub range: [f64; 2],
    /// Largest rate while growing and while shrinking [m³/s].
    pub rate: [f64; 2],
    /// Volume at the start [m³].
    pub start: f64,
    /// Pressure work over electrical work while pumping out.
    pub efficiency: f64,
}

impl Ballast {
    /// Volume `dt` seconds after `volume`, on its way to `command` at the part `part` of its rate.
    pub fn towards(&self, volume: f64, command: f64, part: f64, dt: f64) -> f64 {
        volume + (command - volume).clamp(-self.rate[1] * part * dt, self.rate[0] * part * dt)
    }
}
