//! A ROS 2 node: publishers, subscriptions, services, actions, parameters and log.
//!
//! The node resolves names and maps them to the endpoints of a backend. It does not interpret
//! messages: callers provide encoded bytes and type names.

mod action;
#[cfg(test)]
mod backend_tests;
mod client;
mod clock;
mod network;
mod parameter_services;
mod publisher;
mod rosout;
mod service;
mod type_description;

use std::sync::Arc;

use crate::args::NodeOptions;
use crate::backend::{Backend, Endpoint, ServiceDescription, TopicDescription};
use crate::embedded::EmbeddedBackend;
use crate::message::{Service as ServiceType, ServiceInfo, TypeInfo};
use crate::names::{Endpoint as NameKind, NameError, NameResolver};
use crate::node::client::{Waiting, reply_handler};
use crate::node::service::{LocalHandler, LocalServices, respond_at_once};
use crate::node::type_description::KnownTypes;
use crate::qos::Qos;
use crate::succession::SuccessionBackend;

pub use crate::node::action::{ActionServer, Executor, GoalHandle};
pub use crate::node::client::{Client, ResponseHandler};
pub use crate::node::clock::Clock;
pub use crate::node::network::{Network, NetworkCounters};
pub use crate::node::parameter_services::{ParameterServices, changed_values, parameter_event};
pub use crate::node::publisher::{PublishError, Publisher};
pub use crate::node::rosout::{Logger, shortened};
pub use crate::node::service::{DeferredHandler, Handler, Responder, Service};

/// Callback of a subscription. It receives the CDR bytes of each message, including the
/// encapsulation header. It must not drop the node, which would wait for its own thread.
pub type Callback = Box<dyn FnMut(&[u8]) + Send>;

/// Reason why a node or an endpoint could not be created.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// A name is not valid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The backend returned an error. The text contains the attempted operation and the cause.
    #[error("{0}")]
    Backend(String),
}

/// A ROS 2 node. Dropping it stops its threads and removes its endpoints from the network.
pub struct Node {
    logger: Logger,
    _type_descriptions: Option<Service>,
    shared: Arc<Shared>,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.shared.backend.close();
    }
}

/// State of the node that its parts share.
pub(crate) struct Shared {
    backend: Arc<dyn Backend>,
    names: NameResolver,
    types: Arc<KnownTypes>,
    local: Arc<LocalServices>,
}

/// A subscription. Dropping it ends it.
#[must_use = "dropping a subscription ends it"]
pub struct Subscription {
    topic: String,
    _endpoint: Arc<dyn Endpoint>,
}

impl Subscription {
    /// Returns the fully qualified name after remapping.
    pub fn topic(&self) -> &str {
        &self.topic
    }
}

impl Node {
    /// Joins the DDS domain with the embedded backend and starts the node's threads.
    ///
    /// # Errors
    /// The names of the node are not valid, or a socket or thread could not be created.
    pub fn new(options: &NodeOptions) -> Result<Self, NodeError> {
        let names = resolver(options)?;
        let backend = EmbeddedBackend::join(options, &names).map_err(NodeError::Backend)?;
        Self::start(options, names, Arc::new(backend))
    }

    /// Returns the same as [`Node::new`], for a program whose topics and services change while it
    /// runs. An endpoint with the name, type and QoS of an existing one takes its place without
    /// leaving the network. Messages and requests go to the callback of the newer one. A publisher
    /// keeps its history.
    ///
    /// # Errors
    /// As [`Node::new`].
    pub fn with_succession(options: &NodeOptions) -> Result<Self, NodeError> {
        let names = resolver(options)?;
        let backend = EmbeddedBackend::join(options, &names).map_err(NodeError::Backend)?;
        Self::with_succession_on(options, Arc::new(backend))
    }

    /// Starts a node as [`Node::with_succession`] does, on another backend, which has joined the
    /// network with the name of the node.
    ///
    /// # Errors
    /// As [`Node::with_backend`].
    pub fn with_succession_on(
        options: &NodeOptions,
        backend: Arc<dyn Backend>,
    ) -> Result<Self, NodeError> {
        let backend = SuccessionBackend::new(backend);
        Self::start(options, resolver(options)?, Arc::new(backend))
    }

    /// Starts a node on another backend, which has joined the network with the name of the node.
    ///
    /// # Errors
    /// The names of the node are not valid, or the backend refuses an endpoint.
    pub fn with_backend(
        options: &NodeOptions,
        backend: Arc<dyn Backend>,
    ) -> Result<Self, NodeError> {
        Self::start(options, resolver(options)?, backend)
    }

    fn start(
        options: &NodeOptions,
        names: NameResolver,
        backend: Arc<dyn Backend>,
    ) -> Result<Self, NodeError> {
        let shared = Arc::new(Shared {
            backend,
            names,
            types: Arc::default(),
            local: Arc::default(),
        });
        let logger = Logger::start(&shared, shared.names.logger_name(), options)?;
        let for_warnings = logger.clone();
        let warn = move |text: &str| for_warnings.warn(text);
        shared.backend.set_warning_handler(Box::new(warn));
        let mut node = Self {
            logger,
            _type_descriptions: None,
            shared,
        };
        let types = Arc::clone(&node.shared.types);
        node._type_descriptions = Some(type_description::serve(&node, types)?);
        Ok(node)
    }

