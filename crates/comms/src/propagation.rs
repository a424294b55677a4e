//! Interface between channels and the network: signals of one modem at another modem.

/// Effect of a channel on a signal between two modems.
///
/// Powers are linear, in the reference unit of the medium: µPa² at the receiver for sound, mW for
/// radio waves, W for light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// Travel time of the signal [ns].
    pub delay_ns: u64,
    /// Received signal power without fading.
    pub mean_power: f64,
    /// Received signal power with fading at the instant of transmission.
    pub power: f64,
    /// Noise power in the band of the receiver.
    pub noise: f64,
    /// Relative frequency shift, positive while the ends approach each other.
    pub doppler: f64,
    /// Cause if no signal is received.
    pub obstruction: Option<Obstruction>,
}

/// Cause for which no signal reaches a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstruction {
    /// Terrain lies between the ends.
    Terrain,
    /// A structure lies between the ends.
    Structure,
    /// A robot lies between the ends.
    Robot,
    /// One end is in the other medium: a transducer in air, an antenna under water.
    Surface,
    /// No refracted ray connects the ends.
    ShadowZone,
    /// The receiver is outside the field of view or the beam of the device.
    OutOfView,
    /// The receiver is outside the maximum range of the device, or the signal excess at its
    /// distance is too low.
    OutOfRange,
    /// No satellite is in view of one end, or an obstacle blocks the path to it.
    NoSatellite,
}

/// Propagation of signals between all pairs of modems of a world.
pub trait Channel {
    /// Computes the signal at modem `to` that modem `from` starts to transmit at `t_ns` [ns] with
    /// `power` [-], a fraction of its maximum power.
    ///
    /// Modems are numbered in the order of the scene.
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation;
}
