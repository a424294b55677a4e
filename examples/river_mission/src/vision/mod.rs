//! Images of the drone and the boat: water and land, the H of the landing pad, registration.

pub mod camera;
pub mod helipad;
pub mod image;
mod mounted;
pub mod pad_finder;
pub mod registration;
pub mod segmentation;
pub mod track;
pub mod water_finder;
