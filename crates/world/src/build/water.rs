//! Conversion of the water column, currents, tides, regions and carried quantities.

use crate::build::horizontal_velocity;
use crate::import::grid;
use merrow_environment::seawater;
use merrow_environment::seawater::Validity;
use merrow_environment::water_column;
use merrow_environment::waves::realise;
use merrow_math::Vec3;
use merrow_model::scene::sea::flow::{Channel, Constituent, Eddy, Flow, FlowLaw, Jet};
use merrow_model::scene::sea::grid::Grid;
use merrow_model::scene::sea::terrain::Terrain;
use merrow_model::scene::sea::water::{
    DRY, Region, SoundSpeedLaw, Tracer, TracerValues, WaterColumn,
};
use merrow_model::scene::{Origin, WaveField};
use merrow_schema::grid::{BetweenFile, GridFile, OutsideFile};
use merrow_schema::water::{
    ColumnConfig, ConstituentConfig, FlowConfig, FlowLawConfig, LevelConstituentConfig,
    RegionConfig, SoundSpeedLawConfig, TracerConfig, WaterLayerConfig,
};
use merrow_schema::{SeabedConfig, WorldConfig};
use merrow_yaml::error::{Problems, did_you_mean, quote, quoted_list};
use merrow_yaml::read::{NamedMap, Places};
use std::sync::Arc;

/// Periods of tidal constituents [h]. [Pugh 1987, table 4:1]
const PERIODS_H: [(&str, f64); 11] = [
    ("M2", 12.420_601_2),
    ("S2", 12.0),
    ("N2", 12.658_348_2),
    ("K2", 11.967_234_8),
    ("K1", 23.934_469_6),
    ("O1", 25.819_341_7),
    ("P1", 24.065_890_2),
    ("Q1", 26.868_356_6),
    ("M4", 6.210_300_6),
    ("MS4", 6.103_339_3),
    ("M6", 4.140_200_4),
];

