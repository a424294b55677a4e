//! Conversion of the water column, the terrain, regions and tracers.

use crate::context::Context;
use crate::import::grid;
use crate::keys::grid::GridConfig;
use crate::keys::water::{ColumnConfig, RegionConfig, TracerConfig, WaterLayerConfig};
use crate::keys::{SeabedConfig, WorldConfig};
use merrow_environment::seawater;
use merrow_environment::seawater::Validity;
use merrow_environment::water_column;
use merrow_model::scene::sea::grid::{Extrapolation, Grid, Interpolation};
use merrow_model::scene::sea::terrain::Terrain;
use merrow_model::scene::sea::water::{
    DRY, Region, SoundSpeedLaw, Tracer, TracerValues, WaterColumn,
};
use merrow_yaml::error::quote;
use merrow_yaml::read::NamedMap;
use std::sync::Arc;

/// Builds the water column, if the world has one.
pub(crate) fn build_column(file: &WorldConfig, cx: Context<'_>) -> Option<WaterColumn> {
    let water = &file.water;
    let column = water.column.as_ref()?;
    for key in ["density_kg_m3", "sound_speed_m_s", "temperature_c"] {
        if water.at.has_key(key) {
            let text = format!(
                "both `column` and {} are given; expected one of them",
                quote(key)
            );
            cx.error(water.at.key_place(key), text);
        }
    }
    if column
        .layers
        .windows(2)
        .any(|w| w[1].depth_m <= w[0].depth_m)
    {
        return cx.refuse(
            column.at.key_place("layers"),
            "the layers are not in order; expected increasing `depth_m`",
        );
    }
    let good = column
        .layers
        .iter()
        .filter(|layer| is_valid(column, layer, cx))
        .count();
    if good < column.layers.len() {
        return None;
    }
    let law = column.sound_speed_law;
    let valid = validity(law);
    let deepest = column.layers.last().map_or(0.0, |layer| layer.depth_m);
    let profile: Vec<_> = column
        .layers
        .iter()
        .map(|l| [l.depth_m, l.temperature_c, l.salinity_psu])
        .collect();
    let mut built =
        water_column::build_column(&profile, valid.depth.max(deepest), file.gravity_m_s2, law);
    let gridded = |file: &Option<GridConfig>, what: &str, range: [f64; 2]| {
        let file = file.as_ref()?;
        let grid = grid::read_grid(file, &cx.origin, &mut cx.problems())?;
        let [low, high] = sample_range(&grid);
        if low < range[0] || high > range[1] {
            let text = format!(
                "{what} from {low} to {high}; expected {} to {}, where the law {} holds",
                range[0],
                range[1],
                quote(column.sound_speed_law.keyword())
            );
            cx.error(file.at.key_place("file"), text);
        }
        Some(Arc::new(grid))
    };
    built.temperature = gridded(&column.temperature, "temperatures", valid.temperature);
    built.salinity = gridded(&column.salinity, "salinities", valid.salinity);
    Some(built)
}

/// Returns the minimum and maximum sample of a grid.
fn sample_range(grid: &Grid) -> [f64; 2] {
    (0..grid.samples.len())
        .map(|i| grid.samples.get(i))
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
}

fn validity(law: SoundSpeedLaw) -> &'static Validity {
    match law {
        SoundSpeedLaw::Unesco => &seawater::UNESCO,
        SoundSpeedLaw::Mackenzie => &seawater::MACKENZIE,
    }
}

/// Returns true if a layer is within the range of validity of the formulas; reports each value that
/// is not.
fn is_valid(column: &ColumnConfig, layer: &WaterLayerConfig, cx: Context<'_>) -> bool {
    let (law, valid) = (column.sound_speed_law, validity(column.sound_speed_law));
    let other = match law {
        SoundSpeedLaw::Unesco => "",
        SoundSpeedLaw::Mackenzie => {
            "; `sound_speed_law: unesco` holds from -2 to 40, 0 to 42 and to 9900 m"
        }
    };
    let mut good = true;
    for (key, value, [low, high], unit) in [
        (
            "temperature_c",
            layer.temperature_c,
            valid.temperature,
            " degrees Celsius",
        ),
        ("salinity_psu", layer.salinity_psu, valid.salinity, ""),
        ("depth_m", layer.depth_m, [0.0, valid.depth], " m"),
    ] {
        if !(low..=high).contains(&value) {
            let text = format!(
                "{}: the law {} holds from {low} to {high}{unit}, found {value}{other}",
                quote(key),
                quote(law.keyword())
            );
            cx.error(layer.at.key_place(key), text);
            good = false;
        }
    }
    good
}

