//! A ROS 2 node: one DDS participant, its endpoints, and the thread that serves them.
//!
//! The node maps names, quality of service and discovery of ROS to DDS. It does not interpret
//! messages: callers provide encoded bytes and type names.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use rustdds::mio1::event::Source as _;
use rustdds::mio1::{Interest, Token};
use rustdds::{
    DomainParticipant, DomainParticipantBuilder, GUID, QosPolicies, RTPSEntity, StatusEvented,
    Timestamp, Topic, TopicKind,
};

use crate::args::{DiscoveryRange, NodeOptions};
use crate::dds::goodbye::Goodbye;
use crate::dds::graph::Graph;
use crate::dds::large_reply::ReplyWriter;
use crate::dds::limits::raise_open_files;
use crate::dds::networks::Networks;
use crate::dds::publisher::Publisher;
use crate::dds::rosout::Logger;
use crate::dds::service::{DeferredHandler, Handler, Service, ServiceServer};
use crate::dds::spin::{Source, Spinner, SpinnerHandle};
use crate::dds::transport::{Inbox, RawAdapter, RawReader, RawWriter, qos_policies};
use crate::message::TypeInfo;
use crate::names;
use crate::names::{Endpoint, NameError, NameResolver};
use crate::qos::{Durability, Qos};

/// Pause after each new endpoint.
///
/// Discovery receives announcements through a queue of 1024 entries and loses those that do not
/// fit; a world creates hundreds of endpoints at once.
const ANNOUNCE_PAUSE: Duration = Duration::from_micros(500);

/// Callback of a subscription. It receives the CDR bytes of each message, including the
/// encapsulation header. It must not drop the node, which would wait for its own thread.
pub type Callback = Box<dyn FnMut(&[u8]) + Send>;

/// Reason why a node or an endpoint could not be created.
#[derive(Debug)]
pub enum NodeError {
    /// A name is not valid.
    Name(NameError),
    /// The DDS library or the operating system returned an error. The text contains the attempted
    /// operation and the cause.
    Dds(String),
}

impl NodeError {
    /// Wraps an error of the DDS library together with the attempted operation.
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

/// A ROS 2 node. Dropping it stops its thread and removes its endpoints from the network.
pub struct Node {
    // dropped first, because its endpoints must be disposed while the participant still exists
    _spinner: Spinner,
    logger: Logger,
    shared: Arc<Shared>,
    // dropped last, because it sends the packet for a participant that has left
    _goodbye: Goodbye,
}

/// State of the node that its endpoints share.
pub(crate) struct Shared {
    participant: DomainParticipant,
    dds_publisher: rustdds::Publisher,
    dds_subscriber: rustdds::Subscriber,
    names: NameResolver,
    pub(crate) spinner: SpinnerHandle,
    pub(crate) graph: Arc<Graph>,
    networks: Arc<Networks>,
    next_token: AtomicUsize,
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

/// Removes an endpoint from the spinner and the node graph when its handle is dropped.
pub(crate) struct EndpointGuard {
    shared: Weak<Shared>,
    token: Token,
    guids: Vec<GUID>,
}

impl Drop for EndpointGuard {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.graph.remove(&self.guids);
            shared.spinner.remove(self.token);
        }
    }
}

impl Node {
    /// Joins the DDS domain and starts the node's thread.
    ///
    /// # Errors
    /// The names of the node are not valid, or a socket or thread could not be created.
    pub fn new(options: &NodeOptions) -> Result<Self, NodeError> {
        let names = NameResolver::new(
            &options.namespace,
            &options.name,
            options.remappings.clone(),
        )?;
        raise_open_files();
        let attempt = format!("joining DDS domain {}", options.domain_id);
        let participant = participant(options).map_err(|e| NodeError::dds(&attempt, e))?;
        let none = QosPolicies::qos_none();
        let dds_publisher = participant
            .create_publisher(&none)
            .map_err(|e| NodeError::dds(&attempt, e))?;
        let dds_subscriber = participant
            .create_subscriber(&none)
            .map_err(|e| NodeError::dds(&attempt, e))?;
        let graph = Arc::new(Graph::new(participant.guid(), options.gid_size, &names));
        let (spinner, handle) = Spinner::start(Arc::clone(&graph))
            .map_err(|e| NodeError::dds("starting the thread that serves ROS", e))?;
        let shared = Arc::new(Shared {
            participant,
            dds_publisher,
            dds_subscriber,
            names,
            spinner: handle,
            graph,
            networks: Arc::new(Networks::detect()),
            next_token: AtomicUsize::new(0),
        });
        shared.announce()?;
        let logger = Logger::start(&shared, shared.names.logger_name(), options)?;
        let goodbye = Goodbye::new(
            shared.participant.guid(),
            options.domain_id,
            options.discovery,
        );
        Ok(Self {
            _spinner: spinner,
            logger,
            shared,
            _goodbye: goodbye,
        })
    }

