//! The backend: a node of the RMW and the thread of its callbacks.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use merrow_ros2::args::NodeOptions;
use merrow_ros2::backend::{
    Backend, Batch, ClientEndpoint, Endpoint, PublisherEndpoint, ReplyHandler, ServiceDescription,
    TopicDescription, WarningHandler,
};
use merrow_ros2::names::NameResolver;
use merrow_ros2::node::{Callback, DeferredHandler, NetworkCounters};

use crate::endpoint::{
    Guard, NativeClient, NativePublisher, ServiceSource, SubscriptionSource, UnavailableEndpoint,
};
use crate::ffi::{self, Client, Context, Publisher, Service, Subscription};
use crate::libraries::Libraries;
use crate::spin::{Entry, Item, Signal, Source, Spinner, send};
use crate::type_support::Unavailable;

/// Backend on the RMW of the sourced ROS 2.
pub struct NativeBackend {
    libraries: Libraries,
    /// Queue of the thread of subscriptions, services and clients.
    queue: Sender<Item>,
    /// Queue of the thread of publishers.
    publishers: Sender<Item>,
    next_endpoint: AtomicU64,
    /// Packages and types whose absence has been reported.
    reported: Mutex<BTreeSet<String>>,
    /// `None` once the backend is closed. Endpoints hold the context as well.
    context: Mutex<Option<Arc<Context>>>,
    spinners: Mutex<Option<[Spinner; 2]>>,
}

/// Period at which messages are taken that the RMW does not report.
const POLL_PERIOD: Duration = Duration::from_millis(2);

/// Period at which subscriptions are counted that the RMW does not report.
const MATCH_PERIOD: Duration = Duration::from_millis(100);

impl NativeBackend {
    /// Joins the network of the RMW as the node of `options`.
    ///
    /// # Errors
    /// One line: no ROS 2 is sourced, a distribution is sourced that differs from the build, or
    /// the text of the RMW.
    pub fn join(options: &NodeOptions) -> Result<Self, String> {
        let names = NameResolver::new(&options.namespace, &options.name, Vec::new());
        let names = names.map_err(|error| error.to_string())?;
        let libraries = Libraries::load()?;
        let context = Context::join(options, &names)?;
        let start = |name, period| {
            Spinner::start(name, period).map_err(|error| format!("starting a thread: {error}"))
        };
        let (spinner, queue) = start("ros-spin", POLL_PERIOD)?;
        let (matcher, publishers) = start("ros-match", MATCH_PERIOD)?;
        let log = queue.clone();
        let warn = move |text: &str| send(&log, Item::Warning(text.to_owned()));
        send(&publishers, Item::Handler(Box::new(warn)));
        if std::env::var("ROS_SECURITY_ENABLE").is_ok_and(|value| value == "true") {
            let text = "ROS_SECURITY_ENABLE has no effect on this node: it is not secured";
            send(&queue, Item::Warning(text.to_owned()));
        }
        Ok(Self {
            libraries,
            queue,
            publishers,
            next_endpoint: AtomicU64::new(0),
            reported: Mutex::default(),
            context: Mutex::new(Some(Arc::new(context))),
            spinners: Mutex::new(Some([matcher, spinner])),
        })
    }

    /// Returns the name of the RMW, such as `rmw_fastrtps_cpp`; empty once the backend is closed.
    pub fn implementation(&self) -> String {
        let context = self.context();
        context.map_or(String::new(), |context| context.implementation())
    }

    fn context(&self) -> Result<Arc<Context>, String> {
        let context = self.context.lock();
        context
            .clone()
            .ok_or_else(|| "the node has stopped".to_owned())
    }

    /// Returns the number of a new endpoint, and its signals to the thread of `queue`.
    fn next_endpoint(&self, queue: &Sender<Item>) -> (u64, [Arc<Signal>; 2]) {
        let endpoint = self.next_endpoint.fetch_add(1, Ordering::Relaxed);
        let items: [fn(u64) -> Item; 2] = [Item::Messages, Item::Incompatible];
        (
            endpoint,
            items.map(|item| Signal::new(queue, item, endpoint)),
        )
    }

    /// Reports a missing package or type once, and returns an endpoint without effect.
    fn unavailable(&self, why: &Unavailable, endpoint: &str) -> Arc<UnavailableEndpoint> {
        let mut reported = self.reported.lock();
        if reported.insert(why.subject().to_owned()) {
            let text = why.warning(endpoint, self.libraries.distro());
            send(&self.queue, Item::Warning(text));
        }
        Arc::new(UnavailableEndpoint)
    }
}

