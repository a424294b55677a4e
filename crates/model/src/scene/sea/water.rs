//! What the water is like from the surface down, and what it carries.

use crate::scene::sea::grid::Grid;
use std::sync::Arc;

/// Properties of the water by depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// From the surface down, the first at depth 0; linear between, constant below the last.
    pub layers: Vec<Layer>,
    /// Law for the speed of sound.
    pub sound_speed_law: SoundSpeedLaw,
    /// Temperature [°C] on a grid, instead of the layers'.
    pub temperature: Option<Arc<Grid>>,
    /// Practical salinity on a grid, instead of the layers'.
    pub salinity: Option<Arc<Grid>>,
}

/// Law for the speed of sound in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundSpeedLaw {
    /// Chen and Millero, as UNESCO published it.
    Unesco,
    /// Mackenzie's nine terms.
    Mackenzie,
}

/// The water at a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Depth [m].
    pub depth: f64,
    /// Temperature (ITS-90, in situ) [°C].
    pub temperature: f64,
    /// Practical salinity.
    pub salinity: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Speed of sound [m/s].
    pub sound_speed: f64,
    /// Mass of the water above, per area [kg/m²].
    pub load: f64,
}

/// A part of the sea, seen from above, with water of its own: a river, a lake, a harbour.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Name.
    pub name: String,
    /// Corners in W (east, north) [m]; the last is joined to the first.
    pub corners: Vec<[f64; 2]>,
    /// Density [kg/m³].
    pub density: f64,
    /// Speed of sound [m/s].
    pub sound_speed: f64,
    /// Temperature [°C].
    pub temperature: f64,
    /// Height of its surface at rest [m]; none: that of the sea.
    pub level: Option<f64>,
    /// Factor on the waves.
    pub waves: f64,
    /// True if the world's current flows in it too.
    pub open: bool,
}

/// Level of what is called dry [m]: no ground lies as low.
pub const DRY: f64 = -1e6;

impl Region {
    /// Height of its surface, or a pressure head in it, where the world's waves make `waves` and its tide `tide` [m].
    #[inline(always)]
    pub fn over(&self, waves: f64, tide: f64) -> f64 {
        self.waves * waves + self.level.unwrap_or(tide)
    }

    /// True if no water stands there.
    pub fn is_dry(&self) -> bool {
        self.level == Some(DRY)
    }

    /// True if its surface is another than the sea's.
    pub fn has_surface(&self) -> bool {
        self.level.is_some() || self.waves != 1.0
    }

    /// True if (x, y) lies in it: a ray from there to the east crosses its edge an odd number of times.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        let mut inside = false;
        let mut before = self.corners[self.corners.len() - 1];
        for corner in &self.corners {
            let [a, b] = [before, *corner];
            if (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
                inside = !inside;
            }
            before = b;
        }
        inside
    }
}

/// A named quantity that the water carries, such as turbidity or chlorophyll.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// Name.
    pub name: String,
    /// Unit, as the world file says it.
    pub unit: String,
    /// Its values.
    pub values: Values,
}

/// Values of a quantity that the water carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// By depth [m], from the surface down; linear between, constant beyond.
    Profile(Vec<[f64; 2]>),
    /// On a grid.
    Grid(Arc<Grid>),
}

impl Column {
    /// The water at height `z` [m].
    pub fn at(&self, z: f64) -> Layer {
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
}
