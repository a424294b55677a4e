//! What files of obstacles and of their detectors may say.

use merrow_yaml::spec::spec;

spec! {
    /// A box that a detector without echoes tells of: nothing touches it, nothing else sees it.
    pub struct ObstacleFile {
        /// What it is.
        description: String = String::new(),
        /// Its middle in the world (east, north, up).
        position_m: [f64; 3],
        /// Its lengths along its axes.
        size_m: [f64; 3] [positive],
        /// Turn of its axes about the vertical, from east, counter-clockwise.
        yaw_deg: f64 = 0.0,
    }
}

spec! {
    /// What tells boxes about obstacles.
    pub struct DetectorFile {
        /// The sonar or laser of the same robot whose echoes it boxes; without one it tells the `obstacles` of the world.
        sensor: Option<String> [not_empty],
        /// Whether boxes are told in the world; else in the detector's own frame.
        in_world: bool = true,
        /// Whole angle about ahead in which obstacles are told.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Whole angle from top to bottom.
        elevation_deg: f64 [in 1.0..=180.0] = 180.0,
        /// Least range.
        min_range_m: f64 [non_negative] = 0.0,
        /// Greatest range.
        max_range_m: f64 [positive],
        /// Heights in the world between which echoes count; all if not given.
        height_m: Option<[f64; 2]>,
        /// Standard deviation of each axis of the middle.
        position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of each length.
        size_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of the turn.
        yaw_std_deg: f64 [non_negative] = 0.0,
        /// Part of the obstacles that a sample misses.
        miss: f64 [fraction] = 0.0,
        /// Level of a sonar's echo over its neighbours.
        threshold_db: f64 [in 0.0..=100.0] = 8.0,
        /// Ranges on either side of an echo that belong to it, and those beyond that it is compared with.
        window_m: [f64; 2] [positive] = [1.0, 3.0],
        /// Echoes nearer to one another than this are of one obstacle.
        gap_m: f64 [in 0.001..=1000.0] = 1.0,
        /// Fewest echoes of an obstacle.
        least_echoes: u32 [in 1.0..=1000000.0] = 5,
        /// Least length of a box.
        least_size_m: f64 [non_negative] = 0.0,
        /// How long echoes are kept and boxed with those that come after; if not given a turn of a head that turns, else each sample is boxed alone.
        keep_s: Option<f64> [non_negative],
        /// How far the middle of a box may be from where it was before and still be the same obstacle.
        association_m: f64 [non_negative] = 3.0,
        /// How long an obstacle that is not seen keeps its number.
        forget_s: f64 [non_negative] = 10.0,
    }
}
