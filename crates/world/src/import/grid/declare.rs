//! What a world file says of a grid, and what the head of our own raw format says.

use merrow_model::scene::sea::mapped::Number;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A quantity on a grid, in a file. Without `variable` and names of axes those are taken that are there.
    pub struct GridFile {
        /// The file: NetCDF classic (`.nc`), columns (`.csv`), ESRI ASCII grid (`.asc`), GeoTIFF (`.tif`), or the head of a raw
        /// one (`.yaml`).
        file: String [not_empty],
        /// The variable of a NetCDF file, or the column of a table; without it the only one.
        variable: Option<String> [not_empty],
        /// Unit that the file must say, where it says one.
        unit: Option<String> [not_empty],
        /// Factor from the file's unit to the one meant (such as -1 for depths that are to be heights).
        factor: f64 = 1.0,
        /// What is added then.
        offset: f64 = 0.0,
        /// Its axes.
        axes: AxesFile => "{}",
        /// What holds between the samples.
        between: BetweenFile = BetweenFile::Linear,
        /// What holds beyond the samples.
        outside: OutsideFile = OutsideFile::Clamp,
        /// What is done where the file has no value.
        holes: HolesFile = HolesFile::Refuse,
        /// Value of the holes for `holes: value`.
        hole_value: f64 = 0.0,
    }
}

spec! {
    /// The axes of a grid.
    pub struct AxesFile {
        /// What the horizontal axes count.
        horizontal: HorizontalFile = HorizontalFile::Metres,
        /// Where the world's origin lies on horizontal axes in metres (east, north).
        origin_m: [f64; 2] = [0.0, 0.0],
        /// Name of the axis towards east; without it `x`, `lon`, `longitude` or `easting`.
        x: Option<String> [not_empty],
        /// Name of the axis towards north; without it `y`, `lat`, `latitude` or `northing`.
        y: Option<String> [not_empty],
        /// Name of the vertical axis; without it `depth`, `z`, `height`, `altitude` or `lev`.
        depth: Option<String> [not_empty],
        /// Whether the vertical axis counts downwards or upwards.
        vertical: VerticalFile = VerticalFile::Down,
        /// Name of the axis of time; without it `time` or `t`.
        time: Option<String> [not_empty],
        /// Length of the unit of time.
        time_unit_s: f64 [positive] = 1.0,
        /// Reading of the axis of time when the world starts.
        time_start: f64 = 0.0,
    }
}

fieldless_choice! {
    /// What horizontal axes count.
    pub enum HorizontalFile {
        /// Metres east and north.
        Metres = "metres",
        /// Degrees of longitude and latitude.
        Degrees = "degrees",
    }
}

fieldless_choice! {
    /// Which way a vertical axis counts.
    pub enum VerticalFile {
        /// Depth.
        Down = "down",
        /// Height.
        Up = "up",
    }
}

fieldless_choice! {
    /// What holds between samples.
    pub enum BetweenFile {
        /// Linear along every axis.
        Linear = "linear",
        /// The nearest sample.
        Nearest = "nearest",
    }
}

fieldless_choice! {
    /// What holds beyond the samples.
    pub enum OutsideFile {
        /// The value at the nearest edge.
        Clamp = "clamp",
        /// 0.
        Zero = "zero",
        /// A robot that gets there is stopped.
        Stop = "stop",
    }
}

fieldless_choice! {
    /// What is done with holes.
    pub enum HolesFile {
        /// The file is refused.
        Refuse = "refuse",
        /// They take the value of the nearest sample on the same level and at the same time.
        Nearest = "nearest",
        /// They take `hole_value`.
        Value = "value",
    }
}

spec! {
    /// The head of a raw grid: numbers without any frame in a file beside it.
    pub struct RawFile {
        /// The file with the numbers, beside the head.
        data: String [not_empty],
        /// How a number is stored, lowest byte first.
        number: NumberFile,
        /// Bytes before the first number.
        skip_bytes: u32 = 0,
        /// Axes from the slowest to the fastest.
        axes: Vec<RawAxisFile> [not_empty],
        /// Unit of the quantity.
        unit: Option<String>,
        /// Factor on the numbers stored.
        factor: f64 = 1.0,
        /// What is added then.
        offset: f64 = 0.0,
        /// Number stored where there is no value; NaN is always none.
        void: Option<f64>,
    }
}

spec! {
    /// An axis of a raw grid: evenly spaced, or with all its places.
    pub struct RawAxisFile {
        /// Its name, as in NetCDF files.
        name: String [not_empty],
        /// Place of the first sample.
        start: f64 = 0.0,
        /// Distance between samples.
        step: f64 = 1.0,
        /// How many samples.
        count: Option<u32> [in 1.0..=4000000000.0],
        /// All places, instead of the three above.
        at_each: Option<Vec<f64>> [not_empty],
    }
}

fieldless_choice! {
    /// How a number is stored.
    pub enum NumberFile {
        /// Signed, 8 bits.
        I8 = "i8",
        /// Unsigned, 8 bits.
        U8 = "u8",
        /// Signed, 16 bits.
        I16 = "i16",
        /// Unsigned, 16 bits.
        U16 = "u16",
        /// Signed, 32 bits.
        I32 = "i32",
        /// Single precision.
        F32 = "f32",
        /// Double precision.
        F64 = "f64",
    }
}

impl NumberFile {
    /// As the reader knows it.
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
