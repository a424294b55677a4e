//! Interface between channels and the network: signals of one modem at another modem.

use merrow_model::state::comms::LossCause;

/// Effect of a channel on a signal between two modems.
///
/// Powers are linear, in the reference unit of the medium: µPa² at the receiver for sound, mW for
/// radio waves, W for light.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    pub obstruction: Option<LossCause>,
}

/// Propagation of signals between all pairs of modems of a world.
pub trait Channel {
    /// Computes the signal at modem `to` that modem `from` starts to transmit at `t_ns` [ns] with
    /// `power` [-], a fraction of its maximum power.
    ///
    /// Modems are numbered in the order of the scene.
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation;
}

impl<F: Fn(usize, usize, u64, f64) -> Propagation> Channel for F {
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation {
        self(from, to, t_ns, power)
    }
}
