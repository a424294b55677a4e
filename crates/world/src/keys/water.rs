//! Keys of the water: currents, water column, tides, regions and tracers.

use crate::keys::grid::GridConfig;
use crate::keys::waves::WavesConfig;
use crate::sensor::camera::OpticsConfig;
use merrow_model::scene::sea::GaussMarkov;
use merrow_model::scene::sea::water::SoundSpeedLaw;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// Water of the world.
    pub struct WaterConfig {
        /// Density of the water; 0 for a world in air.
        density_kg_m3: f64 [in 0.0..=2000.0] = 1025.0,
        /// Speed of sound in the water.
        sound_speed_m_s: f64 [in 1000.0..=2000.0] = 1500.0,
        /// Temperature of the water.
        temperature_c: f64 [in -5.0..=60.0] = 15.0,
        /// Temperature and salinity as functions of depth, from which density, speed of sound and
        /// pressure are computed. Replaces the three keys above.
        column: Option<ColumnConfig>,
        /// Areas with their own water, by name, such as rivers, lakes and harbours. Where areas
        /// overlap, the first applies.
        regions: NamedMap<RegionConfig> = NamedMap::default(),
        /// Tracers of the water, by name, such as turbidity or chlorophyll.
        tracers: NamedMap<TracerConfig> = NamedMap::default(),
        /// Absorption and scattering of light in the water.
        optics: OpticsConfig => "{}",
        /// Atmospheric pressure at the water surface.
        air_pressure_pa: f64 [in 10000.0..=200000.0] = 101325.0,
        /// Mean current of the water.
        current: CurrentConfig => "{kind: none}",
        /// Random variation of the current. Default: none.
        variation: Option<GaussMarkov>,
        /// Additional currents by name, such as tides, jets and eddies, which are added to the mean
        /// current.
        flows: NamedMap<FlowConfig> = NamedMap::default(),
        /// Level of the water surface: offset from z = 0 and tidal variation. Default: constant at
        /// z = 0.
        tide: Option<TideConfig>,
        /// Waves on the water surface.
        waves: WavesConfig => "{kind: none}",
    }

    /// Mean current. Directions are where the water flows to, clockwise from north.
    pub enum CurrentConfig {
        /// The water is at rest.
        None = "none",
        /// The same velocity everywhere.
        Uniform = "uniform" {
            /// Horizontal speed of the current.
            speed_m_s: f64 [non_negative],
            /// Direction of flow, clockwise from north.
            direction_deg: f64 [in -360.0..=360.0] = 0.0,
            /// Vertical velocity, positive upwards.
            up_m_s: f64 = 0.0,
        },
        /// Velocity as a function of depth: linear between the given depths, constant above the
        /// first and below the last.
        Profile = "profile" {
            /// Layers with increasing depth.
            layers: Vec<CurrentLayerConfig> [not_empty],
        },
    }

    /// Current at one depth.
    pub struct CurrentLayerConfig {
        /// Depth below z = 0.
        depth_m: f64 [non_negative],
        /// Horizontal speed of the current.
        speed_m_s: f64 [non_negative],
        /// Direction of flow, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
    }

    /// A current that is added to the mean current.
    pub struct FlowConfig {
        /// Factor on its velocity; can be changed during a run.
        gain: f64 [in 0.0..=100.0] = 1.0,
        /// Region outside which the velocity is zero. Default: everywhere.
        region: Option<String> [name],
        ..law: FlowLawConfig,
    }

    /// Velocity field of a current. Directions are where the water flows to, clockwise from north.
    pub enum FlowLawConfig {
        /// Tidal current: uniform in space, periodic in time.
        Tidal = "tidal" {
            /// Tidal constituents of the current.
            constituents: Vec<ConstituentConfig> [not_empty],
        },
        /// A straight jet whose speed decreases to both sides as sech² of the distance from its
        /// axis.
        Jet = "jet" (JetConfig),
        /// A straight river or canal between two banks; no flow beyond the banks and below the bed.
        Channel = "channel" (ChannelConfig),
        /// An eddy about a vertical axis: solid-body rotation in its core, decreasing velocity
        /// outside.
        Eddy = "eddy" (EddyConfig),
        /// Velocities [m/s] on grids, which may depend on depth and time.
        Gridded = "gridded" (GriddedFlowConfig),
    }

    /// A straight jet whose speed decreases to both sides as sech² of the distance from its
    /// axis.
    pub struct JetConfig {
        /// Speed on the axis at the surface.
        speed_m_s: f64 [non_negative],
        /// Direction of flow, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0],
        /// A point on the axis (east, north).
        position_m: [f64; 2] = [0.0, 0.0],
        /// Distance from the axis at which the speed is 42 % of that on the axis.
        half_width_m: f64 [positive],
        /// Depth at which the speed is 1/e of that at the surface. Default: the same speed at
        /// all depths.
        decay_depth_m: Option<f64> [positive],
    }

    /// A straight river or canal between two banks; no flow beyond the banks and below the bed.
    pub struct ChannelConfig {
        /// Speed at the centre line at the surface.
        speed_m_s: f64 [non_negative],
        /// Direction of flow, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0],
        /// A point on the centre line (east, north).
        position_m: [f64; 2] = [0.0, 0.0],
        /// Distance between the banks.
        width_m: f64 [positive],
        /// Exponent k of the lateral profile 1 - |n/w|^k, with n the distance from the centre
        /// line and w half the width. 2 is a parabola; a larger value gives a fuller profile.
        exponent: f64 [in 1.0..=100.0] = 2.0,
        /// Depth of the bed. Default: the same speed at all depths.
        bed_depth_m: Option<f64> [positive],
        /// Exponent of the velocity profile above the bed.
        bed_exponent: f64 [in 0.01..=1.0] = 1.0 / 7.0,
    }

    /// An eddy about a vertical axis: solid-body rotation in its core, decreasing velocity
    /// outside.
    pub struct EddyConfig {
        /// Angular velocity at the centre, positive counter-clockwise.
        angular_velocity_rad_s: f64,
        /// A point on the axis (east, north).
        position_m: [f64; 2] = [0.0, 0.0],
        /// Radius of the core.
        core_radius_m: f64 [positive],
    }

    /// Velocities [m/s] on grids, which may depend on depth and time.
    pub struct GriddedFlowConfig {
        /// Velocity component towards east.
        east: Option<GridConfig>,
        /// Velocity component towards north.
        north: Option<GridConfig>,
        /// Vertical velocity, positive upwards.
        up: Option<GridConfig>,
    }

    /// Level of the water surface, uniform in space.
    pub struct TideConfig {
        /// Mean level above z = 0.
        level_m: f64 [in -100.0..=100.0] = 0.0,
        /// Tidal constituents of the level.
        constituents: Vec<LevelConstituentConfig> = Vec::new(),
    }

    /// A tidal constituent of the water level.
    pub struct LevelConstituentConfig {
        /// Name of the constituent, which gives the period: M2, S2, N2, K2, K1, O1, P1, Q1, M4, MS4
        /// or M6. Give either `name` or `period_s`.
        name: Option<String> [not_empty],
        /// Period of the constituent.
        period_s: Option<f64> [positive],
        /// Amplitude: half the difference between low and high water.
        amplitude_m: f64 [in 0.0..=20.0],
        /// Phase of high water; the world starts at phase 0.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
    }

    /// A constituent of a tidal current: an ellipse that the velocity describes once per period.
    pub struct ConstituentConfig {
        /// Name of the constituent, which gives the period: M2, S2, N2, K2, K1, O1, P1, Q1, M4, MS4
        /// or M6. Give either `name` or `period_s`.
        name: Option<String> [not_empty],
        /// Period of the constituent.
        period_s: Option<f64> [positive],
        /// Maximum speed (semi-major axis).
        speed_m_s: f64 [non_negative],
        /// Direction of flow of the flood, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0],
        /// Speed across, a quarter of a period after the flood (semi-minor axis). Positive for a
        /// counter-clockwise rotation.
        across_speed_m_s: f64 = 0.0,
        /// Phase of the strongest flood; the world starts at phase 0.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
    }

    /// Water properties as functions of depth: linear between the layers, constant above the first
    /// and below the last.
    pub struct ColumnConfig {
        /// Formula for the speed of sound. The density follows EOS-80.
        sound_speed_law: SoundSpeedLaw = SoundSpeedLaw::Unesco,
        /// Layers with increasing depth.
        layers: Vec<WaterLayerConfig> [not_empty],
        /// Temperature [degrees Celsius] on a grid, instead of the temperature of the layers.
        temperature: Option<GridConfig>,
        /// Practical salinity on a grid, instead of the salinity of the layers.
        salinity: Option<GridConfig>,
    }

    /// Water at one depth.
    pub struct WaterLayerConfig {
        /// Depth below the surface.
        depth_m: f64 [non_negative],
        /// Temperature of the water (ITS-90).
        temperature_c: f64,
        /// Practical salinity of the water.
        salinity_psu: f64 [non_negative],
    }

    /// A horizontal area of the sea with its own water, uniform over the depth.
    pub struct RegionConfig {
        /// Vertices of the polygon (east, north), in order. The last is connected to the first.
        corners_m: Option<Vec<[f64; 2]>>,
        /// Vertices of the polygon as longitude and latitude, instead of `corners_m`.
        corners_deg: Option<Vec<[f64; 2]>>,
        /// Density: 999 in a river, more in a salt lake.
        density_kg_m3: f64 [in 900.0..=2000.0] = 999.0,
        /// Speed of sound in the region.
        sound_speed_m_s: f64 [in 1000.0..=2000.0] = 1465.0,
        /// Temperature of the region.
        temperature_c: f64 [in -5.0..=60.0] = 15.0,
        /// Level of its surface above z = 0, without tide. Default: the level and tide of the sea.
        level_m: Option<f64> [in -500.0..=9000.0],
        /// Factor on the height of the waves of the world; 0 behind a breakwater.
        wave_factor: f64 [in 0.0..=10.0] = 1.0,
        /// Whether the current of the world also flows in the region: the mean, its variation,
        /// tides, and flows without a region.
        open_to_current: bool = true,
        /// Whether the region is dry land: it contains no water regardless of its height.
        dry: bool = false,
    }

    /// A tracer: a quantity that the water transports.
    pub struct TracerConfig {
        /// Unit of the quantity, for display only.
        unit: String [not_empty],
        /// Pairs of depth [m] and value, by increasing depth: linear between them, constant above
        /// the first and below the last.
        profile: Option<Vec<[f64; 2]>> [not_empty],
        /// Values on a grid, instead of `profile`.
        grid: Option<GridConfig>,
    }
}
