//! Absolute pressure of water and air at a position, and the height that belongs to a pressure.
//!
//! # Law
//! ```text
//!   p = p_a + g ∫ ρ dz + ρ g h          (1)  hydrostatic pressure and the head of level and waves
//!   p_a = p_0 (T/T_0)^(g/(R L))         (2)  [ISO 2533-1975], `air/mod.rs`
//!   z = z_s - (p - p_a)/γ               (3)  inverse of (1) in water without waves
//! ```
//! # Symbols
//! The integral extends from z = 0 down to the position · g gravity · ρ density of the water in its
//! region · h head [m]: level of the region or the tide, and the waves (`waves/mod.rs`) · p_0, T_0
//! pressure and temperature of the air at sea level · T temperature of the air, R its gas constant
//! · L = 6.5 K/km · z_s mean level of the water · γ mean weight density of the water between z_s
//! and z. (2) is evaluated at the position, or for a submerged position at the surface above it.
//!
//! # Frames
//! Heights z in W.
//!
//! # Limits
//! The dynamic pressure of a motion is not modelled. The head uses the density at the surface. (3)
//! contains no waves: their pressure appears as a change of the height.
//!
//! # Checked by
//! test/sensors/navigation/position_sensors.rs, test/sensors/navigation/pressure_height.rs,
//! test/analytic/environment/water_column.rs, test/analytic/environment/region.rs

use crate::{EnvironmentState, air, water_column, waves};
use merrow_math::Vec3;
use merrow_model::scene::Sea;
use merrow_model::sensor::water::WaterAtRest;

/// Gauge pressure below which the mean weight density is that at the surface [Pa].
const MIN_GAUGE_PRESSURE: f64 = 1.0;

/// Returns the height of the mean water surface [m], W, at (x, y) [m], W, and `t` [s]: the level of
/// the region or of the sea, without waves.
pub fn mean_level(sea: &Sea, x: f64, y: f64, t: f64) -> f64 {
    sea.region(x, y)
        .and_then(|region| region.level_m)
        .unwrap_or_else(|| waves::tide_level(&sea.waves, t))
}

/// Returns the absolute pressure [Pa] at `p` [m], W, and `t` [s] without waves, under `gravity`
/// [m/s²]. (1), (2)
pub fn pressure_at_rest(sea: &Sea, gravity: f64, p: Vec3, t: f64) -> f64 {
    let level = mean_level(sea, p.x, p.y, t);
    let temperature = air::weather(&sea.air, t).temperature_c;
    if p.z >= level {
        return air::pressure(sea, temperature, p.z);
    }
    air::pressure(sea, temperature, level) + hydrostatic_pressure(sea, gravity, p, level)
}

/// Returns the water by which a `pressure` [Pa] measured at `p` [m], W, and `t` [s] is converted to
/// a height, under `gravity` [m/s²]. Of `p` only the horizontal position has an effect. In a dry
/// region it is the water of the sea around. (3)
pub fn water_at_rest(sea: &Sea, gravity: f64, p: Vec3, t: f64, pressure: f64) -> WaterAtRest {
    let level = match sea.region(p.x, p.y) {
        Some(region) if region.is_dry() => waves::tide_level(&sea.waves, t),
        _ => mean_level(sea, p.x, p.y, t),
    };
    let temperature = air::weather(&sea.air, t).temperature_c;
    let surface_pressure = air::pressure(sea, temperature, level);
    let gauge_pressure = pressure - surface_pressure;
    let weight = match (sea.region(p.x, p.y), &sea.column) {
        (Some(region), _) => region.density_kg_m3 * gravity,
        (None, Some(column)) if gauge_pressure > MIN_GAUGE_PRESSURE && gravity > 0.0 => {
            let load = gauge_pressure / gravity - sea.density * level;
            gauge_pressure / (column.depth_of_load(load, sea.density) + level)
        }
        (None, _) => sea.density * gravity,
    };
    WaterAtRest {
        level,
        surface_pressure,
        weight,
    }
}

/// Returns the pressure of the water above the air pressure [Pa], at `p` [m], W, where level and
/// waves have the head `head` [m].
fn hydrostatic_pressure(sea: &Sea, gravity: f64, p: Vec3, head: f64) -> f64 {
    let density = sea
        .region(p.x, p.y)
        .map_or(sea.density, |region| region.density_kg_m3);
    let to_datum = if p.z < 0.0 {
        water_column::pressure(sea, gravity, p)
    } else {
        -density * gravity * p.z
    };
    to_datum + density * gravity * head
}

impl EnvironmentState<'_> {
    /// Returns the weight density of the water at `p` [m], W [N/m³].
    pub fn water_weight(&self, p: Vec3) -> f64 {
        self.gravity * water_column::density(self.sea, self.gravity, || p, self.time)
    }

    /// Returns the absolute pressure at `p` [m], W [Pa]. (1), (2)
    pub fn absolute_pressure(&self, p: Vec3) -> f64 {
        let height = self.height_above_surface(p);
        let temperature = air::weather(&self.sea.air, self.time).temperature_c;
        let air = air::pressure(self.sea, temperature, p.z - height.min(0.0)); // (2)
        if height > 0.0 {
            air
        } else {
            air + self.water_pressure(p) // (1)
        }
    }

    /// Returns the pressure of the water at `p` [m], W, above the air pressure [Pa]; zero above the
    /// surface.
    pub fn water_pressure(&self, p: Vec3) -> f64 {
        let Some(waves) = self.waves else {
            return water_column::pressure(self.sea, self.gravity, p);
        };
        let (surface, water) = waves.surface_and_motion(p);
        if p.z < surface.z {
            hydrostatic_pressure(self.sea, self.gravity, p, water.head).max(0.0)
        } else {
            0.0
        }
    }
}
