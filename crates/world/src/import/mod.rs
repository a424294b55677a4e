//! Readers of external file formats: URDF, meshes, grids, hydrodynamic tables and images.

pub mod apriltag;
pub(crate) mod assets;
pub mod bem;
pub mod estimate;
pub(crate) mod files;
pub mod grid;
pub mod heightfield;
pub mod image;
pub mod mesh;
pub mod sname;
pub mod urdf;
