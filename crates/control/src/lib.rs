//! Control laws of vehicles: the firmware laws, their guidance and motion estimate, and the
//! allocation of wrenches to thrusters.

pub mod allocation;
pub mod autopilot;
pub mod constrained_allocation;
pub mod drive;
pub mod estimate;
pub mod glider;
pub mod heading_depth_hold;
pub mod ideal_drive;
pub mod joint_reference;
pub mod line_of_sight;
pub mod modes;
pub mod motion_control;
pub mod multirotor;
pub mod sailing;
pub mod surge_yaw_rate;
pub mod velocity_guidance;
