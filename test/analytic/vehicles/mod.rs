//! Tests of whole vehicles: their firmware, and the bundled worlds in which they run.

mod glider;
mod heading_depth_hold;
mod landing;
mod motion_control;
mod multirotor;
mod position_fix;
mod riverwatch;
mod rover;
mod sailing;
mod straight;
mod surge_yaw_rate;
mod waypoints;
