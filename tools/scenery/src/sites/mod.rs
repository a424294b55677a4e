//! Generates the sites of worlds that demonstrate sensors: a quay in a harbour, and a wreck on
//! rippled sand.
//!
//! `merrow terrain harbour-inspection` and `merrow terrain survey` reproduce the files in
//! `grids/harbour_inspection` and `grids/survey` byte for byte, and generate other sites from other
//! seeds. All functions depend only on the seed; no running simulation uses this module.
//!
//! This module does not read or write files.

pub mod growth;
pub mod objects;
pub mod quay;
pub mod quay_file;
pub mod raster;
pub mod relief;
pub mod sand;
pub mod survey_file;
pub mod wreck;

/// Name and content of a file.
pub type File = (&'static str, Vec<u8>);
