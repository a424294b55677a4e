//! Forces on the links, one law per file. They meet in `sum` only.

pub mod added_mass;
pub mod ballast;
pub mod bending;
pub mod buoyancy;
pub mod catenary;
pub mod damping;
pub mod derivatives;
pub mod external;
pub mod fin;
pub mod glider;
pub mod joint;
pub mod kelpie_attitude;
pub mod mesh_hull;
pub mod radiation;
pub mod restoring;
pub mod rigid_body;
pub mod rotor;
pub mod sail;
pub mod slender_body;
pub mod sum;
pub mod surface_damping;
pub mod tether;
pub mod thruster;
pub mod wind_load;

pub use sum::sum;
