//! Maps of a boat: voxels of lasers, stereo and sonar, depths, and the cost map made of them.

pub mod cost;
pub mod depth;
pub mod node;
pub mod range_image;
pub mod voxels;
