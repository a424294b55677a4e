//! Thread of a node that takes received samples and calls subscriptions and services.
//!
//! A single thread avoids locks between callbacks and a thread per endpoint. It must tolerate any
//! sample: a sample that cannot be decoded is skipped.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use merrow_rtps::engine::{Event, Sample};
use merrow_rtps::udp::mailbox::Next;
use merrow_rtps::wire::EntityId;

use crate::backend::{
    ServiceDescription, TopicDescription, WarningHandler, incompatibility, redefinition,
};
use crate::embedded::client::ReplyReceiver;
use crate::embedded::graph::Graph;
use crate::embedded::service::ServiceServer;
use crate::embedded::transport::Inbox;
use crate::node::Callback;

/// Period at which replies that wait for their client are checked.
const WAITING_REPLY_PERIOD: Duration = Duration::from_millis(2);

/// Element of the thread's queue.
pub(crate) enum Item {
    /// A received sample or another event of DDS.
    Event(Event),
    /// A request of another thread of this process.
    Command(Command),
}

/// An endpoint that the thread serves.
pub(crate) enum Source {
    /// A subscription, which calls back with every message.
    Subscription(Callback),
    /// A service, which answers requests.
    Service(ServiceServer),
    /// A client, which receives replies.
    Client(ReplyReceiver),
}

/// Request of another thread.
pub(crate) enum Command {
    /// Serves the samples of a reader.
    Add(EntityId, Source),
    /// Ends and drops the source of a reader.
    Remove(EntityId),
    /// Notes the topic of an endpoint, for messages about it.
    Name(EntityId, Named),
    /// Notes that replies of the service with this reader wait for their client.
    Waiting(EntityId),
    /// Passes warnings about endpoints to this handler.
    Warn(WarningHandler),
    /// Checks whether the graph is to be published.
    CheckGraph,
}

/// Owner of the thread.
pub(super) struct Spinner {
    inbox: Inbox,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts the thread that takes its work from `inbox`.
    ///
    /// # Errors
    /// The operating system cannot create a thread.
    pub(super) fn start(inbox: Inbox, graph: Arc<Graph>) -> io::Result<Self> {
        let worker = Worker {
            inbox: Arc::clone(&inbox),
            sources: HashMap::new(),
            topics: HashMap::new(),
            redefined: HashSet::new(),
            waiting: Vec::new(),
            warn: None,
            graph,
        };
        let thread = std::thread::Builder::new()
            .name("ros-spin".to_owned())
            .spawn(move || worker.run())?;
        Ok(Self {
            inbox,
            thread: Some(thread),
        })
    }
}

impl Drop for Spinner {
    /// Ends the thread and drops all sources, after the current callback has returned.
    fn drop(&mut self) {
        self.inbox.close();
        if let Some(thread) = self.thread.take() {
            // a callback that panicked has already ended the thread and was reported there
            thread.join().unwrap_or_default();
        }
    }
}

/// Name of an endpoint, for messages about it.
pub(super) struct Named {
    /// Topic or service.
    topic: String,
    /// Type hashes that peers with the same definition announce.
    type_hashes: Vec<String>,
    is_service: bool,
}

impl Named {
    pub(super) fn topic(topic: &TopicDescription<'_>) -> Self {
        Self {
            topic: topic.name.to_owned(),
            type_hashes: vec![topic.message.hash.clone()],
            is_service: false,
        }
    }

    pub(super) fn service(service: &ServiceDescription<'_>) -> Self {
        let info = service.info;
        let hashes = [info.hash, &info.request.hash, &info.response.hash];
        Self {
            topic: service.name.to_owned(),
            // Cyclone DDS announces the hash of the service, Fast DDS the hash of the message
            type_hashes: hashes.map(str::to_owned).to_vec(),
            is_service: true,
        }
    }
}

impl Named {
    fn has_hash(&self, hash: &[u8]) -> bool {
        self.type_hashes.iter().any(|own| own.as_bytes() == hash)
    }
}

/// Returns the type hash in the user data of an endpoint; `None` if it announces none.
pub(super) fn announced_hash(user_data: &[u8]) -> Option<&[u8]> {
    let mut entries = user_data.split(|byte| *byte == b';');
    entries.find_map(|entry| entry.strip_prefix(b"typehash="))
}

struct Worker {
    inbox: Inbox,
    sources: HashMap<EntityId, Source>,
    /// Topics of the endpoints, for messages about them.
    topics: HashMap<EntityId, Named>,
    /// Endpoints with a reported peer that has another definition of their type.
    redefined: HashSet<EntityId>,
    /// Services with replies that wait for their client.
    waiting: Vec<EntityId>,
    warn: Option<WarningHandler>,
    graph: Arc<Graph>,
}

impl Worker {
    fn run(mut self) {
        loop {
            match self.inbox.next(self.timeout()) {
                Next::Event(Item::Event(Event::Sample(sample))) => self.deliver(&sample),
                Next::Event(Item::Event(event)) => self.report(&event),
                Next::Event(Item::Command(command)) => self.execute(command),
                Next::TimedOut => {}
                Next::Closed => return,
            }
            self.send_waiting_replies();
            self.graph.publish_if_due(Instant::now());
        }
    }

    fn timeout(&self) -> Option<Duration> {
        let reply = (!self.waiting.is_empty()).then_some(WAITING_REPLY_PERIOD);
        let graph = self.graph.due_in(Instant::now());
        match (reply, graph) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Add(reader, source) => {
                self.sources.insert(reader, source);
            }
            Command::Remove(endpoint) => {
                self.sources.remove(&endpoint);
                self.redefined.remove(&endpoint);
                self.topics.remove(&endpoint);
            }
            Command::Name(endpoint, topic) => {
                self.topics.insert(endpoint, topic);
            }
            Command::Waiting(reader) => {
                if !self.waiting.contains(&reader) {
                    self.waiting.push(reader);
                }
            }
            Command::Warn(handler) => self.warn = Some(handler),
            Command::CheckGraph => {}
        }
    }

    fn deliver(&mut self, sample: &Sample) {
        match self.sources.get_mut(&sample.reader.entity) {
            Some(Source::Subscription(callback)) => callback(&sample.payload),
            Some(Source::Service(server)) => server.serve(sample),
            Some(Source::Client(receiver)) => receiver.receive(sample),
            None => {}
        }
    }

    fn send_waiting_replies(&mut self) {
        let Self {
            waiting, sources, ..
        } = self;
        let now = Instant::now();
        waiting.retain(|reader| match sources.get(reader) {
            Some(Source::Service(server)) => server.send_waiting(now),
            _ => false,
        });
    }

    fn report(&mut self, event: &Event) {
        let (Event::IncompatibleQos { local, .. } | Event::Matched { local, .. }) = event else {
            return;
        };
        let (Some(warn), Some(named)) = (&self.warn, self.topics.get(&local.entity)) else {
            return;
        };
        if let Event::IncompatibleQos { policy, .. } = event {
            let is_publisher = local.entity.is_writer();
            warn(&incompatibility(
                &named.topic,
                is_publisher,
                &policy.to_string(),
            ));
        }
        // once per endpoint: a peer can announce endpoints at any rate; a client has two
        if let Event::Matched { user_data, .. } = event
            && announced_hash(user_data).is_some_and(|hash| !named.has_hash(hash))
            && !(named.is_service && local.entity.is_writer())
            && self.redefined.insert(local.entity)
        {
            warn(&redefinition(&named.topic));
        }
    }
}
