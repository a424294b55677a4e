//! Conversion of the currents that are added to the mean current, and of tides.

use crate::build::horizontal_velocity;
use crate::context::Context;
use crate::import::grid;
use crate::keys::WorldConfig;
use crate::keys::grid::GridConfig;
use crate::keys::water::{
    ConstituentConfig, FlowConfig, FlowLawConfig, LevelConstituentConfig, RegionConfig,
};
use merrow_environment::waves::realise;
use merrow_math::Vec3;
use merrow_model::scene::WaveField;
use merrow_model::scene::sea::flow::{Channel, Constituent, Eddy, Flow, FlowLaw, Jet};
use merrow_model::scene::sea::grid::Grid;
use merrow_yaml::error::{did_you_mean, quote, quoted_list};
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

/// Builds the currents that are added to the mean current.
pub(crate) fn build_flows(
    files: &NamedMap<FlowConfig>,
    regions: &NamedMap<RegionConfig>,
    cx: Context<'_>,
) -> Vec<Flow> {
    let one = |(name, file): (&str, &FlowConfig)| {
        let region = file.region.as_ref().and_then(|requested| {
            let names = regions.iter().map(|(name, _)| name);
            cx.find(file.at.key_place("region"), requested, names, |region| {
                format!("no region {region} in this world")
            })
        });
        if let (Some(_), FlowLawConfig::Tidal { .. }) = (&file.region, &file.law) {
            let text = "a tidal flow is the same everywhere; expected no `region`; \
                        `open_to_current: false` on the region excludes it";
            cx.error(file.at.key_place("region"), text);
        }
        Some(Flow {
            name: name.to_string(),
            gain: file.gain,
            region,
            law: build_flow_law(&file.law, cx)?,
        })
    };
    files.iter().filter_map(one).collect()
}

/// Builds the velocity field of a current. Returns `None` after reporting a problem.
fn build_flow_law(file: &FlowLawConfig, cx: Context<'_>) -> Option<FlowLaw> {
    let place = |[x, y]: [f64; 2]| Vec3::new(x, y, 0.0);
    Some(match file {
        FlowLawConfig::Tidal { constituents, .. } => {
            FlowLaw::Tide(build_constituents(constituents, cx)?)
        }
        FlowLawConfig::Jet(keys) => FlowLaw::Jet(Jet {
            velocity: horizontal_velocity(keys.speed_m_s, keys.direction_deg),
            across: left_normal(keys.direction_deg),
            p_W: place(keys.position_m),
            half_width_m: keys.half_width_m,
            decay_depth_m: keys.decay_depth_m.unwrap_or(f64::INFINITY),
        }),
        FlowLawConfig::Channel(keys) => FlowLaw::Channel(Channel {
            velocity: horizontal_velocity(keys.speed_m_s, keys.direction_deg),
            across: left_normal(keys.direction_deg),
            p_W: place(keys.position_m),
            half_width: 0.5 * keys.width_m,
            exponent: keys.exponent,
            bed: keys.bed_depth_m.map(|depth| [depth, keys.bed_exponent]),
        }),
        FlowLawConfig::Eddy(keys) => FlowLaw::Eddy(Eddy {
            angular_velocity_rad_s: keys.angular_velocity_rad_s,
            p_W: place(keys.position_m),
            core_radius_m: keys.core_radius_m,
        }),
        FlowLawConfig::Gridded(keys) => {
            let components = [&keys.east, &keys.north, &keys.up];
            if let [None, None, None] = components {
                let text = "a gridded flow needs at least one of `east`, `north` and `up`";
                cx.error(&keys.at.whole, text);
            }
            FlowLaw::Grid(read_velocity_grids(components, cx)?)
        }
    })
}

/// Reads the velocity components [m/s] that are given: east, north and up. All three are read even
/// if one fails, so that all errors are reported.
fn read_velocity_grids(
    files: [&Option<GridConfig>; 3],
    cx: Context<'_>,
) -> Option<[Option<Arc<Grid>>; 3]> {
    let mut component = |file: &Option<GridConfig>| match file {
        None => Some(None),
        Some(file) => {
            grid::read_grid(file, &cx.origin, &mut cx.problems()).map(|grid| Some(Arc::new(grid)))
        }
    };
    let [east, north, up] = files.map(&mut component);
    Some([east?, north?, up?])
}

/// Builds the tidal constituents of a current. All are built even if one fails, so that all errors
/// are reported.
fn build_constituents(files: &[ConstituentConfig], cx: Context<'_>) -> Option<Vec<Constituent>> {
    let all: Vec<_> = files
        .iter()
        .map(|file| build_constituent(file, cx))
        .collect();
    all.into_iter().collect()
}

/// Returns the horizontal unit vector to the left of the direction `direction_deg` [deg], clockwise
/// from north.
fn left_normal(direction_deg: f64) -> Vec3 {
    let along = horizontal_velocity(1.0, direction_deg);
    Vec3::new(-along.y, along.x, 0.0)
}

/// Builds a tidal constituent of a current. Returns `None` after reporting a problem.
fn build_constituent(file: &ConstituentConfig, cx: Context<'_>) -> Option<Constituent> {
    let omega = constituent_frequency((file.name.as_deref(), file.period_s), &file.at, cx)?;
    let left = left_normal(file.direction_deg);
    Some(Constituent {
        omega,
        major: horizontal_velocity(file.speed_m_s, file.direction_deg),
        minor: left.scale(file.across_speed_m_s),
        lag: file.phase_deg.to_radians(),
    })
}

/// Returns the angular frequency [rad/s] of a constituent from its name or its period.
fn constituent_frequency(
    (name, period_s): (Option<&str>, Option<f64>),
    places: &Places,
    cx: Context<'_>,
) -> Option<f64> {
    let period_s = match (name, period_s) {
        (Some(name), None) => {
            let known = PERIODS_H.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
            if known.is_none() {
                let names = || PERIODS_H.iter().map(|(n, _)| *n);
                let text = format!(
                    "unknown tidal constituent {}; expected one of {}, or its `period_s`{}",
                    quote(name),
                    quoted_list(names()),
                    did_you_mean(name, names())
                );
                cx.error(places.key_place("name"), text);
            }
            known?.1 * 3600.0
        }
        (None, Some(period_s)) => period_s,
        _ => {
            let text = "a tidal constituent needs either its `name` or its `period_s`";
            return cx.refuse(&places.whole, text);
        }
    };
    Some(std::f64::consts::TAU / period_s)
}

/// Builds the tidal level of the water, if the world has one.
pub(crate) fn build_tide(
    file: &WorldConfig,
    depth: f64,
    cx: Context<'_>,
) -> Option<Arc<WaveField>> {
    let tide = file.water.tide.as_ref()?;
    let one = |c: &LevelConstituentConfig| {
        let omega = constituent_frequency((c.name.as_deref(), c.period_s), &c.at, cx)?;
        Some((c.amplitude_m, omega, c.phase_deg.to_radians()))
    };
    let constituents: Vec<_> = tide.constituents.iter().filter_map(one).collect();
    let range: f64 = constituents.iter().map(|(a, ..)| a).sum();
    // terrain may fall dry at low water
    if file.seabed.terrain.is_none() && depth + tide.level_m - range <= 0.0 {
        let text = format!(
            "the water falls to {} m at the origin; expected it above the seabed at {} m",
            tide.level_m - range,
            -depth
        );
        cx.error(&tide.at.whole, text);
    }
    Some(Arc::new(realise::tide_field(
        tide.level_m,
        &constituents,
        depth,
    )))
}
