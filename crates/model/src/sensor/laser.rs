//! Scanning lasers: beam directions, timing and range measurement.

use crate::persist::Persist;
use crate::sensor::tilt::Tilt;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor, Obstruction};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_yaml::spec::spec;

spec! {
    /// Range measurement of a laser.
    pub struct LaserRanging {
        /// Minimum range of the laser.
        min_range_m: f64 [non_negative] = 0.0,
        /// Maximum range of the laser.
        max_range_m: f64 [positive],
        /// Standard deviation of a range.
        range_std_m: f64 [non_negative] = 0.0,
        /// Resolution of a range; 0 for none.
        resolution_m: f64 [non_negative] = 0.0,
        /// Fraction of the beams whose echo is lost at random.
        beam_loss: f64 [fraction] = 0.0,
        /// Full divergence angle of a beam. With 0 one ray per beam is traced, otherwise five.
        divergence_mrad: f64 [in 0.0..=200.0] = 0.0,
        /// Pulse length: echoes closer to each other than this are merged. Used only with
        /// `divergence_mrad`.
        pulse_length_m: f64 [non_negative] = 0.3,
        /// Reflectivity of a surface at normal incidence that is just detected at the maximum range
        /// in clear air.
        reference_reflectivity: f64 [positive] = 0.1,
        /// Wavelength of the laser.
        wavelength_um: f64 [in 0.3..=12.0] = 0.905,
        /// Extinction coefficient of the laser light in the water.
        water_extinction_per_m: f64 [positive] = 7.0,
        /// Time from the first to the last beam. Default: the time of a mirror or head that turns
        /// once per sample.
        sweep_s: Option<f64> [non_negative],
    }
}

/// Scanning laser, in one plane or on several cones.
#[derive(Clone, Debug, PartialEq)]
pub struct LaserSpec {
    /// Type of the published message.
    pub output: LaserOutput,
    /// Elevations of the rings above the xy plane of S, ascending [rad].
    pub elevations: Vec<f64>,
    /// Azimuth of the first column about z; 0 is along x [rad].
    pub first_azimuth: f64,
    /// Azimuth increment between columns, positive counter-clockwise [rad].
    pub azimuth_step: f64,
    /// Number of columns of a scan.
    pub columns: usize,
    /// Unit vectors of the beams in S, column by column; within a column ring by ring.
    pub directions: Vec<Vec3>,
    /// Time from the first column to the last [s].
    pub sweep: f64,
    /// Range measurement of the laser.
    pub ranging: LaserRanging,
    /// Tilt unit that carries the laser, if any. The sensor pose is then the pose of the tilt unit.
    pub tilt: Option<Tilt>,
}

/// Message type of a laser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaserOutput {
    /// Ranges of one ring (`LaserScan`).
    Scan,
    /// Points of all rings (`PointCloud2`).
    Cloud,
}

impl LaserSpec {
    /// Computes the unit vectors of all beams in S, in the order of [`LaserSpec::directions`]. All
    /// angles are in [rad].
    pub fn beam_directions(elevations: &[f64], first: f64, step: f64, columns: usize) -> Vec<Vec3> {
        let column = |k: usize| {
            let (sa, ca) = sin_cos(first + k as f64 * step);
            elevations.iter().map(move |elevation| {
                let (se, ce) = sin_cos(*elevation);
                Vec3::new(ce * ca, ce * sa, se)
            })
        };
        (0..columns).flat_map(column).collect()
    }

    /// Returns the position [m] of an echo of beam `k` at distance `range` [m], in the axes of the
    /// tilt unit, for a scan that starts at `stamp_ns`.
    pub fn echo_position(&self, k: usize, range: f64, stamp_ns: u64) -> Vec3 {
        let p = self.directions[k].scale(range);
        self.tilt.map_or(p, |tilt| {
            tilt.axes(stamp_ns + (self.firing_time(k) * 1e9) as u64)
                .mul_vec(p)
        })
    }

    /// Returns the full angle of the beam divergence [rad].
    pub fn divergence(&self) -> f64 {
        1e-3 * self.ranging.divergence_mrad
    }

    /// Returns the firing time of column `k` after the first column [s].
    pub fn firing_time(&self, k: usize) -> f64 {
        if self.columns < 2 {
            0.0
        } else {
            self.sweep * k as f64 / (self.columns - 1) as f64
        }
    }
}

impl ExteroceptiveSensor for LaserSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        let name = match (self.tilt, self.output) {
            (Some(_), _) => "tilting_laser",
            (None, LaserOutput::Scan) => "laser",
            (None, LaserOutput::Cloud) => "lidar",
        };
        ExteroceptiveProperties {
            supports_offset_faults: true,
            tilt: self.tilt.as_ref(),
            has_echoes: true,
            max_range_m: Some(self.ranging.max_range_m),
            obstruction: Obstruction::Structures,
            ..ExteroceptiveProperties::new(name, (self.sweep * 1e9) as u64)
        }
    }
}

/// Ranges of the columns of a planar laser.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Scan {
    /// Ranges [m]; +inf without an echo, -inf below the minimum range (REP-117).
    pub ranges: Vec<f32>,
    /// Echo intensities: equivalent reflectivity of a surface at normal incidence in clear air; 0
    /// without an echo.
    pub intensities: Vec<f32>,
}

/// Point of a laser point cloud.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Point {
    /// Position in the frame S at the time of firing [m].
    pub p: [f32; 3],
    /// Intensity as in [`Scan::intensities`].
    pub intensity: f32,
    /// Time after the stamp [s].
    pub time: f32,
    /// Index of the ring, from the lowest.
    pub ring: u16,
}
