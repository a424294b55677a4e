//! Scanning lasers as built: where their beams go, when, and how they range.

use crate::math::Vec3;
use crate::math::real::sin_cos;

/// A laser that scans: in a plane, or on several cones.
#[derive(Clone, Debug, PartialEq)]
pub struct LaserSpec {
    /// What comes of it.
    pub output: LaserOutput,
    /// Elevations of the rings over the sensor's xy plane, the lowest first [rad].
    pub elevations: Vec<f64>,
    /// Azimuth of the first column about z, 0 along x [rad].
    pub first_azimuth: f64,
    /// From one column to the next, positive counter-clockwise [rad].
    pub azimuth_step: f64,
    /// Columns of a scan.
    pub columns: usize,
    /// Beams in S, unit vectors, column by column, in a column ring by ring.
    pub directions: Vec<Vec3>,
    /// From the first column to the last [s].
    pub sweep: f64,
    /// Least and greatest range [m].
    pub limits: [f64; 2],
    /// Standard deviation of a range [m].
    pub range_std: f64,
    /// Step of a range [m]; 0 continuous.
    pub resolution: f64,
    /// Part of the beams whose echo is lost for no cause, 0..1.
    pub beam_loss: f64,
    /// Full angle at which a beam widens [rad].
    pub divergence: f64,
    /// Echoes nearer to one another than this are one [m].
    pub pulse_length: f64,
    /// Reflectivity of what is just seen, upright, at the greatest range in clear air.
    pub reference_reflectivity: f64,
    /// Wavelength [m].
    pub wavelength: f64,
    /// Extinction of its light in the water [1/m].
    pub water_extinction: f64,
}

/// The message of a laser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaserOutput {
    /// Ranges of one ring.
    Scan,
    /// Points of all rings.
    Cloud,
}

impl LaserSpec {
    /// Unit vectors of all beams, in the order of [`LaserSpec::directions`].
    pub fn aim(elevations: &[f64], first: f64, step: f64, columns: usize) -> Vec<Vec3> {
        let column = |k: usize| {
            let (sa, ca) = sin_cos(first + k as f64 * step);
            elevations.iter().map(move |elevation| {
                let (se, ce) = sin_cos(*elevation);
                Vec3::new(ce * ca, ce * sa, se)
            })
        };
        (0..columns).flat_map(column).collect()
    }

    /// When column `k` fires, after the first [s].
    pub fn fires(&self, k: usize) -> f64 {
        if self.columns < 2 { 0.0 } else { self.sweep * k as f64 / (self.columns - 1) as f64 }
    }
}
