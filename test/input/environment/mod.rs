//! Tests of the keys of water, seabed, weather, actors, tethers and schedules.

mod actors;
mod faults;
mod grids;
mod schedule;
mod tethers;
mod water;
mod waves;
