//! Channels: signals that arrive at a modem, as pure functions of positions, times, medium and
//! seed.
//!
//! Each law has its own file. [`world::WorldChannel`] selects the law by the medium of the modems
//! and evaluates it for the poses, the sea and the geometry of a running world.

pub mod acoustic;
mod complex;
pub mod conductive;
pub mod diffraction;
pub mod doppler_loss;
pub mod fading;
pub mod horizon;
pub mod multipath;
pub mod optical;
pub mod radio;
pub mod satellite;
pub mod shadowing;
pub mod world;

use merrow_math::{Mat3, Vec3};
use merrow_model::scene::comms::Transceiver;

/// Thermal noise density k T at 290 K [mW/Hz].
const THERMAL_NOISE: f64 = 1.380_649e-23 * 290.0 * 1e3;

/// End of a link at the instant of transmission.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Robot that carries the modem, if any.
    pub robot: Option<usize>,
    /// Position in W [m].
    pub p: Vec3,
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Attitude of the frame M of the modem in W: x is the acoustic axis or boresight.
    pub R_WM: Mat3,
}

/// Transmitter and receiver of a link with their transceivers, in this order.
pub type Ends<'a> = [(&'a End, &'a Transceiver); 2];

/// Signal that arrives over a channel, without fading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrival {
    /// Travel time of the signal [s].
    pub time: f64,
    /// Ratio of the received power to the reference power of the transmitter, with directivity at
    /// both ends, in the unit of the medium.
    pub gain: f64,
    /// Ratio of the power of unusable echoes to the reference power of the transmitter.
    pub late: f64,
    /// Ratio of the received power without directivity to the reference power.
    pub isotropic: f64,
    /// Relative frequency shift, positive while the ends approach each other.
    pub doppler: f64,
}

/// Returns the thermal noise [mW] in a bandwidth [Hz] of a receiver with the noise figure
/// `noise_figure` [dB].
pub(crate) fn thermal_noise(bandwidth: f64, noise_figure: f64) -> f64 {
    THERMAL_NOISE * bandwidth * merrow_math::decibels::power(noise_figure)
}

/// Returns the relative frequency shift of waves of speed `speed` [m/s]. `v` [m/s] is the velocity
/// of the receiver relative to the transmitter, and `to` the unit vector from transmitter to
/// receiver. First order in v/c, one way.
pub(crate) fn doppler(v: Vec3, to: Vec3, speed: f64) -> f64 {
    -v.dot(to) / speed
}
