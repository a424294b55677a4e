//! What touches what, and the impulses that follow: the only place that names rapier.
//!
//! rapier's geometry finds the places where shapes meet ([`detect`]); the impulses are solved here, in the generalized
//! coordinates of the robots and on their inertia with added mass ([`island`], [`solve`], [`newton`]), because rapier's own solver
//! has no place for it.

pub mod coupling;
pub mod dofs;
pub mod geometry;
pub mod island;
pub mod solver;
pub mod step;

pub use crate::contact::step::Contacts;
