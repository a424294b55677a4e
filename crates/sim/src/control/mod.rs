//! What a vehicle's own electronics do: take commands, allocate thrust, time out, watch the battery, run its joints and its firmware, turn the winch.

pub mod command;
pub mod coupling;
pub mod energy;
pub mod fault;
pub mod firmware;
pub mod joints;
pub mod sampler;
pub mod winch;
