//! Keys of the air and the weather, and of the wind load on a body.

use merrow_yaml::spec::{choice, spec};

spec! {
    /// Wind profile and gust model. They are constant during a run.
    pub struct AirConfig {
        /// Height above the surface at which the wind speed is given.
        reference_height_m: f64 [in 0.1..=500.0] = 10.0,
        /// Change of the mean wind with height.
        shear: ShearConfig => "{kind: power}",
        /// Model of the gusts.
        gusts: GustsConfig => "{kind: none}",
    }
}

choice! {
    /// Mean wind speed as a function of height.
    pub enum ShearConfig {
        /// The same speed at all heights.
        Uniform = "uniform",
        /// Power law of the height.
        Power = "power" {
            /// Exponent: 0.11 over the open sea, 0.14 to 0.2 over land.
            exponent: f64 [in 0.0..=1.0] = 0.11,
        },
        /// Logarithmic law of the height.
        Log = "log" {
            /// Roughness length: 0.0002 m over the open sea, 0.03 m over grass.
            roughness_m: f64 [in 1e-6..=10.0] = 0.0002,
        },
    }
}

choice! {
    /// Model of the gusts.
    pub enum GustsConfig {
        /// Steady wind without gusts.
        None = "none",
        /// Spectrum of the Norwegian Petroleum Directorate for the open sea.
        Npd = "npd",
        /// Gusts with Dryden spectra.
        Dryden = "dryden" {
            /// Standard deviation along the wind, across it and upwards.
            std_m_s: [f64; 3] [non_negative],
            /// Scale lengths along the wind, across it and upwards.
            length_m: [f64; 3] [positive] = [200.0, 200.0, 50.0],
        },
    }
}

spec! {
    /// Weather at the start of the run.
    pub struct WeatherConfig {
        /// Date and universal time at the start of the run, such as `2026-06-21T09:30:00Z`.
        /// Default: solar noon at the origin on 2026-03-20.
        start_utc: Option<String> [not_empty],
        /// Mean wind speed at the reference height.
        wind_speed_m_s: f64 [in 0.0..=100.0] = 0.0,
        /// Direction that the wind comes from, clockwise from north.
        wind_from_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Factor on the gusts.
        gustiness: f64 [in 0.0..=10.0] = 1.0,
        /// Air temperature at sea level.
        temperature_c: f64 [in -60.0..=60.0] = 15.0,
        /// Fraction of the sky that is covered by clouds.
        cloud_cover: f64 [fraction] = 0.0,
        /// Rain rate at the surface.
        rain_mm_h: f64 [in 0.0..=500.0] = 0.0,
        /// Meteorological visibility; fog is below 1000 m.
        visibility_m: f64 [in 1.0..=100000.0] = 50000.0,
    }
}
