//! Estimated CPU time of samples of exteroceptive sensors: rays and water surface, which several
//! kinds of sensors share.
//!
//! # Law
//! ```text
//!   c_ray = RAY k,   k = 1 + log2(1 + N)/10                                     (1)
//!   c_waves = (FIXED + COMPONENT n) sqrt(s/0.016), for each ray that reaches the surface     (2)
//!   c_waves = CROSSING for each of these rays, and once LATTICE + POINTS n                    (3)
//! ```
//! (3) replaces (2) from `wave_clipmap::MIN_CLIPMAP_RAYS` rays on.
//!
//! The constants are measured with `merrow run WORLD --no-ros --pace max --threads 1` with and
//! without a sensor, on one thread of an Intel Xeon at 2.1 GHz with the release build. The folder
//! of each law adds the time of its own items ([`crate::exteroceptive::Observe::cost`]).
//!
//! # Symbols
//! c time [ns] · N number of shapes, triangles and terrain cells that rays can hit · k factor for
//! the number of shapes · n wave components of the sea · s standard deviation of its slope.
//!
//! # Frames
//! W.
//!
//! # Limits
//! The estimate is accurate to a factor of two, because the hits of rays are not known in advance.
//!
//! # Checked by
//! test/budget/cost.rs

use crate::wave_clipmap;
use merrow_math::Mat3;
use merrow_model::scene::Scene;
use merrow_model::scene::robot::collision::Geometry;
use merrow_model::scene::sea::waves::WaveField;

/// Fixed part of a sample of an exteroceptive sensor [ns].
pub const SAMPLE: f64 = 20_000.0;
/// Ray in an empty world [ns].
const RAY: f64 = 80.0;
/// Intersection of a ray with the wave surface evaluated directly: fixed part, and per component
/// of the sea [ns].
const WAVES: [f64; 2] = [500.0, 32.0];
/// Wave clipmap: fixed part, and per component of the sea [ns].
const LATTICE: [f64; 2] = [1_000_000.0, 40_000.0];
/// Intersection of a ray with the wave clipmap [ns].
const CROSSING: f64 = 250.0;
/// Reception of one beacon or transponder [ns].
pub(crate) const RECEPTION: f64 = 20_000.0;

/// Quantities of a world on which the time of a sample depends.
#[derive(Clone, Debug)]
pub struct WorldCost<'a> {
    /// Static description of the world.
    pub scene: &'a Scene,
    /// Factor k of (1) for the number of shapes.
    pub(crate) scene_factor: f64,
    /// c_waves of (2) or (3), and the time of the wave clipmap [ns]; 0 without waves.
    pub(crate) waves: [f64; 2],
    /// Number of lamps of all robots.
    pub(crate) lamps: f64,
}

/// Sensor of which the time of a sample is estimated.
#[derive(Clone, Debug)]
pub struct CostSite<'a> {
    /// World of the sensor.
    pub world: &'a WorldCost<'a>,
    /// Attitude of the sensor in W.
    pub R_WS: Mat3,
    /// Height of the sensor above the mean water surface [m].
    pub z: f64,
    /// Sample rate of the sensor [Hz].
    pub rate: f64,
    /// Time of a sample of the source sensor [ns]; 0 without one.
    pub source: f64,
}

impl<'a> WorldCost<'a> {
    /// Computes the terms that are the same for all sensors of a world.
    pub fn new(scene: &'a Scene) -> Self {
        let slope = |field: &WaveField| {
            let c = &field.components;
            let squares = c.a.iter().zip(&c.k).map(|(a, k)| (a * k).powi(2));
            (0.5 * squares.sum::<f64>()).sqrt()
        };
        let cost = |[fixed, each]: [f64; 2], n: usize| fixed + each * n as f64;
        let mut fields = scene.sea.waves.seas.iter().map(|(_, field)| field);
        let waves = fields.next().map(|f| {
            let direct = cost(WAVES, f.n) * (slope(f) / 0.016).sqrt();
            [direct, cost(LATTICE, f.n)]
        });
        let lamps = scene.robots.iter().map(|robot| robot.lamps.len() as f64);
        Self {
            scene,
            scene_factor: 1.0 + libm::log2(1.0 + count_shapes(scene)) / 10.0,
            waves: waves.unwrap_or_default(),
            lamps: lamps.sum(),
        }
    }

    /// Returns the time of one ray [ns]. (1)
    pub fn ray(&self) -> f64 {
        RAY * self.scene_factor
    }

    /// Returns the time of the intersections with the water surface [ns], for a total of `rays`
    /// rays of which `wet` reach the surface. (2)
    pub(crate) fn surface(&self, rays: f64, wet: f64) -> f64 {
        match self.waves {
            _ if wet == 0.0 => 0.0,
            [_, lattice] if rays >= wave_clipmap::MIN_CLIPMAP_RAYS as f64 && lattice > 0.0 => {
                lattice + wet * CROSSING
            }
            [each, _] => wet * each,
        }
    }
}

/// Returns true if a ray from the height `z` [m] with the upward component `up` reaches the mean
/// surface within `far` [m].
pub(crate) fn reaches_surface(up: f64, z: f64, far: f64) -> bool {
    up * z < 0.0 && z.abs() < far * up.abs()
}

/// Returns the number of shapes N of (1).
fn count_shapes(scene: &Scene) -> f64 {
    let count = |geometry: &Geometry| match geometry {
        Geometry::ConvexHull(mesh) | Geometry::ConvexDecomposition(mesh) | Geometry::Mesh(mesh) => {
            mesh.triangles.len()
        }
        Geometry::Primitive(_) | Geometry::Heightfield(_) => 1,
    };
    let structures = scene.structures.iter().flat_map(|s| &s.colliders);
    let robots = scene.robots.iter().flat_map(|r| &r.colliders);
    let n: usize = structures.chain(robots).map(|c| count(&c.geometry)).sum();
    let terrain = scene.sea.seabed.terrain.as_ref();
    let ground = terrain.map_or(0, |terrain| terrain.count().iter().product());
    (n + ground) as f64
}
