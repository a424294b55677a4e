//! Tests of thrusters, rotors, fins and sails.

mod azimuth;
mod fin;
mod fin_servo;
mod motor_heat;
mod rotor;
mod rotor_ground_effect;
mod sail;
mod thruster;
mod thruster_health;
