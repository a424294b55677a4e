//! Sensors: for each kind its parameters and its reading or frame, listed once in `registry.rs`.
//!
//! A sensor that is evaluated in the step has one entry in `each_step_sensor!`, from which its
//! parameters implement [`StepSensor`]. The crates above implement one trait each for the same type:
//! `merrow_sensors::measure::Measure` is the law, `merrow_messages::convert::topic::Publish` the
//! topics with their messages. They call `each_step_sensor!` to select the implementation, so that a
//! sensor without one of them does not compile. Exteroceptive sensors are listed in
//! `each_exteroceptive_sensor!` in the same way, and their frames in `each_frame!`;
//! `merrow_sensors::exteroceptive::Observe` is the law.

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod errors;
pub mod gnss;
pub mod inertial;
pub mod kinds;
pub mod laser;
pub mod lens;
pub mod obstacle;
pub mod radar;
mod registry;
pub mod sonar;
pub mod tilt;
pub mod traits;
pub mod vehicle;
pub mod water;

pub use crate::sensor::errors::{Errors, FixedErrors, Noise};
pub use crate::sensor::kinds::{
    ExteroceptiveSpec, PublisherQos, Reliability, Sensor, SensorKind, SensorParameters,
};
pub use crate::sensor::traits::{
    ExteroceptiveProperties, ExteroceptiveSensor, Obstruction, StepProperties, StepSensor, Workload,
};
