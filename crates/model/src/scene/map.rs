//! Settings of the occupancy grid of a world, which the node publishes and `merrow map` writes.

use merrow_yaml::spec::spec;

spec! {
    /// Occupancy grid of the world for the planner of a vessel: the topic `map`, the service
    /// `~/get_map` and `merrow map`.
    pub struct OccupancyMap plain {
        /// Edge length of a cell.
        resolution_m: f64 [in 0.01..=1000.0] = 0.5,
        /// Depth that the vessel needs: shallower cells are occupied.
        depth_m: f64 [in 0.0..=1000.0] = 0.6,
        /// Height above the water that the vessel needs: structures above it, such as bridges,
        /// leave their cells free.
        clearance_m: f64 [in 0.0..=1000.0] = 3.0,
        /// West, south, east and north edge. Default: the terrain, otherwise all robots and
        /// structures with a border of 30 m.
        area_m: Option<[f64; 4]> [in -1e6..=1e6],
        /// Height of the water level. Default: the level at the start of the run, with tide.
        water_level_m: Option<f64> [in -1000.0..=1000.0],
        /// Frame of the published grid.
        frame_id: String [not_empty] = "world".to_string(),
    }
}
