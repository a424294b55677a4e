//! Force laws of thrusters, rotors, fins, sails and buoyancy engines.

pub mod buoyancy_engine;
pub mod fin;
pub mod rotor;
pub mod sail;
pub mod thruster;