/// Builds the water column, if the world has one.
pub fn build_column(
    file: &WorldConfig,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<WaterColumn> {
    let water = &file.water;
    let column = water.column.as_ref()?;
    for key in ["density_kg_m3", "sound_speed_m_s", "temperature_c"] {
        if water.at.has_key(key) {
            let text = format!(
                "both `column` and {} are given, expected one of them",
                quote(key)
            );
            problems.push(water.at.key_place(key), text);
        }
    }
    if column
        .layers
        .windows(2)
        .any(|w| w[1].depth_m <= w[0].depth_m)
    {
        problems.push(
            column.at.key_place("layers"),
            "the layers are not in order: expected increasing `depth_m`",
        );
        return None;
    }
    let good = column
        .layers
        .iter()
        .filter(|layer| is_valid(column, layer, problems))
        .count();
    if good < column.layers.len() {
        return None;
    }
    let (law, valid) = sound_speed_law(column);
    let deepest = column.layers.last().map_or(0.0, |layer| layer.depth_m);
    let profile: Vec<_> = column
        .layers
        .iter()
        .map(|l| [l.depth_m, l.temperature_c, l.salinity_psu])
        .collect();
    let mut built =
        water_column::build_column(&profile, valid.depth.max(deepest), file.gravity_m_s2, law);
    let mut gridded = |file: &Option<GridFile>, what: &str, range: [f64; 2]| {
        let file = file.as_ref()?;
        let grid = grid::read_grid(file, origin, problems)?;
        let [low, high] = sample_range(&grid);
        if low < range[0] || high > range[1] {
            let text = format!(
                "{what} from {low} to {high}, expected {} to {}, where the law {} holds",
                range[0],
                range[1],
                quote(column.sound_speed_law.word())
            );
            problems.push(file.at.key_place("file"), text);
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

fn sound_speed_law(column: &ColumnConfig) -> (SoundSpeedLaw, &'static Validity) {
    match column.sound_speed_law {
        SoundSpeedLawConfig::Unesco => (SoundSpeedLaw::Unesco, &seawater::UNESCO),
        SoundSpeedLawConfig::Mackenzie => (SoundSpeedLaw::Mackenzie, &seawater::MACKENZIE),
    }
}

/// Returns whether a layer is within the range of validity of the formulas; reports each value that
/// is not.
fn is_valid(column: &ColumnConfig, layer: &WaterLayerConfig, problems: &mut Problems) -> bool {
    let (law, valid) = (column.sound_speed_law, sound_speed_law(column).1);
    let other = match law {
        SoundSpeedLawConfig::Unesco => "",
        SoundSpeedLawConfig::Mackenzie => {
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
                quote(law.word())
            );
            problems.push(layer.at.key_place(key), text);
            good = false;
        }
    }
    good
}

/// Builds the regions of a world.
pub(crate) fn build_regions(
    files: &NamedMap<RegionConfig>,
    origin: &Origin,
    problems: &mut Problems,
) -> Vec<Region> {
    let one = |(name, file): (&str, &RegionConfig)| {
        let (key, corners) = match (&file.corners_m, &file.corners_deg) {
            (Some(corners), None) => ("corners_m", corners.clone()),
            (None, Some(corners)) => {
                let plane = grid::tangent_plane(origin);
                let metres = |[longitude, latitude]: &[f64; 2]| {
                    let angle =
                        |axis: usize, degrees: f64| plane.metres(axis, degrees.to_radians());
                    plane.from_angles([angle(0, *longitude), angle(1, *latitude)])
                };
                ("corners_deg", corners.iter().map(metres).collect())
            }
            _ => {
                let text = format!("{} needs either `corners_m` or `corners_deg`", quote(name));
                problems.push(&file.at.whole, text);
                return None;
            }
        };
        if corners.len() < 3 {
            let text = format!(
                "{}: found {} corners, expected at least 3",
                quote(name),
                corners.len()
            );
            problems.push(file.at.key_place(key), text);
            return None;
        }
        if let Some([i, j]) = crossing_edges(&corners) {
            let text = format!(
                "{}: the edge after corner {} crosses that after corner {}: expected the corners in order around the region",
                quote(name),
                i + 1,
                j + 1
            );
            problems.push(file.at.key_place(key), text);
            return None;
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
            let text = format!("{} is dry land, expected no {}", quote(name), quote(key));
            problems.push(file.at.key_place(key), text);
        }
        Some(Region {
            name: name.to_string(),
            corners,
            density: file.density_kg_m3,
            sound_speed: file.sound_speed_m_s,
            temperature: file.temperature_c,
            level: if file.dry { Some(DRY) } else { file.level_m },
            waves: if file.dry { 0.0 } else { file.wave_factor },
            has_world_current: file.open_to_current && !file.dry,
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
pub(crate) fn build_terrain(
    file: &SeabedConfig,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<Arc<Terrain>> {
    let heights = file.terrain.as_ref()?;
    for key in ["depth_m", "slope_east_north"] {
        if file.at.has_key(key) {
            let text = format!(
                "both `terrain` and {} are given, expected one of them",
                quote(key)
            );
            problems.push(file.at.key_place(key), text);
        }
    }
    if heights.between == BetweenFile::Nearest || heights.outside != OutsideFile::Clamp {
        let text = "terrain is linear between its samples and is constant beyond them: expected no `between` and \
                    no `outside`";
        problems.push(&heights.at.whole, text);
        return None;
    }
    let grid = grid::read_grid(heights, origin, problems)?;
    if grid.axes[2].count() > 1 || grid.axes[3].count() > 1 {
        problems.push(
            heights.at.key_place("file"),
            "terrain neither changes with depth nor with time: expected two axes",
        );
        return None;
    }
    let terrain = Terrain::new(Arc::new(grid));
    if terrain.is_none() {
        let text = "the samples of terrain must be evenly spaced, and at least two along each axis";
        problems.push(heights.at.key_place("file"), text);
    }
    terrain.map(Arc::new)
}

/// Depth of the water that waves and the tide assume everywhere [m]: that of the seabed at the
/// origin or, if the origin is on land, the mean depth of the samples of the terrain below mean sea
/// level.
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

/// Builds the quantities carried by the water.
pub(crate) fn build_tracers(
    files: &NamedMap<TracerConfig>,
    origin: &Origin,
    problems: &mut Problems,
) -> Vec<Tracer> {
    let one = |(name, file): (&str, &TracerConfig)| {
        let values = match (&file.profile, &file.grid) {
            (Some(profile), None) => {
                if profile.windows(2).any(|w| w[1][0] <= w[0][0]) {
                    problems.push(
                        file.at.key_place("profile"),
                        format!("{}: expected rising depths", quote(name)),
                    );
                }
                TracerValues::Profile(profile.clone())
            }
            (None, Some(file)) => {
                TracerValues::Grid(Arc::new(grid::read_grid(file, origin, problems)?))
            }
            _ => {
                let text = format!("{} needs either `profile` or `grid`", quote(name));
                problems.push(&file.at.whole, text);
                return None;
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

/// Builds the currents that are added to the mean current.
pub(crate) fn build_flows(
    files: &NamedMap<FlowConfig>,
    regions: &NamedMap<RegionConfig>,
    origin: &Origin,
    problems: &mut Problems,
) -> Vec<Flow> {
    let one = |(name, file): (&str, &FlowConfig)| {
        let names = || regions.iter().map(|(name, _)| name);
        let region = file
            .region
            .as_ref()
            .and_then(|wanted| names().position(|name| name == wanted));
        if let (Some(wanted), None) = (&file.region, region) {
            let hint = did_you_mean(wanted, names());
            problems.push(
                file.at.key_place("region"),
                format!("no region {} in this world{hint}", quote(wanted)),
            );
        }
        if let (Some(_), FlowLawConfig::Tidal { .. }) = (&file.region, &file.law) {
            let text = "a tidal flow is the same everywhere, expected no `region`; `open_to_current: false` keeps it out of one";
            problems.push(file.at.key_place("region"), text);
        }
        Some(Flow {
            name: name.to_string(),
            gain: file.gain,
            region,
            law: build_flow_law(&file.law, origin, problems)?,
        })
    };
    files.iter().filter_map(one).collect()
}

fn build_flow_law(
    file: &FlowLawConfig,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<FlowLaw> {
    let place = |[x, y]: [f64; 2]| Vec3::new(x, y, 0.0);
    Some(match file {
        FlowLawConfig::Tidal { constituents, .. } => {
            let all: Vec<_> = constituents
                .iter()
                .map(|c| build_constituent(c, problems))
                .collect();
            FlowLaw::Tide(all.into_iter().collect::<Option<_>>()?)
        }
        FlowLawConfig::Jet {
            speed_m_s,
            direction_deg,
            position_m,
            half_width_m,
            decay_depth_m,
            ..
        } => FlowLaw::Jet(Jet {
            velocity: horizontal_velocity(*speed_m_s, *direction_deg),
            across: left_normal(*direction_deg),
            p_W: place(*position_m),
            half_width: *half_width_m,
            decay_depth: decay_depth_m.unwrap_or(f64::INFINITY),
        }),
        FlowLawConfig::Channel {
            speed_m_s,
            direction_deg,
            position_m,
            width_m,
            exponent,
            bed_depth_m,
            bed_exponent,
            ..
        } => FlowLaw::Channel(Channel {
            velocity: horizontal_velocity(*speed_m_s, *direction_deg),
            across: left_normal(*direction_deg),
            p_W: place(*position_m),
            half_width: 0.5 * width_m,
            exponent: *exponent,
            bed: bed_depth_m.map(|depth| [depth, *bed_exponent]),
        }),
        FlowLawConfig::Eddy {
            angular_velocity_rad_s,
            position_m,
            core_radius_m,
            ..
        } => FlowLaw::Eddy(Eddy {
            spin: *angular_velocity_rad_s,
            p_W: place(*position_m),
            core: *core_radius_m,
        }),
        FlowLawConfig::Gridded {
            east,
            north,
            up,
            at,
        } => {
            if let [None, None, None] = [east, north, up] {
                problems.push(
                    &at.whole,
                    "a gridded flow needs at least one of `east`, `north` and `up`",
                );
            }
            let mut component = |file: &Option<GridFile>| match file {
                None => Some(None),
                Some(file) => {
                    grid::read_grid(file, origin, problems).map(|grid| Some(Arc::new(grid)))
                }
            };
            // All three components are read, so that all mistakes are reported.
            let all = [component(east), component(north), component(up)];
            let [east, north, up] = all;
            FlowLaw::Grid([east?, north?, up?])
        }
    })
}

/// Returns the horizontal unit vector to the left of the direction `direction_deg` [deg], clockwise
/// from north.
fn left_normal(direction_deg: f64) -> Vec3 {
    let along = horizontal_velocity(1.0, direction_deg);
    Vec3::new(-along.y, along.x, 0.0)
}

/// Returns the angular frequency [rad/s] of a constituent from its name or its period.
fn constituent_frequency(
    (name, period_s): (Option<&str>, Option<f64>),
    at: &Places,
    problems: &mut Problems,
) -> Option<f64> {
    let period_s = match (name, period_s) {
        (Some(name), None) => {
            let known = PERIODS_H.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
            if known.is_none() {
                let names = || PERIODS_H.iter().map(|(n, _)| *n);
                let text = format!(
                    "unknown tidal constituent {}, expected one of {}, or its `period_s`{}",
                    quote(name),
                    quoted_list(names()),
                    did_you_mean(name, names())
                );
                problems.push(at.key_place("name"), text);
            }
            known?.1 * 3600.0
        }
        (None, Some(period_s)) => period_s,
        _ => {
            let text = "a tidal constituent needs either its `name` or its `period_s`";
            problems.push(&at.whole, text);
            return None;
        }
    };
    Some(std::f64::consts::TAU / period_s)
}

/// Builds the tidal level of the water, if the world has one.
pub(crate) fn build_tide(
    file: &WorldConfig,
    depth: f64,
    problems: &mut Problems,
) -> Option<Arc<WaveField>> {
    let tide = file.water.tide.as_ref()?;
    let one = |c: &LevelConstituentConfig, problems: &mut Problems| {
        let omega = constituent_frequency((c.name.as_deref(), c.period_s), &c.at, problems)?;
        Some((c.amplitude_m, omega, c.phase_deg.to_radians()))
    };
    let constituents: Vec<_> = tide
        .constituents
        .iter()
        .filter_map(|c| one(c, problems))
        .collect();
    let range: f64 = constituents.iter().map(|(a, ..)| a).sum();
    // terrain may fall dry at low water
    if file.seabed.terrain.is_none() && depth + tide.level_m - range <= 0.0 {
        let text = format!(
            "the water falls to {} m at the origin, expected it above the seabed at {} m",
            tide.level_m - range,
            -depth
        );
        problems.push(&tide.at.whole, text);
    }
    Some(Arc::new(realise::tide_field(
        tide.level_m,
        &constituents,
        depth,
    )))
}

fn build_constituent(file: &ConstituentConfig, problems: &mut Problems) -> Option<Constituent> {
    let omega = constituent_frequency((file.name.as_deref(), file.period_s), &file.at, problems)?;
    let left = left_normal(file.direction_deg);
    Some(Constituent {
        omega,
        major: horizontal_velocity(file.speed_m_s, file.direction_deg),
        minor: left.scale(file.across_speed_m_s),
        lag: file.phase_deg.to_radians(),
    })
}
