//! ?

pub mod kinematics;
pub mod scene;
pub mod state;
