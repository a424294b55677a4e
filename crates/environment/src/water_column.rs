//! Density, temperature, salinity, speed of sound, pressure and tracers of the water as functions
//! of position and time.
//!
//! # Law
//! ```text
//!   p = g ∫ ρ dz                                                    (1)  hydrostatics
//! ```
//! All quantities are linear between the layers of a column, so (1) is a parabola there and is
//! evaluated exactly. `build_column` computes the layers from temperature and salinity by
//! `seawater.rs`, from the surface down, each at its own pressure.
//!
//! # Symbols
//! p gauge pressure relative to the atmosphere [Pa] · ρ density [kg/m³] · g gravity [m/s²].
//!
//! # Frames
//! Heights z in W, negative under water.
//!
//! # Limits
//! The pressure is computed for the horizontal layers, also where temperature or salinity come from
//! a grid. The weight difference due to the grid is neglected (1e-4 of the pressure per degree).
//! Above the surface the values at the surface apply. Drag and added mass use the density for which
//! their coefficients were given. Buoyancy and Froude-Krylov forces use the density of the column
//! at the centre of the displaced water.
//!
//! # Checked by
//! tests below; test/analytic/environment/water_column.rs

use crate::seawater::ipts68_from_its90;
use crate::{EnvironmentState, seawater};
use merrow_math::{Real, Vec3};
use merrow_model::scene::Sea;
use merrow_model::scene::sea::grid::Grid;
use merrow_model::scene::sea::water::{Layer, SoundSpeedLaw, Tracer, TracerValues, WaterColumn};
use std::sync::Arc;

/// Maximum distance between the layers of a column [m]. At 20 m the curvature of the density causes
/// an error below 1e-6.
const MAX_SPACING: f64 = 20.0;

/// Builds the column down to depth `bottom` [m] from `profile`.
///
/// Each entry of `profile` is (depth [m], temperature [°C], salinity [-]), shallowest first.
/// `gravity` is in m/s².
pub fn build_column(
    profile: &[[f64; 3]],
    bottom: f64,
    gravity: f64,
    law: SoundSpeedLaw,
) -> WaterColumn {
    let mut depths = vec![0.0];
    for target in profile.iter().map(|p| p[0]).chain([bottom]) {
        let start = depths[depths.len() - 1];
        let intervals = ((target - start) / MAX_SPACING).ceil().max(0.0) as usize;
        depths.extend((1..=intervals).map(|k| {
            if k == intervals {
                target
            } else {
                start + (target - start) * k as f64 / intervals as f64
            }
        }));
    }
    let mut layers: Vec<Layer> = Vec::with_capacity(depths.len());
    for depth in depths {
        let [temperature, salinity] = interpolate_profile(profile, depth);
        let density =
            |load: f64| seawater::density(salinity, ipts68_from_its90(temperature), gravity * load);
        let mut load = 0.0;
        if let Some(above) = layers.last() {
            // load and density depend on each other; two iterations reduce an error of 1e-4 of 20 m
            // of water to zero
            load = above.load + above.density * (depth - above.depth);
            for _ in 0..3 {
                load = above.load + 0.5 * (above.density + density(load)) * (depth - above.depth);
            }
        }
        let mut layer = Layer {
            depth,
            temperature,
            salinity,
            density: density(load),
            sound_speed: 0.0,
            load,
        };
        layer.sound_speed = sound_speed_by_law(law, &layer, gravity);
        layers.push(layer);
    }
    WaterColumn {
        layers,
        sound_speed_law: law,
        temperature: None,
        salinity: None,
    }
}

fn sound_speed_by_law(law: SoundSpeedLaw, layer: &Layer, gravity: f64) -> f64 {
    let (temperature, salinity) = (layer.temperature, layer.salinity);
    match law {
        SoundSpeedLaw::Unesco => {
            let t = ipts68_from_its90(temperature);
            seawater::sound_speed(salinity, t, gravity * layer.load)
        }
        SoundSpeedLaw::Mackenzie => {
            seawater::mackenzie_sound_speed(temperature, salinity, layer.depth)
        }
    }
}

fn interpolate_profile(profile: &[[f64; 3]], depth: f64) -> [f64; 2] {
    let k = profile.partition_point(|p| p[0] <= depth);
    let (a, b) = (
        profile[k.saturating_sub(1)],
        profile[k.min(profile.len() - 1)],
    );
    let fraction = if b[0] > a[0] {
        (depth - a[0]) / (b[0] - a[0])
    } else {
        0.0
    };
    [1, 2].map(|i| a[i] + fraction * (b[i] - a[i]))
}

/// Returns the water of a column at `p` [m], W, and `t` [s], with `gravity` [m/s²].
///
/// If temperature or salinity come from a grid, density and speed of sound are computed from them
/// at the pressure of the layers.
pub fn sample_column(column: &WaterColumn, gravity: f64, p: Vec3, t: f64) -> Layer {
    let mut layer = column.properties_at(p.z);
    if column.temperature.is_none() && column.salinity.is_none() {
        return layer;
    }
    let x = [p.x, p.y, layer.depth, t];
    let value = |grid: &Option<Arc<Grid>>, default: f64| {
        grid.as_ref().map_or(default, |g| g.interpolate(x).value)
    };
    layer.temperature = value(&column.temperature, layer.temperature);
    layer.salinity = value(&column.salinity, layer.salinity);
    let t = ipts68_from_its90(layer.temperature);
    layer.density = seawater::density(layer.salinity, t, gravity * layer.load);
    layer.sound_speed = sound_speed_by_law(column.sound_speed_law, &layer, gravity);
    layer
}

