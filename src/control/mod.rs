//! What a vehicle's own electronics do: take commands, allocate thrust, time out, watch the battery, run its joints, turn the winch.

pub mod actuator;
pub mod allocation;
pub mod autopilot;
pub mod command;
pub mod coupling;
pub mod encoder;
pub mod joint_command;
pub mod joints;
pub mod keep_out;
pub mod power;
pub mod servo;
pub mod trajectory;
pub mod winch;
