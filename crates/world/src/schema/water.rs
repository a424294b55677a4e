//! What a world file may say of the water by depth, and of moving water beside the mean current.

use crate::import::grid::declare::GridFile;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A part of the current that is added to the mean.
    pub struct FlowFile {
        /// Factor on its velocity, which can be changed in the run.
        gain: f64 [in 0.0..=100.0] = 1.0,
        /// Region outside which it is still; without it it flows everywhere.
        region: Option<String> [name],
        ..law: FlowLawFile,
    }
}

choice! {
    /// How a part of the current moves. Directions are where the water goes to, clockwise from north.
    pub enum FlowLawFile {
        /// A tide: the same everywhere, periodic in time.
        Tidal = "tidal" {
            /// Its constituents.
            constituents: Vec<ConstituentFile> [not_empty],
        },
        /// A straight stream that falls off to both sides as sech² of the distance from its axis.
        Jet = "jet" {
            /// Speed on its axis at the surface.
            speed_m_s: f64 [non_negative],
            /// Where it goes to, clockwise from north.
            direction_deg: f64 [in -360.0..=360.0],
            /// A point on its axis (east, north).
            position_m: [f64; 2] = [0.0, 0.0],
            /// Distance from the axis at which 42 % of the speed are left.
            half_width_m: f64 [positive],
            /// Depth at which 1/e of the speed is left; without it the speed is the same at all depths.
            decay_depth_m: Option<f64> [positive],
        },
        /// A straight river or canal between two banks; still water beyond them and under its bed.
        Channel = "channel" {
            /// Speed in the middle at the surface.
            speed_m_s: f64 [non_negative],
            /// Where it goes to, clockwise from north.
            direction_deg: f64 [in -360.0..=360.0],
            /// A point in its middle (east, north).
            position_m: [f64; 2] = [0.0, 0.0],
            /// Distance between the banks.
            width_m: f64 [positive],
            /// Exponent k of the profile across, 1 - |n/w|^k: 2 is a parabola, more is fuller.
            exponent: f64 [in 1.0..=100.0] = 2.0,
            /// Depth of its bed; without it the speed is the same at all depths.
            bed_depth_m: Option<f64> [positive],
            /// Exponent of the profile over the bed.
            bed_exponent: f64 [in 0.01..=1.0] = 1.0 / 7.0,
        },
        /// Water that turns about a vertical axis: as a solid body in its core, ever slower outside.
        Eddy = "eddy" {
            /// Angular velocity in its middle, counter-clockwise.
            spin_rad_s: f64,
            /// A point on its axis (east, north).
            position_m: [f64; 2] = [0.0, 0.0],
            /// Radius of its core.
            core_radius_m: f64 [positive],
        },
        /// Velocities [m/s] on grids, which may change with depth and time.
        Gridded = "gridded" {
            /// Velocity towards east.
            east: Option<GridFile>,
            /// Velocity towards north.
            north: Option<GridFile>,
            /// Velocity upwards.
            up: Option<GridFile>,
        },
    }
}

spec! {
    /// The level of the surface, the same everywhere.
    pub struct TideFile {
        /// What the mean level stands over z = 0.
        level_m: f64 [in -100.0..=100.0] = 0.0,
        /// Constituents of its rise and fall.
        constituents: Vec<LevelFile> = Vec::new(),
    }
}

spec! {
    /// A constituent of the tide's level.
    pub struct LevelFile {
        /// Its name, which gives the period: M2, S2, N2, K2, K1, O1, P1, Q1, M4, MS4 or M6. Either this or `period_s`.
        name: Option<String> [not_empty],
        /// Its period.
        period_s: Option<f64> [positive],
        /// Half of what it rises from low to high water.
        amplitude_m: f64 [in 0.0..=20.0],
        /// Phase at which the water is highest; the world starts at phase 0.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
    }
}

spec! {
    /// A constituent of a tide: an ellipse that the velocity runs through once in a period.
    pub struct ConstituentFile {
        /// Its name, which gives the period: M2, S2, N2, K2, K1, O1, P1, Q1, M4, MS4 or M6. Either this or `period_s`.
        name: Option<String> [not_empty],
        /// Its period.
        period_s: Option<f64> [positive],
        /// Largest speed (semi-major axis).
        speed_m_s: f64 [non_negative],
        /// Where the flood goes to, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0],
        /// Speed across, a quarter of a period after the flood (semi-minor axis); positive: the current turns
        /// counter-clockwise.
        across_m_s: f64 = 0.0,
        /// Phase at which the flood is strongest; the world starts at phase 0.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
    }
}

spec! {
    /// The water by depth: linear between the layers, constant beyond them.
    pub struct ColumnFile {
        /// Formula for the speed of sound; the density follows EOS-80.
        sound_speed_law: SoundSpeedLawFile = SoundSpeedLawFile::Unesco,
        /// Layers, from the shallowest down.
        layers: Vec<WaterLayerFile> [not_empty],
        /// Temperature [degrees Celsius] on a grid, instead of the layers'.
        temperature: Option<GridFile>,
        /// Practical salinity on a grid, instead of the layers'.
        salinity: Option<GridFile>,
    }
}

fieldless_choice! {
    /// A formula for the speed of sound.
    pub enum SoundSpeedLawFile {
        /// Chen and Millero's, as UNESCO published it: -2 to 40 degrees, salinity 0 to 42, to 9900 m.
        Unesco = "unesco",
        /// Mackenzie's: 2 to 30 degrees, salinity 25 to 40, to 8000 m.
        Mackenzie = "mackenzie",
    }
}

spec! {
    /// The water at a depth.
    pub struct WaterLayerFile {
        /// Depth.
        depth_m: f64 [non_negative],
        /// Temperature (ITS-90).
        temperature_c: f64,
        /// Practical salinity.
        salinity_psu: f64 [non_negative],
    }
}

spec! {
    /// A part of the sea, seen from above, with water of its own that is the same from top to bottom.
    pub struct RegionFile {
        /// Its corners (east, north), around it; the last is joined to the first.
        corners_m: Option<Vec<[f64; 2]>>,
        /// The same as longitude and latitude, instead of `corners_m`.
        corners_deg: Option<Vec<[f64; 2]>>,
        /// Density: 999 in a river, more in a salt lake.
        density_kg_m3: f64 [in 900.0..=2000.0] = 999.0,
        /// Speed of sound.
        sound_speed_m_s: f64 [in 1000.0..=2000.0] = 1465.0,
        /// Temperature.
        temperature_c: f64 [in -5.0..=60.0] = 15.0,
        /// What its surface stands over z = 0, without tide; if not given it has the sea's level and tide.
        level_m: Option<f64> [in -500.0..=9000.0],
        /// Factor on the height of the world's waves: 0 behind a mole.
        waves: f64 [in 0.0..=10.0] = 1.0,
        /// Whether the world's current flows in it too: the mean, its variation, tides, and flows that name no region.
        open: bool = true,
        /// Dry land: no water stands there, however low it lies.
        dry: bool = false,
    }
}

spec! {
    /// A quantity that the water carries.
    pub struct CarriedFile {
        /// Its unit, for people to read.
        unit: String [not_empty],
        /// Pairs of depth [m] and value, rising depth; linear between, constant beyond.
        profile: Option<Vec<[f64; 2]>> [not_empty],
        /// Its values on a grid, instead of `profile`.
        grid: Option<GridFile>,
    }
}
