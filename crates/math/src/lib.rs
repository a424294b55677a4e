//! Mathematics without marine content: scalars and SIMD lanes, vectors, spatial algebra,
//! quaternions, hull volumes, the WGS84 ellipsoid, random streams.

pub mod ellipsoid;
pub mod f64x4;
pub mod hull_cut;
pub mod hull_mesh;
pub mod inertia_rotation;
pub mod pentadiagonal;
pub mod quat;
pub mod real;
pub mod rng;
pub mod spatial;
pub mod tridiagonal;
pub mod vec3;

pub use crate::f64x4::Quad;
pub use crate::quat::Quat;
pub use crate::real::{Lanes, Lanewise, MAX_LANES, Packed, Real};
pub use crate::spatial::{SpatialForce, SpatialInertia, SpatialVelocity};
pub use crate::vec3::{Mat3, Sym3, Vec3};
