//! Generators of scenery.

pub mod river;
pub mod sites;
