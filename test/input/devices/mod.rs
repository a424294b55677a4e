//! Tests of the keys of sensors, computers and autopilots.

mod autopilot;
mod computers;
mod instruments;
mod modems;
mod positioning;
mod sensors;
mod sonars;
