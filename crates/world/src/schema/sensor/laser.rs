//! Keys of scanning lasers.

use merrow_yaml::spec::spec;

spec! {
    /// A laser that scans in a plane.
    pub struct LaserConfig {
        /// Azimuths of the first and the last beam, from the x axis, counter-clockwise.
        azimuth_deg: [f64; 2] [in -360.0..=360.0],
        /// Number of beams from the first to the last.
        beams: u32 [in 1.0..=1000000.0],
        ..ranging: LaserRangingConfig,
    }
}

spec! {
    /// A planar scanning laser on a unit that tilts it about y at a constant speed, to and fro.
    pub struct TiltingLaserConfig {
        /// Minimum and maximum angle of the tilt unit, positive downwards.
        tilt_deg: [f64; 2] [in -180.0..=180.0],
        /// Period of the tilt motion, to and fro.
        tilt_period_s: f64 [positive],
        ..laser: LaserConfig,
    }
}

spec! {
    /// A laser that scans on several cones.
    pub struct LidarConfig {
        /// Elevations of the lowest and the highest ring above the sensor's xy plane; the rings are
        /// evenly spaced. Give either this or `elevations_deg`.
        elevation_deg: Option<[f64; 2]> [in -90.0..=90.0],
        /// Number of rings, with `elevation_deg`.
        rings: Option<u32> [in 1.0..=1024.0],
        /// Elevation of each ring, the lowest first.
        elevations_deg: Option<Vec<f64>> [not_empty, in -90.0..=90.0],
        /// Azimuths at which a scan begins and ends, from the x axis, counter-clockwise. The scan
        /// is clockwise if the second is smaller.
        azimuth_deg: [f64; 2] [in -360.0..=360.0] = [180.0, -180.0],
        /// Number of columns of a scan.
        columns: u32 [in 1.0..=100000.0],
        ..ranging: LaserRangingConfig,
    }
}

spec! {
    /// Range measurement of a laser.
    pub struct LaserRangingConfig {
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
        /// Time from the first to the last beam. Default: that of a mirror or head that turns once
        /// per sample.
        sweep_s: Option<f64> [non_negative],
    }
}
