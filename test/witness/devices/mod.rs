//! Tests of sensors against other programs.

mod ais;
mod camera;
mod raytrace;
mod tags;
