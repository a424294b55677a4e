//! Scanning lasers as built: where their beams go, when, and how they range.

use merrow_math::real::sin_cos;
use merrow_math::{Mat3, Vec3};

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
    /// The unit that nods it, if one does; the sensor's place is then that of the unit.
    pub tilt: Option<Tilt>,
}

/// A unit that nods a laser or tilts a sonar about y, to and fro at a constant speed; positive angles look down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    /// Least and greatest angle [rad].
    pub limits: [f64; 2],
    /// Time to and fro [ns].
    pub period_ns: u64,
}

impl Tilt {
    /// Angle at an instant [rad]; the least at time 0.
    pub fn angle(&self, time_ns: u64) -> f64 {
        let part = (time_ns % self.period_ns) as f64 / self.period_ns as f64;
        let up = if part < 0.5 {
            2.0 * part
        } else {
            2.0 - 2.0 * part
        };
        self.limits[0] + (self.limits[1] - self.limits[0]) * up
    }

    /// Its speed then [rad/s].
    pub fn speed(&self, time_ns: u64) -> f64 {
        let speed = 2e9 * (self.limits[1] - self.limits[0]) / self.period_ns as f64;
        if 2 * (time_ns % self.period_ns) < self.period_ns {
            speed
        } else {
            -speed
        }
    }

    /// Axes of the sensor in those of the unit at an instant.
    pub fn axes(&self, time_ns: u64) -> Mat3 {
        Mat3::from_rpy(0.0, self.angle(time_ns), 0.0)
    }
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

    /// Where an echo of column `k` lies at distance `range` [m], in the axes of the unit that nods the laser, for a scan begun at `stamp_ns`.
    pub fn place(&self, k: usize, range: f64, stamp_ns: u64) -> Vec3 {
        let p = self.directions[k].scale(range);
        self.tilt.map_or(p, |tilt| {
            tilt.axes(stamp_ns + (self.fires(k) * 1e9) as u64)
                .mul_vec(p)
        })
    }

    /// When column `k` fires, after the first [s].
    pub fn fires(&self, k: usize) -> f64 {
        if self.columns < 2 {
            0.0
        } else {
            self.sweep * k as f64 / (self.columns - 1) as f64
        }
    }
}
