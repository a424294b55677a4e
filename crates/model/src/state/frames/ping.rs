//! What a sonar brings back of one ping.

/// Echoes of a ping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ping {
    /// Speed of sound by which times became ranges [m/s].
    pub sound_speed: f64,
    /// Angle of a head that turns [rad], towards starboard.
    pub head: f64,
    /// Which ping since the start.
    pub number: u64,
    /// A row per range from the nearest, a number per beam in it.
    pub levels: Vec<u16>,
    /// Of each beam of one that looks for the bottom.
    pub soundings: Vec<Sounding>,
}

/// Where a beam has found the bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sounding {
    /// Range [m]; +inf where it has found none.
    pub range: f64,
    /// Level of the echo [dB re 1 µPa].
    pub level: f64,
}
