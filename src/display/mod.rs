//! Images of point clouds, radar and sonar data for snapshots and display topics.

pub mod cloud;
pub mod colors;
pub mod radar;
pub mod sonar;
