//! Robots: links, joints, actuators, energy and on-board electronics.

pub mod actuator;
pub mod battery;
pub mod body;
pub mod buoyancy_engine;
pub mod collision;
pub mod energy;
pub mod feedback;
pub mod fin;
pub mod firmware;
pub mod force;
pub mod guidance;
pub mod joint;
pub mod profile;
pub mod radiation;
pub mod route;
pub mod thruster;
