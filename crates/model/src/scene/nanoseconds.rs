//! Durations that files give in seconds and laws use as whole nanoseconds.

use crate::persist::Persist;
use merrow_yaml::error::Problems;
use merrow_yaml::node::Node;
use merrow_yaml::read::{Field, Read, TypeName};
use merrow_yaml::schema::Defs;
use serde_json::Value;
use std::ops::Deref;

/// Duration of a key in seconds, as nanoseconds [ns].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub struct Nanoseconds(pub u64);

/// Returns the duration `s` [s] as a number of nanoseconds.
pub fn nanoseconds(s: f64) -> u64 {
    (s * 1e9).round() as u64
}

impl Deref for Nanoseconds {
    type Target = u64;

    fn deref(&self) -> &u64 {
        &self.0
    }
}

impl Read for Nanoseconds {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Self> {
        f64::read(node, field, problems).map(|s| Self(nanoseconds(s)))
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        f64::type_name(field)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Value {
        f64::schema(field, defs)
    }

    fn json(&self) -> Value {
        (self.0 as f64 / 1e9).into()
    }
}
