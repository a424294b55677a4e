//! Embedded ROS 2 client: a node on the crate `rtps`, for machines without a ROS installation.
//!
//! The client is deliberately thin: endpoints transfer bytes that are encoded elsewhere. One thread
//! of the node (`spin.rs`) calls every subscription and service. Publishing runs on the caller's
//! thread and never waits. Only the files of this folder use the crate `rtps`.

mod action;
mod graph;
mod network;
mod node;
mod parameter_services;
mod publisher;
mod rosout;
mod service;
mod spin;
mod transport;
mod type_description;

pub use crate::dds::action::{ActionServer, Executor, GoalHandle};
pub use crate::dds::network::{Network, NetworkCounters};
pub use crate::dds::node::{Callback, Node, NodeError, Subscription};
pub use crate::dds::parameter_services::ParameterServices;
pub use crate::dds::publisher::{Delivery, PublishError, Publisher};
pub use crate::dds::rosout::Logger;
pub use crate::dds::service::{DeferredHandler, Handler, Responder, Service};
