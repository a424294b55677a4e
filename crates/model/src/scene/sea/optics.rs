//! Optical properties of the water.

use crate::persist::Persist;

/// Optical coefficients of the water for red, green and blue light [1/m].
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Optics {
    /// Beam attenuation coefficient c [1/m].
    pub beam: [f64; 3],
    /// Scattering coefficient b [1/m].
    pub scattering: [f64; 3],
    /// Diffuse attenuation coefficient of daylight over depth [1/m].
    pub daylight: [f64; 3],
}

impl Default for Optics {
    /// Returns the Jerlov water type II: open ocean at temperate latitudes.
    fn default() -> Self {
        Self {
            beam: [0.391, 0.189, 0.175],
            scattering: [0.116, 0.121, 0.126],
            daylight: [0.29, 0.084, 0.065],
        }
    }
}
