//! Mathematics that knows nothing of ships: reals, vectors, spatial algebra, quaternions, random streams.

pub mod ellipsoid;
pub mod hull_cut;
pub mod pentadiagonal;
pub mod quad;
pub mod quat;
pub mod real;
pub mod rng;
pub mod skin;
pub mod spatial;
pub mod tridiagonal;
pub mod turned;
pub mod vec3;

pub use quad::Quad;
pub use quat::Quat;
pub use real::{Lanes, Lanewise, MAX_LANES, Packed, Real};
pub use spatial::{SpatialForce, SpatialInertia, SpatialVelocity};
pub use vec3::{Mat3, Sym3, Vec3};
