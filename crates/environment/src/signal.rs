//! Ranges that modems measure with their signals.
//!
//! # Law
//! ```text
//!   r = c t + e                                      (1)
//! ```
//! # Symbols
//! r range · t measured travel time in one direction · c speed: of sound, the value of the key
//! `sound_speed_m_s` of the water; of electromagnetic waves, 299792458 m/s over the square root of
//! the relative permittivity and permeability; of light in water, 299792458 m/s / 1.34
//! [Mobley 1994] · e error of the range.
//!
//! # Limits
//! The speed does not follow the water column.
//!
//! # Checked by
//! test/ros/checks/modems.py; test/input/devices/moos.rs

use crate::SPEED_OF_LIGHT;
use merrow_model::scene::Scene;
use merrow_model::scene::comms::Modem;
use merrow_model::scene::comms::medium::Medium;
use merrow_model::state::comms::RangeResult;

/// Refractive index of water [-].
const WATER_INDEX: f64 = 1.34;

/// Returns the speed of the signals of a modem that converts times to ranges [m/s].
pub fn signal_speed(scene: &Scene, modem: &Modem) -> f64 {
    match &modem.transceiver.medium {
        Medium::Acoustic(_) => scene.sea.sound_speed,
        Medium::Electromagnetic(m) => {
            SPEED_OF_LIGHT / (m.relative_permittivity * m.relative_permeability).sqrt()
        }
        Medium::Optical(_) => SPEED_OF_LIGHT / WATER_INDEX,
        Medium::Radio(_) | Medium::Satellite(_) => SPEED_OF_LIGHT,
    }
}

/// Returns a measured range with its error [m]. (1)
pub fn measured_range(scene: &Scene, result: &RangeResult) -> f64 {
    let modem = &scene.modems[result.modem as usize];
    signal_speed(scene, modem) * result.travel_time() + result.range_error
}
