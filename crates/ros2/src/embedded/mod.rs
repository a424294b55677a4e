//! Embedded backend: the network of a node on the crate `rtps`, for machines without ROS.
//!
//! One thread (`spin.rs`) calls every subscription and service. Publishing runs on the caller's
//! thread and never waits. Only the files of this folder use the crate `rtps`.

mod client;
mod graph;
mod service;
mod spin;
mod transport;

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use merrow_rtps::engine::{EndpointSpec, OutgoingSample, ReaderFilter, WriteError};
use merrow_rtps::participant::{Participant, ParticipantConfig, Reader, Writer};
use merrow_rtps::udp::discovery::Discovery;
use merrow_rtps::udp::mailbox::Mailbox;
use merrow_rtps::wire::{EndpointData, Guid, VendorId};

use crate::args::NodeOptions;
use crate::backend::{
    Backend, Batch, ClientEndpoint, Endpoint, PublisherEndpoint, RemoteTopic, ReplyHandler,
    ServiceDescription, TopicDescription, WarningHandler,
};
use crate::embedded::client::{EmbeddedClient, ReplyReceiver, Requests};
use crate::embedded::graph::Graph;
use crate::embedded::service::ServiceServer;
use crate::embedded::spin::{Command, Item, Named, Source, Spinner, announced_hash};
use crate::embedded::transport::{Inbox, InboxSink, endpoint_spec, range};
use crate::message::{Message, TypeInfo};
use crate::msg::rmw_dds_common::ParticipantEntitiesInfo;
use crate::names::{self, NameResolver};
use crate::node::{Callback, DeferredHandler, NetworkCounters, PublishError};
use crate::qos::{History, Qos};

/// Backend with one RTPS participant for the node.
pub struct EmbeddedBackend {
    shared: Arc<Shared>,
    /// Thread of the callbacks; `None` once the backend is closed.
    spinner: Mutex<Option<Spinner>>,
}

/// State that the endpoints share.
struct Shared {
    participant: Participant,
    inbox: Inbox,
    graph: Arc<Graph>,
}

impl EmbeddedBackend {
    /// Joins the DDS domain as the node that `names` resolves names for.
    ///
    /// # Errors
    /// A static peer has no address, or a socket or thread could not be created.
    pub fn join(options: &NodeOptions, names: &NameResolver) -> Result<Self, String> {
        let inbox = Inbox::new(Mailbox::new());
        let participant = participant(options, names, Arc::clone(&inbox))?;
        let graph = Arc::new(Graph::new(participant.guid(), names));
        let spinner = Spinner::start(Arc::clone(&inbox), Arc::clone(&graph))
            .map_err(|e| attempt("starting the thread that serves ROS", e))?;
        let shared = Arc::new(Shared {
            participant,
            inbox,
            graph,
        });
        shared.announce();
        Ok(Self {
            shared,
            spinner: Mutex::new(Some(spinner)),
        })
    }
}

/// Describes an error together with the attempted operation.
fn attempt(operation: impl fmt::Display, error: impl fmt::Display) -> String {
    format!("{operation}: {error}")
}

/// Creates the participant with the discovery that the options allow.
fn participant(
    options: &NodeOptions,
    names: &NameResolver,
    inbox: Inbox,
) -> Result<Participant, String> {
    let peers = options.static_peers.iter().map(String::as_str);
    let discovery = Discovery::new(range(options.discovery), peers)
        .map_err(|e| attempt("ROS_STATIC_PEERS", e))?;
    let config = ParticipantConfig {
        domain_id: options.domain_id,
        name: names.full_node_name(),
        // without this entry the RMWs do not list the participant
        user_data: Bytes::from_static(b"enclave=/;"),
        discovery,
    };
    Participant::join(&config, InboxSink(inbox))
        .map_err(|e| attempt(format_args!("joining DDS domain {}", options.domain_id), e))
}

