//! Tests of the file format: syntax, keys, values, shipped files and arbitrary bytes.

mod bridge_decoders;
mod decoders;
mod files;
mod fuzz;
mod keys;
mod limits;
mod moos_decoders;
mod random_parameters;
mod schema;
mod sets;
mod shipped;
mod syntax;
mod values;