    /// Creates a publisher. `topic` may be absolute, relative to the namespace or private
    /// (`~/...`).
    ///
    /// # Errors
    /// The name is not valid, or the endpoint could not be created.
    pub fn publisher(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
    ) -> Result<Publisher, NodeError> {
        self.shared.publisher(topic, &message.dds_name, qos)
    }

    /// Creates a subscription. The node's thread calls `callback` with the complete bytes of each
    /// message as received. The callback must return quickly, because it blocks all other callbacks
    /// of the node.
    ///
    /// # Errors
    /// The name is not valid, or the endpoint could not be created.
    pub fn subscription(
        &self,
        topic: &str,
        message: &TypeInfo,
        qos: &Qos,
        callback: Callback,
    ) -> Result<Subscription, NodeError> {
        let topic = self.shared.names.resolve(Endpoint::Topic, topic)?;
        let token = self.shared.new_token();
        let inbox = self
            .shared
            .reader(&names::dds_topic(&topic), &message.dds_name, qos, token)?;
        let guids = vec![inbox.reader.guid()];
        let endpoint = self.shared.spin(
            token,
            guids,
            Source::Subscription {
                inbox: Box::new(inbox),
                callback,
            },
        );
        Ok(Subscription {
            topic,
            _endpoint: endpoint,
        })
    }

    /// Creates the server of a service, for clients of all DDS vendors.
    ///
    /// The node's thread calls `handler` with the request, including the encapsulation header. The
    /// handler returns the response in the same form. It returns `None` if the request cannot be
    /// decoded; the client then receives no reply.
    ///
    /// # Errors
    /// The name is not valid, or the endpoints could not be created.
    pub fn service(
        &self,
        name: &str,
        request: &TypeInfo,
        response: &TypeInfo,
        qos: &Qos,
        handler: Handler,
    ) -> Result<Service, NodeError> {
        self.serve(name, (request, response), qos, |inbox, writer, _| {
            ServiceServer::new(inbox, writer, handler)
        })
    }

    /// Creates the server of a service whose responses may take time. `handler` returns
    /// immediately. The node continues to serve other endpoints until any thread uses the
    /// responder.
    ///
    /// # Errors
    /// The name is not valid, or the endpoints could not be created.
    pub fn deferred_service(
        &self,
        name: &str,
        request: &TypeInfo,
        response: &TypeInfo,
        qos: &Qos,
        handler: DeferredHandler,
    ) -> Result<Service, NodeError> {
        self.serve(name, (request, response), qos, |inbox, writer, token| {
            ServiceServer::deferred(inbox, writer, handler, self.shared.spinner.alarm(token))
        })
    }

    fn serve(
        &self,
        name: &str,
        (request, response): (&TypeInfo, &TypeInfo),
        qos: &Qos,
        server: impl FnOnce(Inbox, ReplyWriter, Token) -> ServiceServer,
    ) -> Result<Service, NodeError> {
        let name = self.shared.names.resolve(Endpoint::Service, name)?;
        let token = self.shared.new_token();
        let writer = self.shared.writer(
            &names::dds_reply_topic(&name),
            &response.dds_name,
            qos,
            token,
        )?;
        let inbox = self.shared.reader(
            &names::dds_request_topic(&name),
            &request.dds_name,
            qos,
            token,
        )?;
        let guids = vec![inbox.reader.guid(), writer.guid()];
        let server = server(
            inbox,
            ReplyWriter::new(writer, Arc::clone(&self.shared.networks)),
            token,
        );
        let endpoint = self
            .shared
            .spin(token, guids, Source::Service(Box::new(server)));
        Ok(Service::new(name, endpoint))
    }

    /// Returns the node's logger; its clones can be used on any thread.
    pub fn logger(&self) -> &Logger {
        &self.logger
    }

    /// Returns the name resolver of the node.
    pub fn names(&self) -> &NameResolver {
        &self.shared.names
    }
}

