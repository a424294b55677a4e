//! Tests of the keys of sensors, computers and autopilots.

mod autopilot;
mod computers;
mod instruments;
mod modem_extremes;
mod modems;
mod moos;
mod positioning;
mod sensors;
mod sonars;
