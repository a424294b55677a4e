//! Reader for YAML files that reports every mistake with its file, line and column.
//!
//! The reader is generic. The crate `merrow-world` declares the keys of world files with its
//! macros.

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
