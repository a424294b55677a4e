//! Contact geometry: shapes, detection, contact manifolds, clearances and rays below rotors.

pub(crate) mod clearance;
pub mod clip;
pub mod convex_hull;
pub mod detect;
pub(crate) mod ground_effect_rays;
pub mod overlap;
pub mod shapes;
