//! Force laws of bodies in water: buoyancy, added mass, damping, radiation and diffraction.

pub mod added_mass;
pub mod buoyancy;
pub mod damping;
pub mod mesh_hull;
pub mod radiation;
pub mod restoring;
