//! Declares the world file keys of a grid, and the keys of the header of Merrow's raw grid format.

use merrow_model::scene::sea::grid::{Extrapolation, Interpolation};
use merrow_model::scene::sea::mapped::Number;
use merrow_yaml::spec::spec;

spec! {
    /// A quantity on a grid, read from a file. Without `variable` and axis names, the variable and
    /// axes of the file are detected.
    pub struct GridConfig {
        /// The file: NetCDF (`.nc`), a table with columns (`.csv`), an ESRI ASCII grid
        /// (`.asc`), a GeoTIFF (`.tif`), or the header of a raw grid (`.yaml`).
        file: String [not_empty],
        /// The variable of a NetCDF file, or the column of a table. Not needed if there is only
        /// one.
        variable: Option<String> [not_empty],
        /// Expected unit. A file that states another unit is an error.
        unit: Option<String> [not_empty],
        /// Factor from the unit of the file to the unit of the quantity (for example -1 to turn
        /// depths into heights).
        factor: f64 = 1.0,
        /// Value added after applying `factor`.
        offset: f64 = 0.0,
        /// Axes of the grid.
        axes: GridAxesConfig => "{}",
        /// Interpolation between the samples.
        interpolation: Interpolation = Interpolation::Linear,
        /// Value beyond the samples.
        extrapolation: Extrapolation = Extrapolation::Clamp,
        /// Treatment of samples without a value.
        holes: HolesConfig = HolesConfig::Reject,
        /// Value of the missing samples with `holes: value`.
        hole_value: f64 = 0.0,
    }

    /// The axes of a grid.
    pub struct GridAxesConfig {
        /// Unit of the horizontal axes.
        horizontal: HorizontalUnitConfig = HorizontalUnitConfig::Metres,
        /// Position of the world's origin on horizontal axes in metres (east, north).
        origin_m: [f64; 2] = [0.0, 0.0],
        /// Name of the eastward axis. Default: `x`, `lon`, `longitude` or `easting`.
        x: Option<String> [not_empty],
        /// Name of the northward axis. Default: `y`, `lat`, `latitude` or `northing`.
        y: Option<String> [not_empty],
        /// Name of the vertical axis. Default: `depth`, `z`, `height`, `altitude` or `lev`.
        depth: Option<String> [not_empty],
        /// Positive direction of the vertical axis: down or up.
        vertical: VerticalDirectionConfig = VerticalDirectionConfig::Down,
        /// Name of the time axis. Default: `time` or `t`.
        time: Option<String> [not_empty],
        /// Length of one unit of the time axis.
        time_unit_s: f64 [positive] = 1.0,
        /// Value of the time axis at the start of the simulation, in units of that axis.
        time_start: f64 = 0.0,
    }

    /// Unit of the horizontal axes.
    pub enum HorizontalUnitConfig words {
        /// Metres east and north.
        Metres = "metres",
        /// Degrees of longitude and latitude.
        Degrees = "degrees",
    }

    /// Positive direction of the vertical axis.
    pub enum VerticalDirectionConfig words {
        /// The axis is a depth.
        Down = "down",
        /// The axis is a height.
        Up = "up",
    }

    /// Treatment of samples without a value.
    pub enum HolesConfig words {
        /// The file is rejected.
        Reject = "reject",
        /// They have the value of the nearest sample at the same level and time.
        Nearest = "nearest",
        /// Holes have the value of `hole_value`.
        Value = "value",
    }

    /// Header of a raw grid. The numbers are in a separate binary file without any structure.
    pub struct RawGridConfig {
        /// The file with the numbers, relative to the folder of the header.
        data: String [not_empty],
        /// Storage format of a number, little-endian.
        number: NumberFormatConfig,
        /// Number of bytes before the first number.
        skip_bytes: u32 = 0,
        /// Axes from the slowest to the fastest varying.
        axes: Vec<RawAxisConfig> [not_empty],
        /// Unit of the quantity.
        unit: Option<String>,
        /// Factor applied to the stored numbers.
        factor: f64 = 1.0,
        /// Value added after applying `factor`.
        offset: f64 = 0.0,
        /// Stored number that marks a missing value. NaN always does.
        missing_value: Option<f64>,
    }

    /// An axis of a raw grid: evenly spaced, or with a list of coordinates.
    pub struct RawAxisConfig {
        /// Name of the axis, as in NetCDF files.
        name: String [not_empty],
        /// Coordinate of the first sample.
        start: f64 = 0.0,
        /// Distance between neighbouring samples.
        step: f64 = 1.0,
        /// Number of samples along the axis.
        count: Option<u32> [in 1.0..=4000000000.0],
        /// Coordinates of all samples, instead of `start`, `step` and `count`.
        coordinates: Option<Vec<f64>> [not_empty],
    }

    /// Storage format of a number.
    pub enum NumberFormatConfig words {
        /// Signed integer, 8 bits.
        I8 = "i8",
        /// Unsigned integer, 8 bits.
        U8 = "u8",
        /// Signed integer, 16 bits.
        I16 = "i16",
        /// Unsigned integer, 16 bits.
        U16 = "u16",
        /// Signed integer, 32 bits.
        I32 = "i32",
        /// Floating point, single precision.
        F32 = "f32",
        /// Floating point, double precision.
        F64 = "f64",
    }
}

impl NumberFormatConfig {
    /// Returns the number type used by the reader of mapped files.
    pub fn number(self) -> Number {
        match self {
            Self::I8 => Number::I8,
            Self::U8 => Number::U8,
            Self::I16 => Number::I16,
            Self::U16 => Number::U16,
            Self::I32 => Number::I32,
            Self::F32 => Number::F32,
            Self::F64 => Number::F64,
        }
    }
}