impl Backend for EmbeddedBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Arc<dyn PublisherEndpoint>, String> {
        let writer = self.shared.participant.create_writer(topic_spec(topic));
        let guid = writer.guid();
        self.shared.name(guid, Named::topic(topic));
        Ok(Arc::new(EmbeddedPublisher {
            writer,
            _guard: self.shared.guard(vec![guid], None, None),
        }))
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let shared = &self.shared;
        let reader = shared.participant.create_reader(topic_spec(topic), |guid| {
            shared.name(guid, Named::topic(topic));
            shared.command(Command::Add(guid.entity, Source::Subscription(callback)));
        });
        let guids = vec![reader.guid()];
        Ok(Arc::new(shared.guard(guids, Some(reader), None)))
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let shared = &self.shared;
        let spec = |topic, info: &TypeInfo, qos: &Qos| {
            endpoint_spec(topic, &info.dds_name, service.info.hash, qos)
        };
        let replies = names::dds_reply_topic(service.name);
        let replies = spec(replies, service.info.response, service.qos);
        let writer = Arc::new(shared.participant.create_writer(replies));
        // requests wait for the callback before them; none may be lost
        let qos = Qos {
            history: History::KeepAll,
            ..*service.qos
        };
        let requests = names::dds_request_topic(service.name);
        let requests = spec(requests, service.info.request, &qos);
        let reader = shared.participant.create_reader(requests, |guid| {
            let (participant, inbox) = (shared.participant.clone(), Arc::clone(&shared.inbox));
            let writer = Arc::clone(&writer);
            let server = ServiceServer::new(handler, participant, guid, writer, inbox);
            shared.name(guid, Named::service(service));
            shared.command(Command::Add(guid.entity, Source::Service(server)));
        });
        shared.name(writer.guid(), Named::service(service));
        let guids = vec![reader.guid(), writer.guid()];
        Ok(Arc::new(shared.guard(guids, Some(reader), Some(writer))))
    }

    fn create_client(
        &self,
        service: &ServiceDescription<'_>,
        handler: ReplyHandler,
    ) -> Result<Arc<dyn ClientEndpoint>, String> {
        let shared = &self.shared;
        let spec = |topic, info: &TypeInfo| {
            endpoint_spec(topic, &info.dds_name, service.info.hash, service.qos)
        };
        let mut requests = None;
        let replies = spec(names::dds_reply_topic(service.name), service.info.response);
        let reader = shared.participant.create_reader(replies, |guid| {
            let state = Arc::new(Requests::new(guid));
            let receiver = ReplyReceiver::new(Arc::clone(&state), handler);
            shared.name(guid, Named::service(service));
            shared.command(Command::Add(guid.entity, Source::Client(receiver)));
            requests = Some(state);
        });
        let requests = requests.unwrap_or_else(|| Arc::new(Requests::new(reader.guid())));
        let request = spec(names::dds_request_topic(service.name), service.info.request);
        let writer = |accepts: ReaderFilter| {
            let request = EndpointSpec {
                accepts,
                ..request.clone()
            };
            let writer = shared.participant.create_writer(request);
            shared.name(writer.guid(), Named::service(service));
            Arc::new(writer)
        };
        let with_header = writer(client::reads_header);
        let plain = writer(client::reads_inline_qos);
        // tools count one client per pair of reader and writer
        let guids = vec![reader.guid(), with_header.guid(), plain.guid()];
        Ok(Arc::new(EmbeddedClient {
            participant: shared.participant.clone(),
            requests,
            with_header,
            plain,
            _guard: shared.guard(guids, Some(reader), None),
        }))
    }

    fn set_warning_handler(&self, handler: WarningHandler) {
        self.shared.command(Command::Warn(handler));
    }

    fn batch(&self) -> Box<dyn Batch + '_> {
        Box::new(self.shared.participant.hold_datagrams())
    }

    fn remote_topics(&self) -> Vec<RemoteTopic> {
        let writers = self.shared.participant.remote_writers();
        let topics = writers.iter().filter_map(|(topic, message_type)| {
            Some(RemoteTopic {
                name: names::ros_topic(topic)?.to_owned(),
                message_type: names::ros_type(message_type)?,
            })
        });
        // several nodes can publish a topic
        let topics: BTreeSet<RemoteTopic> = topics.collect();
        topics.into_iter().collect()
    }

    fn remote_services(&self) -> BTreeSet<String> {
        let writers = self.shared.participant.remote_writers();
        let services = writers
            .iter()
            .filter_map(|(topic, _)| names::ros_service(topic));
        services.map(str::to_owned).collect()
    }

    fn all_received(&self) -> Option<bool> {
        Some(self.shared.participant.poll_acknowledgments())
    }

    fn counters(&self) -> Option<NetworkCounters> {
        let (protocol, sockets) = self.shared.participant.counters();
        Some(NetworkCounters {
            sent: sockets.sent,
            received: sockets.received,
            send_errors: sockets.send_errors,
            foreign: sockets.foreign,
            last_foreign: sockets.last_foreign,
            malformed: protocol.malformed,
            refused: protocol.refused,
            skipped: protocol.skipped_samples,
            overtaken: self.shared.inbox.dropped(),
        })
    }

    fn close(&self) {
        self.shared.participant.leave();
        let mut spinner = self.spinner.lock();
        drop(spinner.take());
    }
}

