//! Contact detection and contact impulses. Only this module uses parry, the collision library of
//! rapier.
//!
//! parry computes the contact points of the shapes ([`geometry::detect`]). The impulses are solved
//! here, in the generalized coordinates of the robots and with their inertia including added mass
//! ([`island`], [`solver::solve`], [`solver::augmented_lagrangian`]), because rapier's own solver
//! does not support such inertia.

pub mod coupling;
pub(crate) mod dofs;
pub mod free_pose;
pub mod geometry;
pub mod island;
pub mod occupancy;
pub mod solver;
pub mod step;

pub use crate::contact::step::Contacts;
