//! The embedded ROS 2 client: a node on DDS in Rust alone, for machines with no ROS installed.
//!
//! Thin by intent: endpoints carry bytes that are encoded elsewhere. Inside, one thread of the node (`spin.rs`) calls
//! every subscription and service; publishing happens on the caller's thread and never waits. Only the files of this
//! folder may name the DDS library.

mod action;
mod goodbye;
mod graph;
mod large_reply;
mod limits;
mod networks;
mod node;
mod parameter_services;
mod publisher;
mod rosout;
mod service;
mod spin;
mod transport;

pub use action::{ActionServer, Executor, GoalHandle};
pub use node::{Callback, Node, NodeError, Subscription};
pub use parameter_services::ParameterServices;
pub use publisher::{Delivery, PublishError, Publisher};
pub use rosout::Logger;
pub use service::{DeferredHandler, Handler, Responder, Service};
