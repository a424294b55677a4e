//! What a world file may say of waves.

use merrow_yaml::spec::{choice, spec};

choice! {
    /// The waves.
    pub enum WavesFile {
        /// Flat water.
        None = "none",
        /// One sinusoidal wave.
        Regular = "regular" (RegularFile),
        /// Fully developed wind sea; its period follows from its height.
        PiersonMoskowitz = "pierson_moskowitz" (HeightFile),
        /// Wind sea that still grows, with an enhanced peak.
        Jonswap = "jonswap" (JonswapFile),
        /// Wind sea of any height and period.
        Bretschneider = "bretschneider" (PeriodFile),
        /// Wind sea and swell together, simplified form of 2004.
        Torsethaugen = "torsethaugen" (PeriodFile),
        /// A measured spectrum.
        Tabulated = "tabulated" (TabulatedFile),
        /// The whole surface rises and falls as one sine, as in the Kelpie simulator.
        Kelpie = "kelpie" (KelpieFile),
    }
}

spec! {
    /// One sinusoidal wave.
    pub struct RegularFile {
        /// Height from trough to crest.
        height_m: f64 [non_negative],
        /// Period.
        period_s: f64 [in 0.1..=100.0],
        /// Where the wave goes to, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Phase at the world's origin at the start; 0 is a crest.
        phase_deg: f64 [in -360.0..=360.0] = 0.0,
        /// Time in which a change by a parameter takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }
}

spec! {
    /// Which way the waves go, and how they are made.
    pub struct CourseFile {
        /// Where most waves go to, clockwise from north.
        direction_deg: f64 [in -360.0..=360.0] = 0.0,
        /// How much directions differ.
        spreading: SpreadingFile => "{kind: cos2s}",
        /// Waves of which the sea is made.
        components: u32 [in 1.0..=2000.0] = 200,
        /// Shortest wave that is made; 1/64 of the length of the peak's wave if not given.
        shortest_m: Option<f64> [positive],
        /// Time in which a change by a parameter takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }
}

choice! {
    /// How much the directions of waves differ.
    pub enum SpreadingFile {
        /// All go the same way.
        None = "none",
        /// cos^2s of half the angle from the mean direction.
        HalfAngle = "cos2s" {
            /// The exponent s.
            s: f64 [in 0.0..=1000.0] = 10.0,
        },
        /// cos^n of the angle from the mean direction.
        Angle = "cosn" {
            /// The exponent n.
            n: f64 [in 0.0..=1000.0] = 2.0,
        },
    }
}

spec! {
    /// A sea by its height, the wind that raised it, or the Beaufort scale: one of the three.
    pub struct HeightFile {
        /// Significant height.
        hs_m: Option<f64> [non_negative],
        /// Mean wind of the fully developed sea of that height.
        wind_speed_m_s: Option<f64> [in 0.0..=60.0],
        /// Beaufort's number; the height is the scale's for the open sea.
        beaufort: Option<u32> [in 0.0..=12.0],
        ..course: CourseFile,
    }
}

spec! {
    /// A sea by its height and period.
    pub struct PeriodFile {
        /// Period of the spectrum's peak; without it that of a fully developed sea of the height, or of the `fetch_m`.
        tp_s: Option<f64> [in 0.1..=100.0],
        /// Water over which the `wind_speed_m_s` blows: the sea is as high as it raises over that; without it fully developed.
        fetch_m: Option<f64> [positive],
        ..sea: HeightFile,
    }
}

spec! {
    /// A sea by its height, period and peak.
    pub struct JonswapFile {
        /// Height of the peak over Bretschneider's.
        gamma: f64 [in 1.0..=10.0] = 3.3,
        ..sea: PeriodFile,
    }
}

spec! {
    /// A measured spectrum.
    pub struct TabulatedFile {
        /// Angular frequency [rad/s] and density [m² s/rad], by frequency; linear between, nothing beyond.
        spectrum: Vec<[f64; 2]> [not_empty, non_negative],
        ..course: CourseFile,
    }
}

spec! {
    /// Kelpie's surface, by the wind or the Beaufort scale: one of the two.
    pub struct KelpieFile {
        /// Mean wind.
        wind_speed_m_s: Option<f64> [in 0.0..=60.0],
        /// Beaufort's number.
        beaufort: Option<u32> [in 0.0..=12.0],
        /// Period; without it that of a fully developed sea of the height.
        period_s: Option<f64> [in 0.1..=100.0],
        /// Time in which a change by a parameter takes effect.
        ramp_s: f64 [non_negative] = 20.0,
    }
}
