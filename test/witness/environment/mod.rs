//! Tests of water, seabed, sky and Earth against other programs and published data.

mod conductivity;
mod geodesy;
mod grids;
mod magnetic_field;
mod seawater;
mod sun;
mod terrain;
mod thetis;
