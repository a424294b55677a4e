//! Publishers, subscriptions, services and clients of the backend.

use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use bytes::Bytes;
use merrow_ros2::backend::{ClientEndpoint, PublisherEndpoint, ReplyHandler, incompatibility};
use merrow_ros2::node::{Callback, DeferredHandler, PublishError, Responder};

use crate::ffi::{Client, Publisher, RequestId, Service, Subscription};
use crate::spin::{Item, Source, send};

/// An object that several threads use until the node's thread ends it.
struct Shared<T>(RwLock<Option<T>>);

impl<T> Shared<T> {
    fn new(object: T) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Some(object))))
    }

    /// Applies `operation`; `None` once the object has ended.
    fn with<R>(&self, operation: impl FnOnce(&T) -> R) -> Option<R> {
        let object = self.0.read();
        object.as_ref().map(operation)
    }

    fn end(&self) {
        let mut object = self.0.write();
        drop(object.take());
    }
}

/// Removes an endpoint from the node's thread when it is dropped.
pub(crate) struct Guard {
    pub(crate) endpoint: u64,
    pub(crate) queue: Sender<Item>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        send(&self.queue, Item::Remove(self.endpoint));
    }
}

/// Reports the first failure of an endpoint; later failures usually have the same cause.
struct Reporter {
    name: String,
    /// Queue of the thread that logs.
    log: Sender<Item>,
    has_failed: AtomicBool,
}

impl Reporter {
    fn new(name: &str, log: &Sender<Item>) -> Self {
        Self {
            name: name.to_owned(),
            log: log.clone(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Reports that `what`, such as a message, was not sent.
    fn refused(&self, what: &str, why: &str) -> PublishError {
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            let text = format!("{}: {what} was not sent: {why}", self.name);
            send(&self.log, Item::Warning(text));
        }
        PublishError::Refused
    }
}

/// Handle of a publisher.
pub(crate) struct NativePublisher {
    publisher: Arc<Shared<Publisher>>,
    /// Number of matched subscriptions.
    subscribers: Arc<AtomicUsize>,
    _guard: Guard,
    reporter: Reporter,
}

impl NativePublisher {
    /// Creates the handle of a publisher, and its part for the thread of publishers.
    pub(crate) fn new(
        topic: &str,
        publisher: Publisher,
        guard: Guard,
        log: &Sender<Item>,
    ) -> (Self, Box<dyn Source>) {
        let publisher = Shared::new(publisher);
        let source = PublisherSource {
            topic: topic.to_owned(),
            publisher: Arc::clone(&publisher),
            subscribers: Arc::default(),
        };
        let handle = Self {
            publisher,
            subscribers: Arc::clone(&source.subscribers),
            _guard: guard,
            reporter: Reporter::new(topic, log),
        };
        (handle, Box::new(source))
    }
}

impl PublisherEndpoint for NativePublisher {
    fn subscriber_count(&self) -> usize {
        self.subscribers.load(Ordering::Relaxed)
    }

    /// Returns 0: the interface `rmw` does not report evicted messages.
    fn dropped(&self) -> u64 {
        0
    }

    fn publish(&self, message: Bytes) -> Result<(), PublishError> {
        let sent = self
            .publisher
            .with(|publisher| publisher.publish(&message))
            .ok_or(PublishError::Stopped)?;
        sent.map_err(|why| self.reporter.refused("a message", &why))
    }
}

/// Publisher of the thread of publishers.
struct PublisherSource {
    topic: String,
    publisher: Arc<Shared<Publisher>>,
    subscribers: Arc<AtomicUsize>,
}

impl Source for PublisherSource {
    fn receive(&mut self) -> bool {
        let subscribers = self.publisher.with(Publisher::matched).unwrap_or_default();
        self.subscribers.store(subscribers, Ordering::Relaxed);
        false
    }

    fn incompatibility(&mut self) -> Option<String> {
        let policy = self.publisher.with(Publisher::take_incompatible)?;
        Some(incompatibility(&self.topic, true, policy_name(policy)?))
    }
}

impl Drop for PublisherSource {
    fn drop(&mut self) {
        self.publisher.end();
        self.subscribers.store(0, Ordering::Relaxed);
    }
}

/// Subscription of the node's thread.
pub(crate) struct SubscriptionSource {
    pub(crate) topic: String,
    pub(crate) subscription: Subscription,
    pub(crate) callback: Callback,
}

impl Source for SubscriptionSource {
    fn receive(&mut self) -> bool {
        let callback = &mut self.callback;
        self.subscription.take(|message| callback(message))
    }

    fn incompatibility(&mut self) -> Option<String> {
        let policy = policy_name(self.subscription.take_incompatible())?;
        Some(incompatibility(&self.topic, false, policy))
    }
}

/// Returns the name of an `rmw_qos_policy_kind_t`; `None` for zero, which is no policy.
fn policy_name(kind: u32) -> Option<&'static str> {
    Some(match kind {
        0 => return None,
        2 => "durability",
        4 => "deadline",
        8 => "liveliness",
        16 => "reliability",
        32 => "history",
        64 => "lifespan",
        _ => "another policy",
    })
}

/// Number of invalid requests or responses in sequence after which the endpoint waits for the next
/// report.
const MAX_FAILURES: u32 = 100;

/// Server of the node's thread.
pub(crate) struct ServiceSource {
    name: String,
    service: Arc<Shared<Service>>,
    handler: DeferredHandler,
    queue: Sender<Item>,
    /// Number of requests in sequence that could not be decoded.
    failures: u32,
}

impl ServiceSource {
    /// Creates the part of a service for the node's thread.
    pub(crate) fn new(
        name: &str,
        service: Service,
        handler: DeferredHandler,
        queue: Sender<Item>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            service: Shared::new(service),
            handler,
            queue,
            failures: 0,
        }
    }

