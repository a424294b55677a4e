//! Tests of sensors against closed forms of their measurement laws.

mod acoustic;
mod ais;
mod camera;
mod covariance;
mod frame_faults;
mod inertial;
mod instruments;
mod laser;
mod navigation;
mod obstacle;
mod profiles;
mod radar;
mod raytrace;
mod sensor_worlds;
mod sonar;
