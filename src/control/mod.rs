//! What a vehicle's own electronics do: take commands, allocate thrust, time out, watch the battery, run its joints and its firmware, turn the winch.

pub mod actuator;
pub mod allocation;
pub mod autopilot;
pub mod battery;
pub mod charging;
pub mod command;
pub mod coupling;
pub mod drive;
pub mod encoder;
pub mod fault;
pub mod firmware;
pub mod ideal;
pub mod joint_command;
pub mod joints;
pub mod keep_out;
pub mod multirotor;
pub mod power;
pub mod sampler;
pub mod servo;
pub mod trajectory;
pub mod vessel;
pub mod winch;