/// Creates the participant on the networks that the options allow.
fn participant(options: &NodeOptions) -> rustdds::dds::result::CreateResult<DomainParticipant> {
    let builder = DomainParticipantBuilder::new(options.domain_id);
    match options.discovery {
        DiscoveryRange::Subnet => builder,
        DiscoveryRange::Localhost => builder.with_only_networks([IpAddr::V4(Ipv4Addr::LOCALHOST)]),
        DiscoveryRange::Off => builder
            .with_only_networks(Vec::<IpAddr>::new())
            .same_host_loopback(false),
    }
    .build()
}

impl Shared {
    /// Publishes the endpoints of this node on `ros_discovery_info`.
    fn announce(self: &Arc<Self>) -> Result<(), NodeError> {
        let token = self.new_token();
        let writer = self.writer(Graph::TOPIC, Graph::DDS_TYPE, &Qos::DISCOVERY_INFO, token)?;
        self.graph.start(writer);
        self.spinner.wake();
        Ok(())
    }

    /// Creates a publisher from the name of the DDS type.
    pub(crate) fn publisher(
        self: &Arc<Self>,
        topic: &str,
        dds_type: &str,
        qos: &Qos,
    ) -> Result<Publisher, NodeError> {
        let topic = self.names.resolve(Endpoint::Topic, topic)?;
        let token = self.new_token();
        let writer = self.writer(&names::dds_topic(&topic), dds_type, qos, token)?;
        let guid = writer.guid();
        let (publisher, watch) = Publisher::new(topic, writer, qos);
        let endpoint = self.spin(token, vec![guid], Source::Matches(watch));
        Ok(publisher.with_guard(endpoint))
    }

    fn new_token(&self) -> Token {
        Token(self.next_token.fetch_add(1, Ordering::Relaxed))
    }

    /// Passes a source to the node's thread and adds its endpoints to the graph.
    fn spin(self: &Arc<Self>, token: Token, guids: Vec<GUID>, source: Source) -> EndpointGuard {
        self.graph.add(&guids);
        self.spinner.add(token, source);
        EndpointGuard {
            shared: Arc::downgrade(self),
            token,
            guids,
        }
    }

    fn topic(
        &self,
        name: &str,
        dds_type: &str,
        policies: &QosPolicies,
    ) -> Result<Topic, NodeError> {
        self.participant
            .create_topic(
                name.to_owned(),
                dds_type.to_owned(),
                policies,
                TopicKind::NoKey,
            )
            .map_err(|e| NodeError::dds(format_args!("creating DDS topic {name}"), e))
    }

    /// Creates a writer whose match events wake the node's thread with `token`.
    fn writer(
        &self,
        dds_topic: &str,
        dds_type: &str,
        qos: &Qos,
        token: Token,
    ) -> Result<RawWriter, NodeError> {
        let attempt = format!("creating the writer of {dds_topic}");
        let policies = qos_policies(qos);
        let topic = self.topic(dds_topic, dds_type, &policies)?;
        let mut writer: RawWriter = self
            .dds_publisher
            .create_datawriter_no_key(&topic, Some(policies))
            .map_err(|e| NodeError::dds(&attempt, e))?;
        writer
            .as_status_source_mio1()
            .register(self.spinner.registry(), token, Interest::READABLE)
            .map_err(|e| NodeError::dds(&attempt, e))?;
        std::thread::sleep(ANNOUNCE_PAUSE);
        Ok(writer)
    }

    /// Creates a reader whose samples wake the node's thread with `token`.
    fn reader(
        &self,
        dds_topic: &str,
        dds_type: &str,
        qos: &Qos,
        token: Token,
    ) -> Result<Inbox, NodeError> {
        let attempt = format!("creating the reader of {dds_topic}");
        let policies = qos_policies(qos);
        let since = (qos.durability == Durability::Volatile).then(Timestamp::now);
        let topic = self.topic(dds_topic, dds_type, &policies)?;
        let mut reader: RawReader = self
            .dds_subscriber
            .create_simple_datareader_no_key::<Vec<u8>, RawAdapter>(&topic, Some(policies))
            .map_err(|e| NodeError::dds(&attempt, e))?;
        reader
            .register(self.spinner.registry(), token, Interest::READABLE)
            .and_then(|()| {
                reader.as_status_source_mio1().register(
                    self.spinner.registry(),
                    token,
                    Interest::READABLE,
                )
            })
            .map_err(|e| NodeError::dds(&attempt, e))?;
        std::thread::sleep(ANNOUNCE_PAUSE);
        Ok(Inbox { reader, since })
    }
}
