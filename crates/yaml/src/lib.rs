//! Reader for YAML files that reports every error with its file, line and column.
//!
//! [`spec!`] declares a structure once: its keys with their types, units, conditions and defaults.
//! The reader, the error messages and the JSON Schema come from this declaration. The
//! crates `merrow-model` and `merrow-world` declare the keys of world files with it.
//!
//! # Example
//! ```
//! use merrow_yaml::error::Problems;
//! use merrow_yaml::load::Loader;
//! use merrow_yaml::read::read_root;
//! use merrow_yaml::spec;
//!
//! spec! {
//!     /// A tank.
//!     pub struct Tank {
//!         /// Length of the tank.
//!         length_m: f64 [positive],
//!         /// Density of the water.
//!         density_kg_m3: f64 [positive] = 1000.0,
//!     }
//! }
//!
//! fn load(text: &str) -> Result<Tank, Problems> {
//!     let mut problems = Problems::new();
//!     let node = Loader::default().load_text("tank.yaml", text, &mut problems);
//!     let tank = node.and_then(|node| read_root(&node, &mut problems));
//!     problems.into_result(tank)
//! }
//!
//! let tank = load("length_m: 12")?;
//! assert_eq!((tank.length_m, tank.density_kg_m3), (12.0, 1000.0));
//!
//! // all errors are reported at once
//! let errors = load("length_m: -3\ndensity: 1000\n").unwrap_err().to_string();
//! assert_eq!(
//!     errors,
//!     "tank.yaml:1:11: `length_m`: expected a positive number [m], found `-3`\n\
//!      tank.yaml:2:1: `density` needs its unit; write `density_kg_m3`"
//! );
//! # Ok::<(), Problems>(())
//! ```

#![forbid(unsafe_code)]

pub mod collections;
pub mod error;
pub mod fields;
pub mod load;
mod name;
pub mod node;
mod number;
mod parameter_keys;
pub mod parameters;
pub mod parse;
pub mod path;
pub mod random;
pub mod read;
pub mod scalars;
pub mod schema;
pub mod spec;
mod syntax_error;
mod traits;
pub mod units;
pub mod write;
