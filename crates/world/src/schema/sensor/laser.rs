//! What a file of a scanning laser may say.

use merrow_yaml::spec::spec;

spec! {
    /// A laser that scans in a plane.
    pub struct LaserFile {
        /// Azimuths of the first and the last beam, counter-clockwise from ahead.
        azimuth_deg: [f64; 2] [in -360.0..=360.0],
        /// Beams from the first to the last.
        beams: u32 [in 1.0..=1000000.0],
        ..ranging: RangingFile,
    }
}

spec! {
    /// A laser that scans in a plane, on a unit that nods it about y at a constant speed, to and fro.
    pub struct TiltingLaserFile {
        /// Least and greatest angle of the unit, positive downwards.
        tilt_deg: [f64; 2] [in -180.0..=180.0],
        /// Time to and fro.
        tilt_period_s: f64 [positive],
        ..laser: LaserFile,
    }
}

spec! {
    /// A laser that scans on several cones.
    pub struct LidarFile {
        /// Elevations of the lowest and the highest ring over the sensor's plane, evenly spaced between; or `elevations_deg`.
        elevation_deg: Option<[f64; 2]> [in -90.0..=90.0],
        /// Rings, with `elevation_deg`.
        rings: Option<u32> [in 1.0..=1024.0],
        /// Elevation of each ring, the lowest first.
        elevations_deg: Option<Vec<f64>> [not_empty, in -90.0..=90.0],
        /// Azimuths at which a scan begins and ends, counter-clockwise from ahead; clockwise if the second is less.
        azimuth_deg: [f64; 2] [in -360.0..=360.0] = [180.0, -180.0],
        /// Columns of a whole scan.
        columns: u32 [in 1.0..=100000.0],
        ..ranging: RangingFile,
    }
}

spec! {
    /// How a laser ranges.
    pub struct RangingFile {
        /// Least range.
        min_range_m: f64 [non_negative] = 0.0,
        /// Greatest range.
        max_range_m: f64 [positive],
        /// Standard deviation of a range.
        range_std_m: f64 [non_negative] = 0.0,
        /// Step of a range.
        resolution_m: f64 [non_negative] = 0.0,
        /// Part of the beams whose echo is lost for no cause.
        beam_loss: f64 [fraction] = 0.0,
        /// Full angle at which a beam widens; 0 traces one ray a beam, else five.
        divergence_mrad: f64 [in 0.0..=200.0] = 0.0,
        /// Echoes nearer to one another than this are one.
        pulse_length_m: f64 [non_negative] = 0.3,
        /// Reflectivity of an upright surface that is just seen at the greatest range in clear air.
        reference_reflectivity: f64 [positive] = 0.1,
        /// Wavelength.
        wavelength_um: f64 [in 0.3..=12.0] = 0.905,
        /// Extinction of its light in the water.
        water_extinction_per_m: f64 [positive] = 7.0,
        /// Time from the first to the last beam; that of a mirror or head that turns once a sample if not given.
        sweep_s: Option<f64> [non_negative],
    }
}
