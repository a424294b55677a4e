//! Tests of the simulator against closed-form solutions of mechanics and of measurement.

mod actuators;
mod bodies;
mod contacts;
mod devices;
mod environment;
mod joints;
mod tasks;
mod tethers;
mod vehicles;
