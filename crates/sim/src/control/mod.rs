//! On-board electronics of a robot: commands, thrust allocation, faults, energy, joint controllers,
//! firmware, winches, couplings and water samplers.

pub mod command;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod firmware;
pub mod joints;
pub mod sampler;
pub mod winch;
pub mod wrench;
