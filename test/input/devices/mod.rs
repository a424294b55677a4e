//! Tests of the keys of sensors and autopilots.

mod autopilot;
mod instruments;
mod modems;
mod positioning;
mod sensors;
mod sonars;
