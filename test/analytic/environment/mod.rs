//! Tests of water, seabed and air, and of their effect on robots.

mod air;
mod current;
mod flow;
mod grid;
mod occupancy;
mod region;
mod surface;
mod terrain;
mod tide;
mod water_column;
mod waves;
