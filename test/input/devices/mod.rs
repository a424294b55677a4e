//! Tests of the keys of sensors and autopilots.

mod autopilot;
mod instruments;
mod positioning;
mod sensors;
mod sonars;
