//! Reader of YAML files that reports all mistakes with their places.

pub mod collections;
pub mod error;
pub mod fields;
pub mod load;
pub mod node;
pub mod parse;
pub mod read;
pub mod scalars;
pub mod schema;
pub mod spec;
pub mod units;
