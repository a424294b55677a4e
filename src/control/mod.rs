//! What a vehicle's own electronics do: take commands, allocate thrust, time out, watch the battery, turn the winch.

pub mod allocation;
pub mod command;
pub mod power;
pub mod winch;
