//! Conversion of the water, the mean current, the air and the seabed of a world.

use crate::build::{air, flow, horizontal_velocity, water, water_velocity, waves};
use crate::context::Context;
use crate::keys::{CurrentConfig, CurrentLayerConfig, WorldConfig};
use crate::sensor::camera;
use merrow_math::Vec3;
use merrow_model::scene::{Current, Sea, Seabed, Waves};
use merrow_yaml::error::Place;
use std::sync::Arc;

/// Builds water, waves, air, currents and seabed of a world that starts at the time `start`.
pub(crate) fn build_sea(file: &WorldConfig, start: air::StartTime, cx: Context<'_>) -> Sea {
    let water = &file.water;
    let terrain = water::build_terrain(&file.seabed, cx);
    let depth = water::reference_depth(&file.seabed, terrain.as_deref());
    let column = water::build_column(file, cx);
    let regions = water::build_regions(&water.regions, cx);
    let surface = column.as_ref().map(|column| column.properties_at(0.0));
    Sea {
        density: surface.map_or(water.density_kg_m3, |layer| layer.density),
        sound_speed: surface.map_or(water.sound_speed_m_s, |layer| layer.sound_speed),
        temperature: surface.map_or(water.temperature_c, |layer| layer.temperature),
        column: column.map(Arc::new),
        waves: Waves {
            tide: flow::build_tide(file, depth, cx),
            regions: Waves::surface_regions(&regions),
            ..waves::build_waves(&water.waves, (file.gravity_m_s2, depth), cx)
        },
        regions,
        tracers: water::build_tracers(&water.tracers, cx),
        optics: camera::optics(&water.optics),
        air_pressure: water.air_pressure_pa,
        air: air::build_air(file, start, cx),
        current: Current {
            profile: mean_current(&water.current, cx),
            variation: water.variation,
            flows: flow::build_flows(&water.flows, &water.regions, cx),
        },
        seabed: Seabed {
            z0: -depth,
            slope: file.seabed.slope_east_north,
            terrain,
        },
    }
}

/// Returns the mean current as pairs of depth [m] and velocity [m/s], W.
fn mean_current(file: &CurrentConfig, cx: Context<'_>) -> Vec<(f64, Vec3)> {
    match file {
        CurrentConfig::None => vec![(0.0, Vec3::zero())],
        CurrentConfig::Uniform {
            speed_m_s,
            direction_deg,
            up_m_s,
            ..
        } => vec![(0.0, water_velocity(*speed_m_s, *direction_deg, *up_m_s))],
        CurrentConfig::Profile { layers, at } => {
            current_profile(layers, at.key_place("layers"), cx)
        }
    }
}

/// Returns the layers of a current profile as pairs of depth [m] and velocity [m/s], W.
fn current_profile(
    layers: &[CurrentLayerConfig],
    place: &Place,
    cx: Context<'_>,
) -> Vec<(f64, Vec3)> {
    if layers.windows(2).any(|w| w[1].depth_m <= w[0].depth_m) {
        cx.error(
            place,
            "the layers of the current are not in order; expected increasing `depth_m`",
        );
    }
    layers
        .iter()
        .map(|l| (l.depth_m, horizontal_velocity(l.speed_m_s, l.direction_deg)))
        .collect()
}
