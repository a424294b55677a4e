//! What a vehicle's own electronics do: take commands, allocate thrust, time out, watch the battery.

pub mod allocation;
pub mod command;
pub mod coupling;
pub mod joint_command;
pub mod power;
