//! A ROS 2 node: one DDS participant, its endpoints, and the thread that serves them.
//!
//! The node maps names, quality of service and discovery of ROS to DDS. It does not interpret
//! messages: callers provide encoded bytes and type names.

use std::fmt;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use merrow_rtps::participant::{Participant, ParticipantConfig, Reader, Writer};
use merrow_rtps::udp::discovery::Discovery;
use merrow_rtps::udp::mailbox::Mailbox;
use merrow_rtps::wire::Guid;

use crate::args::NodeOptions;
use crate::dds::graph::Graph;
use crate::dds::network::Network;
use crate::dds::publisher::Publisher;
use crate::dds::rosout::Logger;
use crate::dds::service::{AnyHandler, DeferredHandler, Handler, Service, ServiceServer};
use crate::dds::spin::{Command, Item, Source, Spinner};
use crate::dds::transport::{Inbox, InboxSink, endpoint_spec, range};
use crate::dds::type_description::{self, KnownTypes};
use crate::message::{Message, Service as ServiceType, TypeInfo};
use crate::msg::rmw_dds_common::ParticipantEntitiesInfo;
use crate::names;
use crate::names::{Endpoint, NameError, NameResolver};
use crate::qos::{History, Qos};

/// Callback of a subscription. It receives the CDR bytes of each message, including the
/// encapsulation header. It must not drop the node, which would wait for its own thread.
pub type Callback = Box<dyn FnMut(&[u8]) + Send>;

/// Reason why a node or an endpoint could not be created.
#[derive(Debug)]
pub enum NodeError {
    /// A name is not valid.
    Name(NameError),
    /// The operating system returned an error. The text contains the attempted operation and the
    /// cause.
    Dds(String),
}

impl NodeError {
    /// Wraps an error together with the attempted operation.
    fn dds(attempt: impl fmt::Display, error: impl fmt::Display) -> Self {
        Self::Dds(format!("{attempt}: {error}"))
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::Dds(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for NodeError {}

impl From<NameError> for NodeError {
    fn from(error: NameError) -> Self {
        Self::Name(error)
    }
}

/// A ROS 2 node. Dropping it stops its threads and removes its endpoints from the network.
pub struct Node {
    // dropped first, because callbacks may use the endpoints of the node
    _spinner: Spinner,
    logger: Logger,
    _type_descriptions: Option<Service>,
    shared: Arc<Shared>,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.shared.participant.leave();
    }
}

/// State of the node that its endpoints share.
pub(crate) struct Shared {
    participant: Participant,
    names: NameResolver,
    inbox: Inbox,
    graph: Arc<Graph>,
    types: Arc<KnownTypes>,
}

/// A subscription. Dropping it ends it.
#[must_use = "dropping a subscription ends it"]
pub struct Subscription {
    topic: String,
    _endpoint: EndpointGuard,
}

impl Subscription {
    /// Returns the fully qualified name after remapping.
    pub fn topic(&self) -> &str {
        &self.topic
    }
}

/// Removes endpoints from the node's thread and the node graph when its handle is dropped.
pub(crate) struct EndpointGuard {
    shared: Weak<Shared>,
    guids: Vec<Guid>,
    /// Reader and writer that end with the guard; those of a publisher end with the publisher.
    _reader: Option<Reader>,
    _writer: Option<Arc<Writer>>,
}

impl Drop for EndpointGuard {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.graph.remove(&self.guids);
            for guid in &self.guids {
                shared.inbox.forget(guid.entity);
                shared.command(Command::Remove(guid.entity));
            }
        }
    }
}

