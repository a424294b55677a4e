//! Messages of vessels and of this project, one module per ROS package.
//!
//! The build script generates them: the types of the package `merrow_msgs` from its interface files
//! in `ros/merrow_msgs`, those of the packages for marine sensors and of other simulators from
//! `interfaces/`. Types that do not concern vessels are in the crate `ros2`.

pub use merrow_msgs::*;

include!(concat!(env!("OUT_DIR"), "/interfaces.rs"));
