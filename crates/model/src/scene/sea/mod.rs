//! The water, its current and waves, what lies under it, and where on Earth it is.

pub mod air;
pub mod flow;
pub mod grid;
pub mod mapped;
pub mod optics;
pub mod terrain;
pub mod water;
pub mod waves;

use crate::scene::sea::air::Air;
use crate::scene::sea::flow::Flow;
use crate::scene::sea::optics::Optics;
use crate::scene::sea::terrain::Terrain;
use crate::scene::sea::water::{Carried, Column, Region};
use crate::scene::sea::waves::Waves;
use merrow_math::Vec3;
use std::sync::Arc;

/// The water of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Sea {
    /// Density at the surface [kg/m³].
    pub density: f64,
    /// Speed of sound at the surface [m/s].
    pub sound_speed: f64,
    /// Temperature at the surface [°C].
    pub temperature: f64,
    /// Pressure of the air at sea level [Pa].
    pub air_pressure: f64,
    /// What changes with depth; none: the water is the same everywhere.
    pub column: Option<Arc<Column>>,
    /// Parts with water of their own; where they overlap the first counts.
    pub regions: Vec<Region>,
    /// What the water carries.
    pub carried: Vec<Carried>,
    /// What the water does to light.
    pub optics: Optics,
    /// The air above.
    pub air: Air,
    /// The current.
    pub current: Current,
    /// The waves.
    pub waves: Waves,
    /// The bottom.
    pub seabed: Seabed,
}

impl Sea {
    /// The region at (x, y), if it lies in one.
    pub fn region(&self, x: f64, y: f64) -> Option<&Region> {
        self.regions.iter().find(|region| region.holds(x, y))
    }

    /// True if the world's current does not flow everywhere.
    #[inline(always)]
    pub fn has_closed_regions(&self) -> bool {
        self.regions.iter().any(|region| !region.open)
    }

    /// Index of the region at (x, y) if the world's current does not flow there.
    pub fn closed_region(&self, x: f64, y: f64) -> Option<usize> {
        let k = self.regions.iter().position(|region| region.holds(x, y))?;
        (!self.regions[k].open).then_some(k)
    }
}

/// Velocity of the water as a function of depth and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Current {
    /// Mean velocity at each depth, sorted by depth: (depth [m], velocity in W [m/s]). One entry: the same everywhere.
    /// Between entries linear, beyond the ends constant.
    pub profile: Vec<(f64, Vec3)>,
    /// Random variation on top.
    pub gauss_markov: Option<GaussMarkov>,
    /// What else moves, added to the mean.
    pub flows: Vec<Flow>,
}

/// First-order Gauss-Markov variation of the current.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussMarkov {
    /// Standard deviation of each component [m/s].
    pub std: Vec3,
    /// Correlation time [s].
    pub tau: f64,
}

/// The bottom: a plane, or terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Seabed {
    /// Height of the bottom at the world's origin [m], negative under water.
    pub z0: f64,
    /// Rise of the bottom towards east and towards north [m/m].
    pub slope: [f64; 2],
    /// Ground instead of the plane.
    pub terrain: Option<Arc<Terrain>>,
}

impl Seabed {
    /// Height of the bottom at (x, y) [m].
    pub fn height(&self, x: f64, y: f64) -> f64 {
        match &self.terrain {
            None => self.z0 + self.slope[0] * x + self.slope[1] * y,
            Some(terrain) => terrain.height(x, y),
        }
    }
    /// Upward unit normal at (x, y).
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        if let Some(terrain) = &self.terrain {
            return terrain.normal(x, y);
        }
        let n = Vec3::new(-self.slope[0], -self.slope[1], 1.0);
        n.scale(1.0 / n.norm())
    }
    /// Distance along the unit vector `d` from `p` to the bottom [m]; none if the ray never meets it.
    pub fn range(&self, p: Vec3, d: Vec3) -> Option<f64> {
        if let Some(terrain) = &self.terrain {
            return terrain.range(p, d);
        }
        let above = p.z - self.height(p.x, p.y);
        let closing = self.slope[0] * d.x + self.slope[1] * d.y - d.z;
        (closing > 1e-12 && above >= 0.0).then(|| above / closing)
    }
    /// True if a ball about `p` surely does not touch the bottom.
    pub fn is_clear_of(&self, p: Vec3, radius: f64) -> bool {
        match &self.terrain {
            None => (p.z - self.height(p.x, p.y)) * self.normal(p.x, p.y).z > radius,
            Some(terrain) => p.z - terrain.top_within(p.x, p.y, radius) > radius,
        }
    }
}

/// Where the world's origin lies on the WGS84 ellipsoid, and the magnetic field there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Geodetic latitude [rad], north positive.
    pub latitude: f64,
    /// Longitude [rad], east positive.
    pub longitude: f64,
    /// Height of mean sea level above the ellipsoid [m].
    pub altitude: f64,
    /// Magnetic flux density in W (east, north, up) [T].
    pub magnetic_field: Vec3,
}
