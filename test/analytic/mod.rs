//! Closed solutions of mechanics and of measurement, and what the simulator makes of them.

mod altimeter;
mod buoyancy;
mod contact;
mod coupling;
mod current;
mod docking;
mod dvl;
mod external;
mod imu;
mod kirchhoff;
mod noise;
mod pendulum;
mod position_sensors;
mod rigid_body;
mod schedule;
mod swimmer;
mod terminal_speed;
mod thruster;
mod thruster_health;
mod turntable;

pub use thruster::boat;
