//! Tests against other programs; the sources of the data are listed in `test/data/README.md`.

mod ais;
mod camera;
mod conductivity;
mod contact;
mod geodesy;
mod grids;
mod hemisphere;
mod magnetic_field;
mod otter;
mod pinocchio;
mod prestero;
mod raytrace;
mod remus;
mod seawater;
mod sun;
mod tags;
mod terrain;
mod thetis;
mod uvms;
mod uvms_files;
