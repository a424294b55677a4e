//! The air over the water: its laws, which do not change, and the weather, which does.

use merrow_math::Vec3;
use std::sync::Arc;

/// What the weather is like at sea level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weather {
    /// Mean velocity of the air at the reference height, in W [m/s].
    pub wind: Vec3,
    /// Factor on the gusts.
    pub gustiness: f64,
    /// Temperature of the air [°C].
    pub temperature: f64,
    /// Part of the sky that clouds cover, 0..1.
    pub cloud_cover: f64,
    /// Rain [mm/h].
    pub rain: f64,
    /// Meteorological visibility [m]; fog is below 1000 m.
    pub visibility: f64,
}

/// The air of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Air {
    /// Height at which the wind is given [m].
    pub reference_height: f64,
    /// How the wind changes with height.
    pub shear: Shear,
    /// How it varies.
    pub gusts: Gusts,
    /// Components of the gusts, from low to high frequencies.
    pub components: Arc<[GustComponent]>,
    /// Universal time at the start of the world [s since 1970-01-01].
    pub start_utc: f64,
    /// That of a world which does not state it [s since 1970-01-01].
    pub untold_utc: f64,
    /// Weather at the start of the change that is under way, or was the last.
    pub from: Weather,
    /// Weather at its end.
    pub to: Weather,
    /// Start and end of the change [s].
    pub change: [f64; 2],
}

/// Mean wind over height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shear {
    /// The same at all heights.
    Uniform,
    /// A power of the height.
    Power {
        /// Exponent.
        exponent: f64,
    },
    /// A logarithm of the height.
    Log {
        /// Roughness length [m].
        roughness: f64,
    },
}

/// Spectrum of the gusts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gusts {
    /// None.
    None,
    /// Norwegian Petroleum Directorate's, along the wind, for the sea.
    Npd,
    /// Dryden's, along, across and upwards.
    Dryden {
        /// Standard deviation of each [m/s].
        std: [f64; 3],
        /// Scale length of each [m].
        length: [f64; 3],
    },
}

/// One harmonic of the gusts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GustComponent {
    /// Frequency [Hz].
    pub frequency: f64,
    /// Width of the band that it stands for [Hz].
    pub band: f64,
    /// (172 f)^n of NPD's spectrum.
    pub npd: f64,
    /// Phases along, across and upwards [rad].
    pub phase: [f64; 3],
}

impl Air {
    /// Noon of 2026-03-20 in universal time [s since 1970-01-01].
    pub const NOON: f64 = 1_774_008_000.0;
}

impl Default for Air {
    /// Still air of the International Standard Atmosphere at noon of an equinox, clear.
    fn default() -> Self {
        let weather = Weather {
            wind: Vec3::zero(),
            gustiness: 1.0,
            temperature: 15.0,
            cloud_cover: 0.0,
            rain: 0.0,
            visibility: 50_000.0,
        };
        Self {
            reference_height: 10.0,
            shear: Shear::Uniform,
            gusts: Gusts::None,
            components: Arc::new([]),
            start_utc: Self::NOON,
            untold_utc: Self::NOON,
            from: weather,
            to: weather,
            change: [0.0, 0.0],
        }
    }
}