impl Node {
    /// Joins the DDS domain and starts the node's threads.
    ///
    /// # Errors
    /// The names of the node are not valid, or a socket or thread could not be created.
    pub fn new(options: &NodeOptions) -> Result<Self, NodeError> {
        let names = NameResolver::new(
            &options.namespace,
            &options.name,
            options.remappings.clone(),
        )?;
        let inbox = Inbox::new(Mailbox::new());
        let participant = participant(options, &names, Arc::clone(&inbox))?;
        let graph = Arc::new(Graph::new(participant.guid(), options.gid_size, &names));
        let spinner = Spinner::start(Arc::clone(&inbox), Arc::clone(&graph))
            .map_err(|e| NodeError::dds("starting the thread that serves ROS", e))?;
        let shared = Arc::new(Shared {
            participant,
            names,
            inbox,
            graph,
            types: Arc::default(),
        });
        shared.announce();
        let logger = Logger::start(&shared, shared.names.logger_name(), options)?;
        shared.command(Command::Log(logger.clone()));
        let mut node = Self {
            _spinner: spinner,
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
        let shared = &self.shared;
        let topic = shared.names.resolve(Endpoint::Topic, topic)?;
        let dds_topic = names::dds_topic(&topic);
        let spec = endpoint_spec(dds_topic, &message.dds_name, &message.hash, qos);
        shared.add_type(message);
        let reader = shared.participant.create_reader(spec, |guid| {
            shared.command(Command::Name(guid.entity, topic.clone()));
            shared.command(Command::Add(guid.entity, Source::Subscription(callback)));
        });
        let endpoint = shared.guard(vec![reader.guid()], Some(reader), None);
        Ok(Subscription {
            topic,
            _endpoint: endpoint,
        })
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
        self.serve::<S>(name, qos, AnyHandler::Now(handler))
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
        self.serve::<S>(name, qos, AnyHandler::Later(handler))
    }

    fn serve<S: ServiceType>(
        &self,
        name: &str,
        qos: &Qos,
        handler: AnyHandler,
    ) -> Result<Service, NodeError> {
        let shared = &self.shared;
        let name = shared.names.resolve(Endpoint::Service, name)?;
        let spec = |topic, info: &TypeInfo, qos: &Qos| {
            endpoint_spec(topic, &info.dds_name, S::type_hash(), qos)
        };
        shared.types.add(S::type_hash(), S::description);
        let replies = spec(names::dds_reply_topic(&name), S::Response::info(), qos);
        let writer = Arc::new(shared.participant.create_writer(replies));
        // requests wait for the callback before them; none may be lost
        let qos = Qos {
            history: History::KeepAll,
            ..*qos
        };
        let requests = spec(names::dds_request_topic(&name), S::Request::info(), &qos);
        let reader = shared.participant.create_reader(requests, |guid| {
            let (participant, inbox) = (shared.participant.clone(), Arc::clone(&shared.inbox));
            let writer = Arc::clone(&writer);
            let server = ServiceServer::new(handler, participant, guid, writer, inbox);
            shared.command(Command::Name(guid.entity, name.clone()));
            shared.command(Command::Add(guid.entity, Source::Service(server)));
        });
        shared.command(Command::Name(writer.guid().entity, name.clone()));
        let guids = vec![reader.guid(), writer.guid()];
        let endpoint = shared.guard(guids, Some(reader), Some(writer));
        Ok(Service::new(name, endpoint))
    }

    /// Returns the node's logger; its clones can be used on any thread.
    pub fn logger(&self) -> &Logger {
        &self.logger
    }

    /// Returns the handle to the network of the node.
    pub fn network(&self) -> Network {
        Network::new(
            self.shared.participant.clone(),
            Arc::clone(&self.shared.inbox),
        )
    }

    /// Returns the name resolver of the node.
    pub fn names(&self) -> &NameResolver {
        &self.shared.names
    }
}

/// Creates the participant with the discovery that the options allow.
fn participant(
    options: &NodeOptions,
    names: &NameResolver,
    inbox: Inbox,
) -> Result<Participant, NodeError> {
    let peers = options.static_peers.iter().map(String::as_str);
    let discovery = Discovery::new(range(options.discovery), peers)
        .map_err(|e| NodeError::dds("ROS_STATIC_PEERS", e))?;
    let config = ParticipantConfig {
        domain_id: options.domain_id,
        name: names.full_node_name(),
        // without this entry the RMWs do not list the participant
        user_data: Bytes::from_static(b"enclave=/;"),
        discovery,
    };
    Participant::join(&config, InboxSink(inbox))
        .map_err(|e| NodeError::dds(format_args!("joining DDS domain {}", options.domain_id), e))
}

impl Shared {
    /// Publishes the endpoints of this node on `ros_discovery_info`.
    fn announce(&self) {
        let hash = &ParticipantEntitiesInfo::info().hash;
        let topic = Graph::TOPIC.to_owned();
        let spec = endpoint_spec(topic, Graph::DDS_TYPE, hash, &Qos::DISCOVERY_INFO);
        self.graph.start(self.participant.create_writer(spec));
        self.command(Command::CheckGraph);
    }

    /// Creates a publisher of the node.
    pub(crate) fn publisher(
        self: &Arc<Self>,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
    ) -> Result<Publisher, NodeError> {
        let topic = self.names.resolve(Endpoint::Topic, topic)?;
        let dds_topic = names::dds_topic(&topic);
        let spec = endpoint_spec(dds_topic, &message.dds_name, &message.hash, qos);
        self.add_type(message);
        let writer = self.participant.create_writer(spec);
        let guid = writer.guid();
        self.command(Command::Name(guid.entity, topic.clone()));
        let endpoint = self.guard(vec![guid], None, None);
        Ok(Publisher::new(topic, writer, qos, endpoint))
    }

    /// Adds endpoints to the graph until the guard is dropped.
    fn guard(
        self: &Arc<Self>,
        guids: Vec<Guid>,
        reader: Option<Reader>,
        writer: Option<Arc<Writer>>,
    ) -> EndpointGuard {
        self.graph.add(&guids);
        self.command(Command::CheckGraph);
        EndpointGuard {
            shared: Arc::downgrade(self),
            guids,
            _reader: reader,
            _writer: writer,
        }
    }

    /// Makes the description of a message type available to other nodes.
    fn add_type(&self, message: &TypeInfo) {
        let description = || message.description.clone();
        self.types.add(&message.hash, description);
    }

    fn command(&self, command: Command) {
        self.inbox.push_event(Item::Command(command));
    }
}
