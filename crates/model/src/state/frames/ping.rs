//! Output of a sonar for one ping.

/// Echoes of one ping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ping {
    /// Sound speed for the conversion of times to ranges [m/s].
    pub sound_speed: f64,
    /// Angle of a rotating head, positive towards starboard [rad].
    pub head: f64,
    /// Ping number since the start.
    pub number: u64,
    /// Echo levels: one row per range bin from the nearest, one value per beam.
    pub levels: Vec<u16>,
    /// One sounding per beam of a sonar with seabed detection.
    pub soundings: Vec<Sounding>,
}

/// Seabed detection of one beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sounding {
    /// Range to the seabed [m]; +inf without a detection.
    pub range: f64,
    /// Level of the echo [dB re 1 µPa].
    pub level: f64,
}
