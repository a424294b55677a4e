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
        /// leave their cells free. Default: 3 m, unless `top_depth_m` is given.
        clearance_m: Option<f64> [in 0.0..=1000.0],
        /// Depth of the highest point of a submerged vehicle, in place of `clearance_m`: structures
        /// that end above it, such as hulls and jetties, leave their cells free.
        top_depth_m: Option<f64> [in 0.0..=1000.0],
        /// West, south, east and north edge. Default: the terrain, otherwise all robots and
        /// structures with a border of 30 m.
        area_m: Option<[f64; 4]> [in -1e6..=1e6],
        /// Height of the water level. Default: the level at the start of the run, with tide.
        water_level_m: Option<f64> [in -1000.0..=1000.0],
        /// Frame of the published grid.
        frame_id: String [not_empty] = "world".to_string(),
    }
}

/// Height above the water that a vessel needs by default [m].
const CLEARANCE_M: f64 = 3.0;

impl OccupancyMap {
    /// Returns the lowest and highest height above the water level that a vessel occupies [m].
    ///
    /// # Errors
    /// Two keys for the highest height, or a depth of the top that is not less than the depth.
    pub fn heights(&self) -> Result<[f64; 2], String> {
        let low = -self.depth_m;
        match (self.clearance_m, self.top_depth_m) {
            (clearance, None) => Ok([low, clearance.unwrap_or(CLEARANCE_M)]),
            (None, Some(top)) if top < self.depth_m => Ok([low, -top]),
            (None, Some(top)) => Err(format!(
                "top_depth_m: expected less than the depth of {} m, found {top}",
                self.depth_m
            )),
            (Some(_), Some(_)) => {
                Err("found both clearance_m and top_depth_m; remove one of them".to_string())
            }
        }
    }
}
