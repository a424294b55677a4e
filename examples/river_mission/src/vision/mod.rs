//! Images of the drone and the boat: water and land, the H of the landing pad, registration, stereo.

pub mod camera;
pub mod disparity;
pub mod helipad;
pub mod image;
mod mounted;
pub mod pad_finder;
pub mod rectification;
pub mod registration;
pub mod segmentation;
pub mod stereo;
pub mod track;
pub mod water_finder;
