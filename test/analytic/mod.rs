//! Closed solutions of mechanics and of measurement, and what the simulator makes of them.

mod actuator;
mod altimeter;
mod buoyancy;
mod current;
mod dvl;
mod external;
mod imu;
mod kirchhoff;
mod noise;
mod pendulum;
mod position_sensors;
mod rigid_body;
mod schedule;
mod servo;
mod servo_stop;
mod swimmer;
mod terminal_speed;
mod thruster;
mod thruster_health;
mod trajectory;
mod turntable;
mod wrench;

pub use thruster::boat;
