//! Navigation of a boat: path planner, local avoidance, and the runner of way-points.

pub mod map;
pub mod pilot;
pub mod pilot_node;
pub mod planner;
pub mod planner_node;
pub mod runner;