    /// Returns the responder of a request. It has no effect once the service has ended.
    fn responder(&self, id: RequestId) -> Responder {
        let (service, queue) = (Arc::clone(&self.service), self.queue.clone());
        let name = self.name.clone();
        Responder::new(move |response| {
            let sent = service.with(|service| service.respond(&id, &response));
            if let Some(Err(why)) = sent {
                let text = format!("{name}: a response was not sent: {why}");
                send(&queue, Item::Warning(text));
            }
        })
    }
}

impl Source for ServiceSource {
    fn receive(&mut self) -> bool {
        let Some((id, request)) = self.service.with(Service::take).flatten() else {
            return false;
        };
        self.failures = match request.is_empty() {
            true => self.failures + 1,
            false => 0,
        };
        // the handler counts and reports an empty request as one that is too short
        let responder = self.responder(id);
        (self.handler)(&request, responder);
        // valid requests may follow, unless every call fails
        self.failures < MAX_FAILURES
    }
}

impl Drop for ServiceSource {
    fn drop(&mut self) {
        self.service.end();
    }
}

/// Length of the encapsulation header of a message [bytes].
const HEADER_LEN: usize = 4;

/// Handle of a client.
pub(crate) struct NativeClient {
    client: Arc<Shared<Client>>,
    _guard: Guard,
    reporter: Reporter,
}

impl NativeClient {
    /// Creates the handle of a client, and its part for the node's thread, which passes the
    /// responses to `handler`.
    pub(crate) fn new(
        name: &str,
        client: Client,
        handler: ReplyHandler,
        guard: Guard,
        log: &Sender<Item>,
    ) -> (Self, Box<dyn Source>) {
        let client = Shared::new(client);
        let source = ClientSource {
            client: Arc::clone(&client),
            handler,
            failures: 0,
        };
        let handle = Self {
            client,
            _guard: guard,
            reporter: Reporter::new(name, log),
        };
        (handle, Box::new(source))
    }
}

impl ClientEndpoint for NativeClient {
    /// Returns 1 if there is a server and 0 otherwise: the interface `rmw` does not count the
    /// servers of a client.
    fn server_count(&self) -> usize {
        self.client.with(Client::has_server).map_or(0, usize::from)
    }

    fn call(&self, request: &[u8]) -> Result<i64, PublishError> {
        if request.len() < HEADER_LEN {
            return Err(PublishError::NotCdr);
        }
        let sent = self.client.with(|client| client.call(request));
        let sent = sent.ok_or(PublishError::Stopped)?;
        sent.map_err(|why| self.reporter.refused("a request", &why))
    }
}

/// Client of the node's thread.
struct ClientSource {
    client: Arc<Shared<Client>>,
    handler: ReplyHandler,
    /// Number of responses in sequence that could not be decoded.
    failures: u32,
}

impl Source for ClientSource {
    fn receive(&mut self) -> bool {
        let Some((number, response)) = self.client.with(Client::take).flatten() else {
            return false;
        };
        if response.is_empty() {
            // valid responses may follow, unless every call fails
            self.failures += 1;
            return self.failures < MAX_FAILURES;
        }
        self.failures = 0;
        (self.handler)(number, &response);
        true
    }
}

impl Drop for ClientSource {
    fn drop(&mut self) {
        self.client.end();
    }
}

/// Endpoint whose types are not installed. Its messages go nowhere.
pub(crate) struct UnavailableEndpoint;

impl PublisherEndpoint for UnavailableEndpoint {
    fn subscriber_count(&self) -> usize {
        0
    }

    fn dropped(&self) -> u64 {
        0
    }

    fn publish(&self, _message: Bytes) -> Result<(), PublishError> {
        Ok(())
    }
}

impl ClientEndpoint for UnavailableEndpoint {
    fn server_count(&self) -> usize {
        0
    }

    fn call(&self, _request: &[u8]) -> Result<i64, PublishError> {
        Ok(0)
    }
}
