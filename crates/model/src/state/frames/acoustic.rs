//! Output of an acoustic positioning instrument for one sample.

pub use crate::scene::sensor::acoustic::{AcousticFix, AcousticObservations, AcousticRange};
