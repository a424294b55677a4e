//! What touches what, and the impulses that follow: the only place that names rapier.
//!
//! rapier's geometry finds the places where shapes meet ([`detect`]); the impulses are solved here, in the generalized
//! coordinates of the robots and on their inertia with added mass ([`island`], [`solve`], [`newton`]), because rapier's own solver
//! has no place for it.

pub mod blocks;
pub mod clearance;
pub mod clip;
mod coulomb;
pub mod coupling;
pub mod curvature;
pub mod decks;
mod dense;
pub mod detect;
pub mod dofs;
pub mod friction;
pub mod island;
pub mod newton;
pub mod shapes;
pub mod solve;
pub mod step;
mod system;

pub use step::Contacts;
