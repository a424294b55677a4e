//! Data model of a simulation: the immutable scene, the state that changes with time, and kinematic
//! queries on both.

pub mod kinematics;
pub mod scene;
pub mod state;
