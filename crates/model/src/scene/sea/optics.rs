//! What water does to light.

/// Coefficients of the water for red, green and blue light [1/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optics {
    /// Attenuation of a beam.
    pub beam: [f64; 3],
    /// Scattering.
    pub scattering: [f64; 3],
    /// Attenuation of daylight with depth.
    pub daylight: [f64; 3],
}

impl Default for Optics {
    /// Jerlov's type II, of the open ocean in temperate latitudes.
    fn default() -> Self {
        Self {
            beam: [0.391, 0.189, 0.175],
            scattering: [0.116, 0.121, 0.126],
            daylight: [0.29, 0.084, 0.065],
        }
    }
}
