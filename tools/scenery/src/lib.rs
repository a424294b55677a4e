//! Generators of scenery files: a river valley, a harbour quay and a wreck on sand.

pub mod river;
pub mod sites;
