//! Physics of robots and tethers: multibody dynamics, forces, and contacts with their solvers.

pub mod contact;
pub mod dynamics;
pub mod forces;
