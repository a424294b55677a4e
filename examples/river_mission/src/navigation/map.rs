//! The cost map as planner and pilot read it.

use merrow_ros2::msg::nav_msgs::OccupancyGrid;

use crate::mapping::cost::{Grid, LETHAL, UNKNOWN};

/// Cost of a cell of which nothing is known: passable, but known water is preferred.
const UNKNOWN_COST: f64 = 25.0;

/// Largest edge of a map that is accepted, in cells.
const MAX_SIDE: u32 = 4096;

/// A received cost map.
#[derive(Clone, Debug)]
pub struct CostMap {
    /// The grid.
    pub grid: Grid,
    costs: Vec<i8>,
}

impl CostMap {
    /// Returns a map of these costs, one per cell.
    pub fn new(grid: Grid, costs: Vec<i8>) -> Self {
        Self { grid, costs }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The map is not square, too large, without a resolution, or contradicts its size.
    pub fn read(message: OccupancyGrid) -> Result<Self, String> {
        let info = &message.info;
        let (side, edge_m) = (info.width, f64::from(info.resolution));
        let corner = [info.origin.position.x, info.origin.position.y];
        let has_place = corner.iter().all(|c| c.is_finite()) && edge_m.is_finite() && edge_m > 0.0;
        if side != info.height || side == 0 || side > MAX_SIDE || !has_place {
            return Err(format!(
                "{} x {} cells of {edge_m} m; expected a square map of at most {MAX_SIDE} x {MAX_SIDE}",
                info.width, info.height
            ));
        }
        let side = side as usize;
        if message.data.len() != side * side {
            let found = message.data.len();
            return Err(format!("{side} x {side} cells, found {found} values"));
        }
        Ok(Self {
            grid: Grid {
                edge_m,
                side,
                corner,
            },
            costs: message.data,
        })
    }

    /// Returns the cost from 0 to 99 at a place [m], `None` where the boat must not be. Outside of the
    /// map nothing is known.
    pub fn cost(&self, p: [f64; 2]) -> Option<f64> {
        match self.grid.index(p).map_or(UNKNOWN, |cell| self.costs[cell]) {
            LETHAL.. => None,
            cost @ 0..LETHAL => Some(f64::from(cost)),
            _ => Some(UNKNOWN_COST),
        }
    }

    /// Returns whether the boat must not be at a place [m].
    pub fn is_lethal(&self, p: [f64; 2]) -> bool {
        self.cost(p).is_none()
    }
}