/// Returns the closures that raise signals.
fn raise(signals: &[Arc<Signal>; 2]) -> [ffi::Callback; 2] {
    signals
        .clone()
        .map(|signal| -> ffi::Callback { Box::new(move || signal.raise()) })
}

fn guard(queue: &Sender<Item>, endpoint: u64) -> Guard {
    Guard {
        endpoint,
        queue: queue.clone(),
    }
}

/// Passes an endpoint to the thread of `queue`.
fn add(
    queue: &Sender<Item>,
    endpoint: u64,
    source: Box<dyn Source>,
    signals: [Arc<Signal>; 2],
    is_polled: bool,
) {
    let [messages, incompatible] = signals;
    let entry = Entry {
        source,
        messages,
        incompatible,
        is_polled,
    };
    send(queue, Item::Add(endpoint, entry));
}

impl Backend for NativeBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Arc<dyn PublisherEndpoint>, String> {
        let support = match self.libraries.message(topic) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, topic.name)),
        };
        let queue = &self.publishers;
        let (endpoint, signals) = self.next_endpoint(queue);
        let context = self.context()?;
        let TopicDescription { name, qos, .. } = topic;
        let (publisher, is_notified) =
            Publisher::create(&context, support, name, qos, raise(&signals))
                .map_err(|why| format!("{name}: {why}"))?;
        let guard = guard(queue, endpoint);
        let (handle, source) = NativePublisher::new(name, publisher, guard, &self.queue);
        add(queue, endpoint, source, signals, !is_notified);
        Ok(Arc::new(handle))
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let support = match self.libraries.message(topic) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, topic.name)),
        };
        let (endpoint, signals) = self.next_endpoint(&self.queue);
        let context = self.context()?;
        let TopicDescription { name, qos, .. } = topic;
        let (subscription, is_notified) =
            Subscription::create(&context, support, name, qos, raise(&signals))
                .map_err(|why| format!("{name}: {why}"))?;
        let source = Box::new(SubscriptionSource {
            topic: (*name).to_owned(),
            subscription,
            callback,
        });
        add(&self.queue, endpoint, source, signals, !is_notified);
        Ok(Arc::new(guard(&self.queue, endpoint)))
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let support = match self.libraries.service(service) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, service.name)),
        };
        let (endpoint, signals) = self.next_endpoint(&self.queue);
        let [on_requests, _] = raise(&signals);
        let context = self.context()?;
        let ServiceDescription { name, qos, .. } = service;
        let (service, is_notified) = Service::create(&context, support, name, qos, on_requests)
            .map_err(|why| format!("{name}: {why}"))?;
        let source = ServiceSource::new(name, service, handler, self.queue.clone());
        add(
            &self.queue,
            endpoint,
            Box::new(source),
            signals,
            !is_notified,
        );
        Ok(Arc::new(guard(&self.queue, endpoint)))
    }

    fn create_client(
        &self,
        service: &ServiceDescription<'_>,
        handler: ReplyHandler,
    ) -> Result<Arc<dyn ClientEndpoint>, String> {
        let support = match self.libraries.service(service) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, service.name)),
        };
        let queue = &self.queue;
        let (endpoint, signals) = self.next_endpoint(queue);
        let [on_responses, _] = raise(&signals);
        let context = self.context()?;
        let ServiceDescription { name, qos, .. } = service;
        let (client, is_notified) = Client::create(&context, support, name, qos, on_responses)
            .map_err(|why| format!("{name}: {why}"))?;
        let guard = guard(queue, endpoint);
        let (handle, source) = NativeClient::new(name, client, handler, guard, queue);
        add(queue, endpoint, source, signals, !is_notified);
        Ok(Arc::new(handle))
    }

    fn set_warning_handler(&self, handler: WarningHandler) {
        send(&self.queue, Item::Handler(handler));
    }

    /// Returns a batch without effect: the RMW sends every message at once.
    fn batch(&self) -> Box<dyn Batch + '_> {
        Box::new(())
    }

    /// Returns `None`: the interface `rmw` has no counters.
    fn counters(&self) -> Option<NetworkCounters> {
        None
    }

    fn close(&self) {
        let mut spinners = self.spinners.lock();
        drop(spinners.take());
        let mut context = self.context.lock();
        drop(context.take());
    }
}
