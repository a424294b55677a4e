//! Output of an acoustic positioning instrument for one sample.

pub use crate::sensor::acoustic::{AcousticFix, AcousticObservations, AcousticRange};
