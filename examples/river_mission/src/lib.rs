//! Nodes of the river mission of Mendonça et al. (2013): a boat and a drone on a river.
//!
//! The nodes see topics and services only, never the truth. The same nodes run each as a process of
//! their own on any ROS machine, or all in one process in lock-step with a simulated world
//! ([`executor`]); a mission in lock-step has the same bits in every run.
//!
//! # Example
//!
//! A node that doubles numbers, run by hand:
//! ```
//! use merrow_ros2::msg::std_msgs::Float64;
//! use merrow_ros2::qos::Qos;
//! use river_mission::node::{Component, Node, Output, Outbox, Ports};
//!
//! struct Doubler {
//!     out: Output<Float64>,
//! }
//!
//! impl Node for Doubler {
//!     fn declare(&self, ports: &mut Ports<Self>) {
//!         ports.publishes(&self.out);
//!         ports.subscribes("/in", Qos::DEFAULT, Self::on_number);
//!     }
//! }
//!
//! impl Doubler {
//!     fn on_number(&mut self, number: Float64, outbox: &mut Outbox) {
//!         outbox.publish(&self.out, &Float64 { data: 2.0 * number.data });
//!     }
//! }
//!
//! let node = Doubler { out: Output::new("/out", Qos::DEFAULT) };
//! let component = Component::new("doubler", node);
//! assert_eq!(&*component.inputs()[0].topic, "/in");
//! ```

#![forbid(unsafe_code)]

pub mod clouds;
pub mod drone;
pub mod estimation;
pub mod executor;
pub mod frames;
pub mod mapping;
pub mod mission;
pub mod navigation;
pub mod node;
pub mod vision;
pub mod water_quality;
