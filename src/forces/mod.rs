//! Forces on the links, one law per file. They meet in `sum` only.

pub mod added_mass;
pub mod buoyancy;
pub mod catenary;
pub mod damping;
pub mod derivatives;
pub mod external;
pub mod fin;
pub mod joint;
pub mod rigid_body;
pub mod slender_body;
pub mod sum;
pub mod tether;
pub mod thruster;
pub mod wind_load;

pub use sum::sum;