/// Describes the endpoint of a topic.
fn topic_spec(topic: &TopicDescription<'_>) -> EndpointSpec {
    let TopicDescription { name, message, qos } = topic;
    endpoint_spec(
        names::dds_topic(name),
        &message.dds_name,
        &message.hash,
        qos,
    )
}

/// Returns whether a reader announces its type hash. Readers of Iron and newer do, readers of
/// Humble do not.
fn has_type_hash(reader: &EndpointData, _: VendorId) -> bool {
    announced_hash(&reader.qos.user_data).is_some()
}

impl Shared {
    /// Publishes the endpoints of the node on `ros_discovery_info`.
    fn announce(&self) {
        let hash = &ParticipantEntitiesInfo::info().hash;
        let topic = Graph::TOPIC.to_owned();
        let spec = endpoint_spec(topic, Graph::DDS_TYPE, hash, &Qos::DISCOVERY_INFO);
        let writer = |accepts: ReaderFilter| {
            let spec = EndpointSpec {
                accepts,
                ..spec.clone()
            };
            self.participant.create_writer(spec)
        };
        self.graph.start(
            writer(has_type_hash),
            writer(|reader, vendor| !has_type_hash(reader, vendor)),
        );
        self.command(Command::CheckGraph);
    }

    /// Notes the name of an endpoint, for messages about it.
    fn name(&self, guid: Guid, name: Named) {
        self.command(Command::Name(guid.entity, name));
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

    fn command(&self, command: Command) {
        self.inbox.push_event(Item::Command(command));
    }
}

/// Removes endpoints from the thread and the node graph when its handle is dropped.
struct EndpointGuard {
    shared: Weak<Shared>,
    guids: Vec<Guid>,
    /// Reader and writer that end with the guard; a guard of a publisher ends with the publisher.
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

impl From<WriteError> for PublishError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::UnknownWriter => Self::Stopped,
            // every message has its encapsulation header
            WriteError::TooLarge | WriteError::TooShort => Self::TooLarge,
        }
    }
}

/// Writer of a publisher.
struct EmbeddedPublisher {
    writer: Writer,
    _guard: EndpointGuard,
}

impl PublisherEndpoint for EmbeddedPublisher {
    fn subscriber_count(&self) -> usize {
        self.writer.matched()
    }

    fn dropped(&self) -> u64 {
        self.writer.evicted_unacknowledged()
    }

    fn publish(&self, message: Bytes) -> Result<(), PublishError> {
        let sample = OutgoingSample {
            payload: message,
            related: None,
        };
        self.writer.write(sample)?;
        Ok(())
    }
}
