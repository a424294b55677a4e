//! Keys of obstacles and obstacle detectors.

use merrow_yaml::spec::spec;

spec! {
    /// A box that obstacle detectors without `sensor` report. It has no contacts, and other sensors
    /// do not detect it.
    pub struct ObstacleConfig {
        /// Description of the obstacle.
        description: String = String::new(),
        /// Centre of the box in the world (east, north, up).
        position_m: [f64; 3],
        /// Lengths along its axes.
        size_m: [f64; 3] [positive],
        /// Rotation of its axes about the vertical, from east, counter-clockwise.
        yaw_deg: f64 = 0.0,
    }
}

spec! {
    /// A detector that reports bounding boxes of obstacles.
    pub struct DetectorConfig {
        /// Sonar or laser of the same robot whose echoes are processed. Default: the detector
        /// reports the `obstacles` of the world.
        sensor: Option<String> [not_empty],
        /// Whether boxes are reported in the world frame; otherwise in the detector frame.
        in_world: bool = true,
        /// Full horizontal angle about the x axis in which obstacles are reported.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Full vertical angle in which obstacles are reported.
        elevation_deg: f64 [in 1.0..=180.0] = 180.0,
        /// Minimum range of reported obstacles.
        min_range_m: f64 [non_negative] = 0.0,
        /// Maximum range of reported obstacles.
        max_range_m: f64 [positive],
        /// Minimum and maximum height in the world of the echoes used; requires `sensor`. Default:
        /// all.
        height_m: Option<[f64; 2]>,
        /// Standard deviation of each coordinate of the centre.
        position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of each length.
        size_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of the rotation.
        yaw_std_deg: f64 [non_negative] = 0.0,
        /// Probability that an obstacle is missing in a sample.
        miss_probability: f64 [fraction] = 0.0,
        /// Level of a sonar echo above its neighbourhood; requires `sensor`.
        threshold_db: f64 [in 0.0..=100.0] = 8.0,
        /// Half widths in range of the window of an echo and of the neighbourhood beyond it with
        /// which the echo is compared; requires `sensor`.
        window_m: [f64; 2] [positive] = [1.0, 3.0],
        /// Maximum distance between neighbouring echoes of one obstacle; requires `sensor`.
        cluster_gap_m: f64 [in 0.001..=1000.0] = 1.0,
        /// Minimum number of echoes of an obstacle.
        min_echoes: u32 [in 1.0..=1000000.0] = 5,
        /// Minimum length of a box.
        min_size_m: f64 [non_negative] = 0.0,
        /// Time for which echoes are kept and processed together with later ones; requires
        /// `sensor`. Default: one turn of a rotating head, otherwise 0, so that each sample is
        /// processed alone.
        accumulation_s: Option<f64> [non_negative],
        /// Maximum displacement of the centre of a box between samples for the same obstacle.
        association_distance_m: f64 [non_negative] = 3.0,
        /// Time for which an undetected obstacle keeps its number.
        track_timeout_s: f64 [non_negative] = 10.0,
    }
}
