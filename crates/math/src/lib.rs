//! Mathematics of the simulator: vectors, spatial algebra, quaternions, SIMD lanes, cut hull
//! meshes, the WGS84 ellipsoid and random streams.
//!
//! The crate is independent of robots and water. Vectors and matrices are generic over
//! [`Real`]: `f64` for one robot, [`Lanes`] or [`F64x4`] for several robots at once. The results
//! are bit-identical on every processor.
//!
//! # Example
//! ```
//! use merrow_math::{Quat, SpatialInertia, SpatialVelocity, Sym3, Vec3, spatial};
//! use std::f64::consts::FRAC_PI_2;
//!
//! // a body that is turned to the left by 90 degrees moves north when it moves ahead
//! let R_WB = Quat::from_rpy(0.0, 0.0, FRAC_PI_2).matrix();
//! let v_B = Vec3::new(1.0, 0.0, 0.0);
//! let v_W = R_WB.mul_vec(v_B);
//! assert!((v_W - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-15);
//!
//! // 10 kg with the centre of mass 0.1 m below the origin: a horizontal acceleration of the origin
//! // needs a force and a moment
//! let I_BBcm_B = Sym3 { xx: 0.4, yy: 0.4, zz: 0.4, ..Sym3::zero() };
//! let inertia = SpatialInertia::rigid(10.0, Vec3::new(0.0, 0.0, -0.1), &I_BBcm_B);
//! let A = SpatialVelocity { w: Vec3::zero(), v: Vec3::new(2.0, 0.0, 0.0) };
//! let F = inertia.mul(&A);
//! assert_eq!(F.f, Vec3::new(20.0, 0.0, 0.0));
//! assert_eq!(F.m, Vec3::new(0.0, -2.0, 0.0));
//! let back = spatial::solve(&inertia, &F);
//! assert!((back.v - A.v).norm() < 1e-12 && back.w.norm() < 1e-12);
//! ```

pub mod bounds;
mod componentwise;
pub mod decibels;
pub mod ellipsoid;
pub mod hull_cut;
pub mod hull_mesh;
pub(crate) mod inertia_rotation;
pub mod pentadiagonal;
pub mod plane;
pub mod quat;
pub mod real;
mod revolution;
pub mod rng;
pub mod simd;
pub mod solid_mesh;
pub mod spatial;
pub mod sphere_grid;
pub mod tridiagonal;
pub mod vec3;

pub use crate::quat::Quat;
pub use crate::real::{LaneCondition, Lanes, MAX_LANES, Packed, Real};
pub use crate::simd::f64x4::F64x4;
pub use crate::simd::{f32x8, f64x4};
pub use crate::spatial::{SpatialForce, SpatialInertia, SpatialVelocity};
pub use crate::vec3::{Mat3, Sym3, Vec3};
