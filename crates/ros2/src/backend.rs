//! Interface of the layer that carries the messages of a node.
//!
//! All modules in `node/` use this interface only. `embedded/` implements it with the crate `rtps`,
//! and `crates/ros2_native` with the RMW of an installed ROS 2.

use crate::message::{ServiceInfo, TypeInfo};
use crate::node::{Callback, DeferredHandler, NetworkCounters, PublishError};
use crate::qos::Qos;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Topic, type and QoS of a new publisher or subscription.
#[derive(Clone, Copy, Debug)]
pub struct TopicDescription<'a> {
    /// Fully qualified name of the topic after remapping.
    pub name: &'a str,
    /// Type of the messages.
    pub message: &'a TypeInfo,
    /// Quality of service of the endpoint.
    pub qos: &'a Qos,
}

/// Topic of a publisher of another node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteTopic {
    /// Fully qualified name of the topic.
    pub name: String,
    /// ROS name of the type of its messages, such as `sensor_msgs/msg/Imu`.
    pub message_type: String,
}

/// Name, types and QoS of a new service.
#[derive(Clone, Copy, Debug)]
pub struct ServiceDescription<'a> {
    /// Fully qualified name of the service after remapping.
    pub name: &'a str,
    /// Type of the service.
    pub info: &'a ServiceInfo,
    /// Quality of service of requests and responses.
    pub qos: &'a Qos,
}

/// Receiver of warnings about endpoints, such as an incompatible QoS. It can be called on any
/// thread.
pub type WarningHandler = Box<dyn Fn(&str) + Send>;

/// Describes a peer of a publisher or subscription of `topic` that does not match because of
/// `policy`, such as `reliability`.
pub fn incompatibility(topic: &str, is_publisher: bool, policy: &str) -> String {
    if is_publisher {
        format!(
            "a subscription on {topic} requests an incompatible QoS ({policy}); it receives no messages"
        )
    } else {
        format!(
            "a publisher on {topic} offers an incompatible QoS ({policy}); its messages are not received"
        )
    }
}

/// Describes a peer of `topic`, a topic or a service, whose definition of the type is another.
pub fn redefinition(topic: &str) -> String {
    format!(
        "a peer of {topic} has another definition of its type, as of another version of the package; \
         its messages and requests can be misread; install the same version (for services of \
         simulation_interfaces 1 set the parameter simulation_interfaces_version to 1)"
    )
}

/// An endpoint of a node. Dropping it ends it.
pub trait Endpoint: Send + Sync {}

impl<T: Send + Sync> Endpoint for T {}

/// Endpoint of a publisher. Dropping it ends it.
pub trait PublisherEndpoint: Endpoint {
    /// Returns the number of matched subscriptions.
    fn subscriber_count(&self) -> usize;
    /// Returns the number of messages that left the history before every reliable subscription had
    /// acknowledged them.
    fn dropped(&self) -> u64;
    /// Sends a little-endian CDR message with its encapsulation header. The embedded backend never
    /// waits for a subscription; an RMW can.
    ///
    /// # Errors
    /// The message is too large, or the backend is closed.
    fn publish(&self, message: Bytes) -> Result<(), PublishError>;
}

/// Receiver of the replies to a client: the number of the request, and the response with its
/// encapsulation header. It is called on a thread of the backend.
pub type ReplyHandler = Box<dyn FnMut(i64, &[u8]) + Send>;

/// Endpoint of a client. Dropping it ends it.
pub trait ClientEndpoint: Endpoint {
    /// Returns the number of servers that receive the next request and whose reply arrives.
    fn server_count(&self) -> usize;
    /// Sends a little-endian CDR request with its encapsulation header and returns its number.
    ///
    /// # Errors
    /// The request lacks its header or is too large, or the backend is closed.
    fn call(&self, request: &[u8]) -> Result<i64, PublishError>;
}

/// Messages that are published while the value exists may share datagrams.
pub trait Batch {}

impl<T> Batch for T {}

/// A layer that connects one node to the ROS 2 network.
///
/// Messages are byte strings in CDR with the encapsulation header. All errors are one line of text.
pub trait Backend: Send + Sync {
    /// Creates a publisher.
    ///
    /// # Errors
    /// The layer refuses the endpoint.
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Arc<dyn PublisherEndpoint>, String>;

    /// Creates a subscription whose messages `callback` receives, on a thread of the backend.
    ///
    /// # Errors
    /// The layer refuses the endpoint.
    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Arc<dyn Endpoint>, String>;

    /// Creates the server of a service whose requests `handler` receives, on a thread of the
    /// backend.
    ///
    /// # Errors
    /// The layer refuses the endpoint.
    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Arc<dyn Endpoint>, String>;

    /// Creates a client of a service whose replies `handler` receives.
    ///
    /// # Errors
    /// The layer refuses the endpoint.
    fn create_client(
        &self,
        service: &ServiceDescription<'_>,
        handler: ReplyHandler,
    ) -> Result<Arc<dyn ClientEndpoint>, String>;

    /// Passes later warnings about endpoints to `handler`.
    fn set_warning_handler(&self, handler: WarningHandler);

    /// Starts a batch of messages.
    fn batch(&self) -> Box<dyn Batch + '_>;

    /// Returns the topics of the publishers of other nodes, sorted by name. A layer without this
    /// information returns none.
    fn remote_topics(&self) -> Vec<RemoteTopic> {
        Vec::new()
    }

    /// Returns the names of the services of other nodes. A layer without this information returns
    /// none.
    fn remote_services(&self) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// Returns whether every matched reliable subscription and every waiting client has received all
    /// messages that were published before, and requests their acknowledgements; `None` if the layer
    /// does not tell. A received message is in the queue of its subscription; messages that arrive
    /// later have their place behind it.
    fn all_received(&self) -> Option<bool> {
        None
    }

    /// Returns the counters since the backend started; `None` if it has none.
    fn counters(&self) -> Option<NetworkCounters>;

    /// Ends all callbacks and endpoints and leaves the network. Waits for the callback that runs,
    /// so it must not be called in a callback.
    fn close(&self);
}