    /// Creates a publisher. `topic` may be absolute, relative to the namespace or private
    /// (`~/...`).
    ///
    /// # Errors
    /// The name is not valid.
    pub fn publisher(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
    ) -> Result<Publisher, NodeError> {
        self.shared.publisher(topic, message, qos)
    }

    /// Creates a subscription. The node's thread calls `callback` with the complete bytes of each
    /// message as received. The callback must return quickly, because it blocks all other callbacks
    /// of the node.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn subscription(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
        callback: Callback,
    ) -> Result<Subscription, NodeError> {
        self.shared.subscription(topic, message, qos, callback)
    }

    /// Creates the server of service `S`, for clients of all DDS vendors.
    ///
    /// The node's thread calls `handler` with the request, including the encapsulation header. The
    /// handler returns the response in the same form. It returns `None` if the request cannot be
    /// decoded; the client then receives no reply.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn service<S: ServiceType>(
        &self,
        name: &str,
        qos: &Qos,
        handler: Handler,
    ) -> Result<Service, NodeError> {
        self.deferred_service::<S>(name, qos, respond_at_once(handler))
    }

    /// Creates the server of service `S` whose responses may take time. `handler` returns
    /// immediately. The node continues to serve other endpoints until any thread uses the
    /// responder.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn deferred_service<S: ServiceType>(
        &self,
        name: &str,
        qos: &Qos,
        handler: DeferredHandler,
    ) -> Result<Service, NodeError> {
        self.service_of_type(&S::info(), name, qos, handler)
    }

    /// Creates the server of a service whose type is known at run time only. Requests and responses
    /// are bytes with their encapsulation header. The rest is as in [`Node::deferred_service`].
    ///
    /// # Errors
    /// The name is not valid.
    pub fn service_of_type(
        &self,
        info: &ServiceInfo,
        name: &str,
        qos: &Qos,
        handler: DeferredHandler,
    ) -> Result<Service, NodeError> {
        let shared = &self.shared;
        let name = shared.names.resolve(NameKind::Service, name)?;
        shared.types.add(info.whole);
        let handler = LocalHandler::new(handler);
        let description = ServiceDescription {
            name: &name,
            info,
            qos,
        };
        let created = shared
            .backend
            .create_service(&description, handler.for_backend());
        let endpoint = created.map_err(NodeError::Backend)?;
        shared.local.add(&name, &handler);
        Ok(Service::new(name, handler, endpoint))
    }

    /// Creates a client of service `S`, for servers of all DDS vendors.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn client<S: ServiceType>(&self, name: &str, qos: &Qos) -> Result<Client, NodeError> {
        self.client_of_type(&S::info(), name, qos)
    }

    /// Creates a client of a service whose type is known at run time only. It also reaches a server
    /// of this node, without the network.
    ///
    /// # Errors
    /// The name is not valid.
    pub fn client_of_type(
        &self,
        info: &ServiceInfo,
        name: &str,
        qos: &Qos,
    ) -> Result<Client, NodeError> {
        let shared = &self.shared;
        let name = shared.names.resolve(NameKind::Service, name)?;
        shared.types.add(info.whole);
        let description = ServiceDescription {
            name: &name,
            info,
            qos,
        };
        let waiting = Waiting::default();
        let created = shared
            .backend
            .create_client(&description, reply_handler(&waiting));
        let endpoint = created.map_err(NodeError::Backend)?;
        Ok(Client::new(
            name,
            waiting,
            endpoint,
            Arc::clone(&shared.local),
        ))
    }

    /// Returns the node's logger; its clones can be used on any thread.
    pub fn logger(&self) -> &Logger {
        &self.logger
    }

    /// Returns a handle for batches of messages and for the counters, which any thread can use.
    pub fn network(&self) -> Network {
        Network::new(Arc::clone(&self.shared.backend))
    }

    /// Returns the resolver that applies namespace and remapping rules to names.
    pub fn names(&self) -> &NameResolver {
        &self.shared.names
    }
}

/// Resolves the names of a node.
fn resolver(options: &NodeOptions) -> Result<NameResolver, NameError> {
    let remappings = options.remappings.clone();
    NameResolver::new(&options.namespace, &options.name, remappings)
}

impl Shared {
    /// Creates a publisher of the node.
    pub(crate) fn publisher(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
    ) -> Result<Publisher, NodeError> {
        let topic = self.names.resolve(NameKind::Topic, topic)?;
        self.types.add(message);
        let description = TopicDescription {
            name: &topic,
            message,
            qos,
        };
        let created = self.backend.create_publisher(&description);
        let endpoint = created.map_err(NodeError::Backend)?;
        Ok(Publisher::new(topic, qos, endpoint))
    }

    /// Creates a subscription of the node.
    pub(crate) fn subscription(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
        callback: Callback,
    ) -> Result<Subscription, NodeError> {
        let topic = self.names.resolve(NameKind::Topic, topic)?;
        self.types.add(message);
        let description = TopicDescription {
            name: &topic,
            message,
            qos,
        };
        let created = self.backend.create_subscription(&description, callback);
        let endpoint = created.map_err(NodeError::Backend)?;
        Ok(Subscription {
            topic,
            _endpoint: endpoint,
        })
    }
}
