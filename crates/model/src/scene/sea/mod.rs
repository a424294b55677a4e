//! Environment of the world: water, current, waves, air, seabed and geographic origin.

pub mod air;
pub mod flow;
pub mod grid;
pub mod mapped;
pub mod optics;
mod references;
pub mod terrain;
pub mod water;
pub mod waves;

use crate::persist::Persist;
use crate::scene::sea::air::Air;
use crate::scene::sea::flow::Flow;
use crate::scene::sea::optics::Optics;
use crate::scene::sea::terrain::Terrain;
use crate::scene::sea::water::{Region, Tracer, WaterColumn};
use crate::scene::sea::waves::Waves;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Water of the world, with the air above and the seabed below.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Sea {
    /// Density at the surface [kg/m³].
    pub density: f64,
    /// Sound speed at the surface [m/s].
    pub sound_speed: f64,
    /// Temperature at the surface [°C].
    pub temperature: f64,
    /// Air pressure at sea level [Pa].
    pub air_pressure: f64,
    /// Vertical profiles of the water properties; `None`: the water is homogeneous.
    pub column: Option<Arc<WaterColumn>>,
    /// Regions with separate water properties; the first region that contains a point applies.
    pub regions: Vec<Region>,
    /// Tracers (scalar fields) of the water.
    pub tracers: Vec<Tracer>,
    /// Optical properties of the water.
    pub optics: Optics,
    /// Air above the water.
    pub air: Air,
    /// Current of the sea.
    pub current: Current,
    /// Waves and water level.
    pub waves: Waves,
    /// Seabed plane or terrain.
    pub seabed: Seabed,
}

impl Sea {
    /// Returns the region that contains the point (x, y) of W [m], if any.
    pub fn region(&self, x: f64, y: f64) -> Option<&Region> {
        self.regions.iter().find(|region| region.contains(x, y))
    }

    /// Returns true if any region excludes the current of the world.
    #[inline(always)]
    pub fn has_closed_regions(&self) -> bool {
        self.regions.iter().any(|region| !region.open_to_current)
    }

    /// Returns the index of the region at (x, y) of W [m] if it excludes the current of the world.
    pub fn closed_region(&self, x: f64, y: f64) -> Option<usize> {
        let k = self
            .regions
            .iter()
            .position(|region| region.contains(x, y))?;
        (!self.regions[k].open_to_current).then_some(k)
    }
}

/// Water velocity as a function of depth and time.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Current {
    /// Mean velocity profile, sorted by depth: (depth [m], velocity in W [m/s]). One entry:
    /// uniform. Linear between entries, constant beyond the ends.
    pub profile: Vec<(f64, Vec3)>,
    /// Random variation added to the mean.
    pub variation: Option<GaussMarkov>,
    /// Further components, added to the mean.
    pub flows: Vec<Flow>,
}

spec! {
    /// First-order Gauss-Markov variation of the current.
    #[derive(Copy, Persist)]
    pub struct GaussMarkov plain {
        /// Standard deviation of the east, north and up components.
        std_m_s: [f64; 3] [non_negative],
        /// Correlation time of the variation.
        correlation_time_s: f64 [positive],
    }
}

/// Seabed: a plane or a terrain.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Seabed {
    /// Height of the plane at the world origin [m], negative below the water surface. With a
    /// terrain, the negative depth that waves assume.
    pub z0: f64,
    /// Slope of the plane towards east and north [m/m].
    pub slope: [f64; 2],
    /// Terrain, used instead of the plane.
    pub terrain: Option<Arc<Terrain>>,
}

impl Seabed {
    /// Returns the height of the seabed at (x, y) of W [m].
    pub fn height(&self, x: f64, y: f64) -> f64 {
        match &self.terrain {
            None => self.z0 + self.slope[0] * x + self.slope[1] * y,
            Some(terrain) => terrain.height(x, y),
        }
    }
    /// Returns the upward unit normal at (x, y) of W [m].
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        if let Some(terrain) = &self.terrain {
            return terrain.normal(x, y);
        }
        let n = Vec3::new(-self.slope[0], -self.slope[1], 1.0);
        n.scale(1.0 / n.norm())
    }
    /// Returns the distance [m] from `p` [m] along the unit vector `d` to the seabed, both in W;
    /// `None` if the ray does not hit it.
    #[inline]
    pub fn range(&self, p: Vec3, d: Vec3) -> Option<f64> {
        if let Some(terrain) = &self.terrain {
            return terrain.range(p, d);
        }
        let above = p.z - self.height(p.x, p.y);
        let closing = self.slope[0] * d.x + self.slope[1] * d.y - d.z;
        (closing > 1e-12 && above >= 0.0).then(|| above / closing)
    }
    /// Returns true if a sphere of `radius` [m] about `p` [m] (W) certainly does not touch the
    /// seabed.
    pub fn is_clear_of(&self, p: Vec3, radius: f64) -> bool {
        match &self.terrain {
            None => (p.z - self.height(p.x, p.y)) * self.normal(p.x, p.y).z > radius,
            Some(terrain) => p.z - terrain.max_height_within(p.x, p.y, radius) > radius,
        }
    }
}

/// Position of the world origin on the WGS84 ellipsoid, and the magnetic field there.
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