/// Returns the density [kg/m³] at `p` [m], W, and `t` [s], with `gravity` [m/s²].
#[inline(always)]
pub fn density<T: Real>(sea: &Sea, gravity: f64, p: impl Fn() -> Vec3<T>, t: f64) -> T {
    if sea.column.is_none() && sea.regions.is_empty() {
        return T::splat(sea.density);
    }
    density_at(sea, gravity, p(), t)
}

#[inline(never)]
fn density_at<T: Real>(sea: &Sea, gravity: f64, p: Vec3<T>, t: f64) -> T {
    T::from_lanes(|i| {
        let p = p.lane(i);
        match (sea.region(p.x, p.y), &sea.column) {
            (Some(region), _) => region.density_kg_m3,
            (None, Some(column)) => sample_column(column, gravity, p, t).density,
            (None, None) => sea.density,
        }
    })
}

impl EnvironmentState<'_> {
    /// Returns the temperature of the water [°C] at `p` [m], W.
    pub fn temperature(&self, p: Vec3) -> f64 {
        match (self.sea.region(p.x, p.y), &self.sea.column) {
            (Some(region), _) => region.temperature_c,
            (None, Some(column)) => self.layer(column, p).temperature,
            (None, None) => self.sea.temperature,
        }
    }

    /// Returns the practical salinity [-] (PSS-78) at `p` [m], W.
    ///
    /// For water that is defined only by density and temperature, the salinity is the value that
    /// gives this density.
    pub fn salinity(&self, p: Vec3) -> f64 {
        let (density, temperature) = match (self.sea.region(p.x, p.y), &self.sea.column) {
            (Some(region), _) => (region.density_kg_m3, region.temperature_c),
            (None, Some(column)) => return self.layer(column, p).salinity,
            (None, None) => (self.sea.density, self.sea.temperature),
        };
        seawater::salinity_from_density(density, ipts68_from_its90(temperature))
    }

    /// Returns the speed of sound [m/s] at `p` [m], W.
    pub fn sound_speed(&self, p: Vec3) -> f64 {
        match (self.sea.region(p.x, p.y), &self.sea.column) {
            (Some(region), _) => region.sound_speed_m_s,
            (None, Some(column)) => self.layer(column, p).sound_speed,
            (None, None) => self.sea.sound_speed,
        }
    }

    /// Returns the water of a column at `p` [m], W.
    fn layer(&self, column: &WaterColumn, p: Vec3) -> Layer {
        sample_column(column, self.gravity, p, self.time)
    }
}

/// Returns the gauge pressure relative to the atmosphere [Pa] at `p` [m], W, with `gravity` [m/s²],
/// by (1).
pub fn pressure(sea: &Sea, gravity: f64, p: Vec3) -> f64 {
    match (sea.region(p.x, p.y), &sea.column) {
        (Some(region), _) => region.density_kg_m3 * gravity * (-p.z).max(0.0),
        (None, Some(column)) => gravity * column.properties_at(p.z).load,
        (None, None) => sea.density * gravity * (-p.z).max(0.0),
    }
}

/// Returns the value of a tracer `quantity` at `p` [m], W, and `t` [s], in the unit of the tracer.
pub fn tracer_value(quantity: &Tracer, p: Vec3, t: f64) -> f64 {
    let depth = (-p.z).max(0.0);
    let profile = match &quantity.values {
        TracerValues::Grid(grid) => return grid.interpolate([p.x, p.y, depth, t]).value,
        TracerValues::Profile(profile) => profile,
    };
    let k = profile.partition_point(|p| p[0] <= depth);
    let (a, b) = (
        profile[k.saturating_sub(1)],
        profile[k.min(profile.len() - 1)],
    );
    if b[0] > a[0] {
        a[1] + (b[1] - a[1]) * (depth - a[0]) / (b[0] - a[0])
    } else {
        a[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_reproduces_layers_and_hydrostatic_pressure() {
        let profile = [[0.0, 20.0, 35.0], [30.0, 12.0, 35.5], [500.0, 6.0, 34.8]];
        let column = build_column(&profile, 1000.0, 9.81, SoundSpeedLaw::Unesco);
        let layer = column.properties_at(-15.0);
        assert!((layer.temperature - 16.0).abs() < 1e-12 && (layer.salinity - 35.25).abs() < 1e-12);
        assert_eq!(
            (
                column.properties_at(3.0).temperature,
                column.properties_at(-5000.0).salinity
            ),
            (20.0, 34.8)
        );
        // the load is the integral of the density
        let n = 100_000;
        let sum: f64 = (0..n)
            .map(|k| {
                column
                    .properties_at(-(f64::from(k) + 0.5) * 900.0 / f64::from(n))
                    .density
            })
            .sum();
        assert!(
            (column.properties_at(-900.0).load / (sum * 900.0 / f64::from(n)) - 1.0).abs() < 1e-9
        );
        // in uniform water the density increases with depth only by compression
        assert!(column.properties_at(-1000.0).density > column.properties_at(-510.0).density + 2.0);
    }

    #[test]
    fn tracer_profiles_interpolate_and_clamp() {
        let profile = vec![[5.0, 1.0], [15.0, 3.0]];
        let values = TracerValues::Profile(profile);
        let turbidity = Tracer {
            name: "turbidity".into(),
            unit: "ntu".into(),
            values,
        };
        let value_at = |z: f64| tracer_value(&turbidity, Vec3::new(1.0, 2.0, z), 0.0);
        assert_eq!(
            [0.0, -5.0, -10.0, -20.0].map(value_at),
            [1.0, 1.0, 2.0, 3.0]
        );
    }
}
