//! Places drawn by a seed for worlds that show sensors: a quay in a harbour, a wreck on rippled sand.
//!
//! Exists so that such worlds are made and not only shipped: `merrow terrain harbour-inspection` and `merrow terrain survey` write what stands under
//! `grids/harbour_inspection` and `grids/survey`, byte for byte, and other places from other seeds. Pure functions of the seed; no running
//! simulation depends on it.
//!
//! Must not read or write files.

pub mod growth;
pub mod objects;
pub mod quay;
pub mod quay_file;
pub mod raster;
pub mod relief;
pub mod sand;
pub mod survey_file;
pub mod wreck;

/// A file by its name and what is in it.
pub type File = (&'static str, Vec<u8>);

/// From 0 at 0 to 1 at 1, level at both ends.
pub fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
