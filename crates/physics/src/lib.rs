//! Physics of robots and tethers: force laws, multibody dynamics, and contacts with their solvers.
//!
//! Each force law has its own file in `forces/`, which states the law, its symbols, frames and
//! limits, and the tests that check it. [`forces::sum()`] adds all forces on every link,
//! [`dynamics`] computes and integrates the accelerations, and [`contact`] computes the impulses of
//! contacts and couplings.
//!
//! # Example
//! ```
//! use merrow_physics::forces::lines::catenary::Span;
//!
//! // a mooring chain of 60 m from an anchor to a point 50 m away and 20 m above it
//! let chain = Span {
//!     x: 50.0,
//!     z: 20.0,
//!     length: 60.0,
//!     weight: 100.0,
//!     stiffness: 1e8,
//!     seabed_friction: Some(0.5),
//! };
//! let hanging = chain.solve();
//! // the vertical tension carries the part of the chain that does not lie on the seabed
//! let lying = chain.length_on_seabed(hanging.V);
//! assert!((hanging.V - chain.weight * (chain.length - lying)).abs() < 1e-6);
//! // the line ends at the given point, to one millimetre
//! let [x, z] = chain.point(&hanging, chain.length);
//! assert!((x - 50.0).abs() < 1e-3 && (z - 20.0).abs() < 1e-3);
//! ```

pub mod contact;
pub mod dynamics;
pub mod forces;
pub mod workers;
