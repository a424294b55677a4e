//! Air above the water: constant models, and the weather, which can change.

use crate::persist::Persist;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;
use std::sync::Arc;

/// Weather at sea level.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Weather {
    /// Mean wind velocity at the reference height, in W [m/s].
    pub wind: Vec3,
    /// Factor on the gusts [-].
    pub gustiness: f64,
    /// Air temperature at sea level [°C].
    pub temperature_c: f64,
    /// Fraction of the sky covered by clouds, 0..1.
    pub cloud_cover: f64,
    /// Rain rate at the surface [mm/h].
    pub rain_mm_h: f64,
    /// Meteorological visibility [m]; fog is below 1000 m.
    pub visibility_m: f64,
}

/// Air of the world.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Air {
    /// Reference height of the wind [m].
    pub reference_height_m: f64,
    /// Wind profile over height.
    pub shear: Shear,
    /// Spectrum of the gusts.
    pub gusts: Gusts,
    /// Gust components, from low to high frequencies.
    pub components: Arc<[GustComponent]>,
    /// Universal time at the start of the run [s since 1970-01-01].
    pub start_utc: f64,
    /// Default of `start_utc` for a world without a start time [s since 1970-01-01].
    pub default_start_utc: f64,
    /// Weather at the start of the current or last change.
    pub from: Weather,
    /// Weather at the end of that change.
    pub to: Weather,
    /// Start and end time of that change [s].
    pub change: [f64; 2],
}

spec! {
    /// Mean wind speed as a function of height.
    #[derive(Copy, Persist)]
    pub enum Shear plain {
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

    /// Model of the gusts.
    #[derive(Copy, Persist)]
    pub enum Gusts plain {
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

/// One harmonic component of the gusts.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct GustComponent {
    /// Frequency of the component [Hz].
    pub frequency: f64,
    /// Width of its frequency band [Hz].
    pub band: f64,
    /// Factor (172 f)^n of the NPD spectrum.
    pub npd: f64,
    /// Phases along the wind, across it and upwards [rad].
    pub phase: [f64; 3],
}

impl Air {
    /// 12:00 UTC on 2026-03-20 [s since 1970-01-01].
    pub const NOON: f64 = 1_774_008_000.0;
}

impl Default for Air {
    /// Returns the calm, clear air of the International Standard Atmosphere at noon of an equinox.
    fn default() -> Self {
        let weather = Weather {
            wind: Vec3::zero(),
            gustiness: 1.0,
            temperature_c: 15.0,
            cloud_cover: 0.0,
            rain_mm_h: 0.0,
            visibility_m: 50_000.0,
        };
        Self {
            reference_height_m: 10.0,
            shear: Shear::Uniform,
            gusts: Gusts::None,
            components: Arc::new([]),
            start_utc: Self::NOON,
            default_start_utc: Self::NOON,
            from: weather,
            to: weather,
            change: [0.0, 0.0],
        }
    }
}
