//! Tests of the keys of robots.

mod actuators;
mod bodies;
mod collisions;
mod couplings;
mod energy;
mod fins;
mod firmware;
mod hulls;
mod radiation;
mod robots;
mod servos;
mod urdf;
