//! Vertical profiles of the water properties, regions and tracers.

use crate::persist::Persist;
use crate::scene::sea::grid::Grid;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Vertical profiles of the water properties.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct WaterColumn {
    /// Layers in order of depth, the first at depth 0; linear between them, constant below the
    /// last.
    pub layers: Vec<Layer>,
    /// Equation for the sound speed.
    pub sound_speed_law: SoundSpeedLaw,
    /// Temperature on a grid [°C], used instead of the layers.
    pub temperature: Option<Arc<Grid>>,
    /// Practical salinity on a grid [psu], used instead of the layers.
    pub salinity: Option<Arc<Grid>>,
}

spec! {
    /// Formula for the speed of sound.
    #[derive(Persist)]
    pub enum SoundSpeedLaw words {
        /// Chen and Millero (UNESCO): -2 to 40 degrees Celsius, salinity 0 to 42, depth to 9900 m.
        Unesco = "unesco",
        /// Mackenzie: 2 to 30 degrees Celsius, salinity 25 to 40, depth to 8000 m.
        Mackenzie = "mackenzie",
    }

    /// Equation for the absorption of sound.
    pub enum AbsorptionLaw words {
        /// Sound is not absorbed.
        None = "none",
        /// Thorp (1967), for cold sea water.
        Thorp = "thorp",
        /// Francois and Garrison (1982).
        FrancoisGarrison = "francois_garrison",
        /// Ainslie and McColm (1998).
        AinslieMcColm = "ainslie_mccolm",
    }
}

/// Water properties at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Layer {
    /// Depth below the surface [m].
    pub depth: f64,
    /// Temperature (ITS-90, in situ) [°C].
    pub temperature: f64,
    /// Practical salinity at this depth [psu].
    pub salinity: f64,
    /// Density at this depth [kg/m³].
    pub density: f64,
    /// Sound speed at this depth [m/s].
    pub sound_speed: f64,
    /// Mass of the water above, per area [kg/m²].
    pub load: f64,
}

/// Horizontal region of the sea with separate water properties: a river, a lake, a harbour.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Region {
    /// Name of the region.
    pub name: String,
    /// Polygon corners in W (east, north) [m]; the last is connected to the first.
    pub corners_m: Vec<[f64; 2]>,
    /// Water density in the region [kg/m³].
    pub density_kg_m3: f64,
    /// Sound speed in the region [m/s].
    pub sound_speed_m_s: f64,
    /// Water temperature in the region [°C].
    pub temperature_c: f64,
    /// Height of the surface at rest [m]; `None`: height of the sea surface.
    pub level_m: Option<f64>,
    /// Factor on the wave elevation [-].
    pub wave_factor: f64,
    /// True if the current of the world also flows in the region.
    pub open_to_current: bool,
}

/// Level of a dry region [m]: below any terrain.
pub const DRY: f64 = -1e6;

impl Region {
    /// Returns the surface height or a pressure head [m] in the region, from the wave part `waves`
    /// [m] and the tide part `tide` [m] of the world.
    #[inline(always)]
    pub fn surface_height(&self, waves: f64, tide: f64) -> f64 {
        self.wave_factor * waves + self.level_m.unwrap_or(tide)
    }

    /// Returns true if the region contains no water.
    #[inline]
    pub fn is_dry(&self) -> bool {
        self.level_m == Some(DRY)
    }

    /// Returns true if its surface differs from the surface of the sea.
    pub(crate) fn has_own_surface(&self) -> bool {
        self.level_m.is_some() || self.wave_factor != 1.0
    }

    /// Returns true if the region contains the point (x, y) of W [m]: a ray from there to the east
    /// crosses its boundary an odd number of times.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        let mut inside = false;
        let mut before = self.corners_m[self.corners_m.len() - 1];
        for corner in &self.corners_m {
            let [a, b] = [before, *corner];
            if (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
                inside = !inside;
            }
            before = b;
        }
        inside
    }
}

/// Named tracer of the water, such as turbidity or chlorophyll.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Tracer {
    /// Name of the tracer.
    pub name: String,
    /// Unit, as in the world file.
    pub unit: String,
    /// Values of the tracer.
    pub values: TracerValues,
}

/// Values of a tracer.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum TracerValues {
    /// (depth [m], value), in order of depth; linear between entries, constant beyond the ends.
    Profile(Vec<[f64; 2]>),
    /// Values on a grid.
    Grid(Arc<Grid>),
}

impl WaterColumn {
    /// Returns the water properties at the height `z` [m].
    pub fn properties_at(&self, z: f64) -> Layer {
        let depth = (-z).max(0.0);
        let layers = &self.layers;
        let k = layers.partition_point(|l| l.depth <= depth);
        let a = layers[k - 1];
        let Some(b) = layers.get(k) else {
            return Layer {
                depth,
                load: a.load + a.density * (depth - a.depth),
                ..a
            };
        };
        let (s, d) = ((depth - a.depth) / (b.depth - a.depth), depth - a.depth);
        let linear = |a: f64, b: f64| a + s * (b - a);
        let density = linear(a.density, b.density);
        Layer {
            depth,
            temperature: linear(a.temperature, b.temperature),
            salinity: linear(a.salinity, b.salinity),
            density,
            sound_speed: linear(a.sound_speed, b.sound_speed),
            load: a.load + 0.5 * (a.density + density) * d, // (1)
        }
    }

    /// Returns the depth [m] below which the water has the mass `load` per area [kg/m²]: the
    /// inverse of [`Self::properties_at`]. Above z = 0 the water has the density `above` [kg/m³].
    pub fn depth_of_load(&self, load: f64, above: f64) -> f64 {
        if load <= 0.0 {
            return load / above;
        }
        let layers = &self.layers;
        let k = layers.partition_point(|l| l.load <= load);
        let (a, rest) = (layers[k - 1], load - layers[k - 1].load);
        let slope = layers
            .get(k)
            .map_or(0.0, |b| (b.density - a.density) / (b.depth - a.depth));
        let root = (a.density * a.density + 2.0 * slope * rest).sqrt();
        a.depth + 2.0 * rest / (a.density + root)
    }
}