/// Builds the regions of a world.
pub(crate) fn build_regions(files: &NamedMap<RegionConfig>, cx: Context<'_>) -> Vec<Region> {
    let one = |(name, file): (&str, &RegionConfig)| {
        let (key, corners) = match (&file.corners_m, &file.corners_deg) {
            (Some(corners), None) => ("corners_m", corners.clone()),
            (None, Some(corners)) => {
                let plane = grid::tangent_plane(&cx.origin);
                let metres = |[longitude, latitude]: &[f64; 2]| {
                    let angle =
                        |axis: usize, degrees: f64| plane.metres(axis, degrees.to_radians());
                    plane.from_angles([angle(0, *longitude), angle(1, *latitude)])
                };
                ("corners_deg", corners.iter().map(metres).collect())
            }
            _ => {
                let text = format!("{} needs either `corners_m` or `corners_deg`", quote(name));
                return cx.refuse(&file.at.whole, text);
            }
        };
        if corners.len() < 3 {
            let text = format!(
                "{}: expected at least 3 corners, found {}",
                quote(name),
                corners.len()
            );
            return cx.refuse(file.at.key_place(key), text);
        }
        if let Some([i, j]) = crossing_edges(&corners) {
            let text = format!(
                "{}: the edge after corner {} crosses that after corner {}; expected the corners in order around the region",
                quote(name),
                i + 1,
                j + 1
            );
            return cx.refuse(file.at.key_place(key), text);
        }
        let of_water = [
            "density_kg_m3",
            "sound_speed_m_s",
            "temperature_c",
            "level_m",
            "wave_factor",
            "open_to_current",
        ];
        for key in of_water
            .into_iter()
            .filter(|key| file.dry && file.at.has_key(key))
        {
            let text = format!("{} is dry land; expected no {}", quote(name), quote(key));
            cx.error(file.at.key_place(key), text);
        }
        Some(Region {
            name: name.to_string(),
            corners_m: corners,
            density_kg_m3: file.density_kg_m3,
            sound_speed_m_s: file.sound_speed_m_s,
            temperature_c: file.temperature_c,
            level_m: if file.dry { Some(DRY) } else { file.level_m },
            wave_factor: if file.dry { 0.0 } else { file.wave_factor },
            open_to_current: file.open_to_current && !file.dry,
        })
    };
    files.iter().filter_map(one).collect()
}

/// Returns two edges of a polygon that cross, each by the index of its first vertex.
fn crossing_edges(corners: &[[f64; 2]]) -> Option<[usize; 2]> {
    let n = corners.len();
    let edge = |i: usize| [corners[i], corners[(i + 1) % n]];
    let left = |[a, b]: [[f64; 2]; 2], p: [f64; 2]| {
        (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0
    };
    let apart = |e: [[f64; 2]; 2], f: [[f64; 2]; 2]| left(e, f[0]) == left(e, f[1]);
    let pairs = (0..n)
        .flat_map(|i| (i + 2..n).map(move |j| [i, j]))
        .filter(|[i, j]| !(*i == 0 && *j == n - 1));
    let mut crossed =
        pairs.filter(|[i, j]| !apart(edge(*i), edge(*j)) && !apart(edge(*j), edge(*i)));
    crossed.next()
}

/// Builds the terrain of a world, if it is more than a plane.
pub(crate) fn build_terrain(file: &SeabedConfig, cx: Context<'_>) -> Option<Arc<Terrain>> {
    let heights = file.terrain.as_ref()?;
    for key in ["depth_m", "slope_east_north"] {
        if file.at.has_key(key) {
            let text = format!(
                "both `terrain` and {} are given; expected one of them",
                quote(key)
            );
            cx.error(file.at.key_place(key), text);
        }
    }
    if heights.interpolation == Interpolation::Nearest
        || heights.extrapolation != Extrapolation::Clamp
    {
        let text = "terrain is linear between its samples and is constant beyond them; expected no `interpolation` and \
                    no `extrapolation`";
        return cx.refuse(&heights.at.whole, text);
    }
    let grid = grid::read_grid(heights, &cx.origin, &mut cx.problems())?;
    if grid.axes[2].count() > 1 || grid.axes[3].count() > 1 {
        return cx.refuse(
            heights.at.key_place("file"),
            "the file has an axis of depth or time; expected east and north only for `terrain`",
        );
    }
    let terrain = Terrain::new(Arc::new(grid));
    if terrain.is_none() {
        let text =
            "the samples of `terrain` are not evenly spaced, or fewer than two along an axis";
        cx.error(heights.at.key_place("file"), text);
    }
    terrain.map(Arc::new)
}

/// Returns the depth of the water that waves and the tide assume everywhere [m]: the depth of the
/// seabed at the origin or, if the origin is on land, the mean depth of the samples of the terrain
/// below mean sea level.
pub(crate) fn reference_depth(file: &SeabedConfig, terrain: Option<&Terrain>) -> f64 {
    let Some(terrain) = terrain else {
        return file.depth_m;
    };
    let at_origin = -terrain.height(0.0, 0.0);
    if at_origin > 0.0 {
        return at_origin;
    }
    let [nx, ny] = terrain.count();
    let samples = (0..ny).flat_map(|j| (0..nx).map(move |i| -terrain.sample(i, j)));
    let (sum, n) = samples
        .filter(|depth| *depth > 0.0)
        .fold((0.0, 0.0), |(sum, n), depth| (sum + depth, n + 1.0));
    // all land: no waves reach it
    if n > 0.0 { sum / n } else { file.depth_m }
}

/// Builds the tracers of the water.
pub(crate) fn build_tracers(files: &NamedMap<TracerConfig>, cx: Context<'_>) -> Vec<Tracer> {
    let one = |(name, file): (&str, &TracerConfig)| {
        let values = match (&file.profile, &file.grid) {
            (Some(profile), None) => {
                if profile.windows(2).any(|w| w[1][0] <= w[0][0]) {
                    cx.error(
                        file.at.key_place("profile"),
                        format!("{}: expected rising depths", quote(name)),
                    );
                }
                TracerValues::Profile(profile.clone())
            }
            (None, Some(file)) => TracerValues::Grid(Arc::new(grid::read_grid(
                file,
                &cx.origin,
                &mut cx.problems(),
            )?)),
            _ => {
                let text = format!("{} needs either `profile` or `grid`", quote(name));
                return cx.refuse(&file.at.whole, text);
            }
        };
        Some(Tracer {
            name: name.to_string(),
            unit: file.unit.clone(),
            values,
        })
    };
    files.iter().filter_map(one).collect()
}
