//! Closed solutions of mechanics and of measurement, and what the simulator makes of them.

mod actuator;
mod altimeter;
mod buoyancy;
mod contact;
mod coupling;
mod current;
mod docking;
mod dvl;
mod external;
mod floating;
mod imu;
mod kirchhoff;
mod mimic;
mod noise;
mod pendulum;
mod position_sensors;
mod rigid_body;
mod schedule;
mod servo;
mod servo_friction;
mod servo_stop;
mod swimmer;
mod terminal_speed;
pub mod tether;
mod tether_catenary;
mod tether_robot;
mod tether_water;
mod tether_winch;
mod thruster;
mod thruster_health;
mod trajectory;
mod turntable;
pub mod waves;
mod wrench;

pub use thruster::boat;
