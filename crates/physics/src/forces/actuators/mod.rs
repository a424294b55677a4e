//! Force laws of thrusters, rotors, fins, sails, buoyancy engines and gliders.

pub mod buoyancy_engine;
pub mod fin;
pub mod glider;
pub mod rotor;
pub mod sail;
pub mod thruster;
