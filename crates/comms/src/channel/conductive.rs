//! Electromagnetic waves in water, a conductive medium.
//!
//! # Law
//! ```text
//!   γ = jω √(με - jμσ/ω) = a + jb                                       (1)  docking study, eq. 2.7; [Balanis 2012, ch. 4]
//!   b = ω √(½ με (√(1 + (σ/ωε)²) + 1)),   a = ω μ σ/(2 b)               (2)  from (1)
//!   P_r = P_t p G_t G_r e^(-2 a r)/max(r, 1)^k                          (3)
//!   t = r db/dω = r (½ μ σ a + ω μ ε b)/(a² + b²)                       (4)  from (1)
//! ```
//! (3) with k = 0 is eq. 2.7 of the docking study: a loss of 20 a r/ln 10 decibels. The study
//! prints 20/ln(α(f)).
//!
//! # Symbols
//! γ propagation constant, a attenuation [Np/m], b phase [rad/m] · ω angular frequency · ε
//! permittivity, μ permeability, σ conductivity of the water · P_t, P_r transmitted and received
//! power, p fraction of the maximum power, G_t, G_r antenna gains · r distance · k spreading
//! exponent · t travel time of the envelope (group delay).
//!
//! # Frames
//! World (ENU); directivity in the frame M of each modem.
//!
//! # Limits
//! - Plane waves: the near field of the antennas is not modelled; k approximates it.
//! - The water is homogeneous between the ends. Paths through the air above the surface and through
//!   the seabed are not modelled.
//! - ε, μ and σ do not depend on the frequency.
//!
//! # Checked by
//! crates/comms/tests/radio.rs (V10)

use crate::channel::acoustic::both_gains;
use crate::channel::{Arrival, Ends, doppler};
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_model::scene::comms::medium::ElectromagneticMedium;
use std::f64::consts::{PI, TAU};

/// Permittivity of vacuum [F/m].
pub(crate) const VACUUM_PERMITTIVITY: f64 = 8.854_187_812_8e-12;
/// Permeability of vacuum [H/m].
const VACUUM_PERMEABILITY: f64 = 4.0e-7 * PI;

/// Plane wave in a conductive medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConductiveWave {
    /// Attenuation of the amplitude [Np/m].
    pub attenuation: f64,
    /// Phase constant of the wave [rad/m].
    pub phase: f64,
    /// Group delay per length [s/m].
    pub group_delay: f64,
    /// Angular frequency of the wave [rad/s].
    omega: f64,
}

impl ConductiveWave {
    /// Computes the wave of `frequency` [Hz] in water of `conductivity` [S/m] with the relative
    /// permittivity and permeability `relative` [-]. (2), (4)
    pub fn new(frequency: f64, relative: [f64; 2], conductivity: f64) -> Self {
        let omega = TAU * frequency;
        let permittivity = relative[0] * VACUUM_PERMITTIVITY;
        let permeability = relative[1] * VACUUM_PERMEABILITY;
        let tangent = conductivity / (omega * permittivity);
        let root = (1.0 + tangent * tangent).sqrt();
        let phase = omega * (0.5 * permeability * permittivity * (root + 1.0)).sqrt();
        let attenuation = omega * permeability * conductivity / (2.0 * phase);
        let numerator = 0.5 * permeability * conductivity * attenuation
            + omega * permeability * permittivity * phase;
        Self {
            attenuation,
            phase,
            group_delay: numerator / (attenuation * attenuation + phase * phase),
            omega,
        }
    }

    /// Returns the loss [dB] by attenuation over the distance `r` [m]. (3)
    pub fn loss(&self, r: f64) -> f64 {
        20.0 * std::f64::consts::LOG10_E * self.attenuation * r
    }

    /// Returns the phase velocity of the wave [m/s].
    fn phase_velocity(&self) -> f64 {
        self.omega / self.phase
    }
}

/// Computes the arrival of a signal that propagates as `wave` in water. (3), (4)
pub fn arrival(medium: &ElectromagneticMedium, wave: &ConductiveWave, ends: Ends<'_>) -> Arrival {
    let [source, receiver] = ends.map(|(end, _)| end);
    let chord = receiver.p - source.p;
    let r = chord.norm();
    let direction = chord.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let spreading = libm::pow(r.max(1.0), medium.spreading);
    let isotropic = power(-wave.loss(r)) / spreading;
    Arrival {
        time: r * wave.group_delay,
        gain: isotropic * both_gains(ends, direction, -direction),
        late: 0.0,
        isotropic,
        doppler: doppler(receiver.v - source.v, direction, wave.phase_velocity()),
    }
}
