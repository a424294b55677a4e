//! What a world file may say of the air and the weather, and a body of its sides to the wind.

use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// The air: its laws, which hold for the whole run.
    pub struct AirFile {
        /// Height at which the wind is given.
        reference_height_m: f64 [in 0.1..=500.0] = 10.0,
        /// How the mean wind changes with height.
        shear: ShearFile => "{kind: power}",
        /// How the wind varies.
        gusts: GustsFile => "{kind: none}",
    }
}

choice! {
    /// Mean wind over height.
    pub enum ShearFile {
        /// The same at all heights.
        Uniform = "uniform",
        /// A power of the height.
        Power = "power" {
            /// Exponent: 0.11 over the open sea, 0.14 to 0.2 over land.
            exponent: f64 [in 0.0..=1.0] = 0.11,
        },
        /// A logarithm of the height.
        Log = "log" {
            /// Roughness length: 0.0002 m over the open sea, 0.03 m over grass.
            roughness_m: f64 [in 1e-6..=10.0] = 0.0002,
        },
    }
}

choice! {
    /// Gusts.
    pub enum GustsFile {
        /// None.
        None = "none",
        /// The spectrum of the Norwegian Petroleum Directorate for the open sea.
        Npd = "npd",
        /// Dryden's spectra.
        Dryden = "dryden" {
            /// Standard deviation along the wind, across it and upwards.
            std_m_s: [f64; 3] [non_negative],
            /// Scale lengths of the three.
            length_m: [f64; 3] [positive] = [200.0, 200.0, 50.0],
        },
    }
}

spec! {
    /// The weather at the start.
    pub struct WeatherFile {
        /// Date and universal time at the start of the world; noon by the sun at the origin on 2026-03-20 if not given.
        start_utc: Option<String> [not_empty],
        /// Mean wind at the reference height.
        wind_speed_m_s: f64 [in 0.0..=100.0] = 0.0,
        /// Where the wind comes from, clockwise from north.
        wind_from_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Factor on the gusts.
        gustiness: f64 [in 0.0..=10.0] = 1.0,
        /// Temperature of the air at sea level.
        temperature_c: f64 [in -60.0..=60.0] = 15.0,
        /// Part of the sky that clouds cover.
        cloud_cover: f64 [fraction] = 0.0,
        /// Rain.
        rain_mm_h: f64 [in 0.0..=500.0] = 0.0,
        /// Meteorological visibility; fog is below 1000 m.
        visibility_m: f64 [in 1.0..=100000.0] = 50000.0,
    }
}

spec! {
    /// What a body offers to the wind.
    pub struct WindLoadFile {
        /// Areas seen along x, y and z of the body, above the water when it floats.
        area_m2: [f64; 3] [non_negative],
        /// Drag coefficients of the three.
        drag: [f64; 3] [non_negative] = [1.0, 1.0, 1.0],
        /// Point at which the wind acts; of a ship the centroid of its side.
        center_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Coefficients of a ship over the angle of the wind, instead of `drag`.
        blendermann: Option<BlendermannFile>,
        /// How it acts without these.
        law: WindLawFile = WindLawFile::Drag,
    }
}

spec! {
    /// Blendermann's coefficients of a kind of ship.
    pub struct BlendermannFile {
        /// Drag coefficient of the side.
        side_drag: f64 [positive],
        /// Drag coefficient of the front, on the front's area.
        head_drag: f64 [positive],
        /// Drag coefficient of the stern, on the front's area.
        stern_drag: f64 [positive],
        /// Cross-force parameter.
        delta: f64 [fraction],
        /// Height at which the side force acts over the height of the centroid.
        roll_factor: f64 [positive] = 1.1,
        /// Length over all.
        length_m: f64 [positive],
    }
}

fieldless_choice! {
    /// How the wind acts on a body.
    pub enum WindLawFile {
        /// Drag, by the velocity of the air relative to the body.
        Drag = "drag",
        /// Kelpie's: a steady horizontal force by the wind itself, ahead and to the left, whatever the body does.
        Kelpie = "kelpie",
    }
}
