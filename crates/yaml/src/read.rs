//! The traits `Read` and `Fields`, which every type of a YAML file implements.
//!
//! They define how a type is read, named in messages, described in the JSON Schema and written
//! back. Reading continues after an error, so that all errors are reported in one run. The macros
//! of `spec.rs` implement these traits. Files are opened in `load.rs`. Rules that concern several
//! values are checked by the caller after reading.

pub use crate::collections::{Located, NamedMap};
pub use crate::fields::{
    Fallback, Places, Reader, from_defaults, insert_json, read_kind_key, read_word,
};
pub use crate::node::KIND;
pub use crate::scalars::{boolean, is_frame_name, is_name, number};
pub use crate::traits::*;
