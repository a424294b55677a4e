//! The backend: a node of the RMW and the thread of its callbacks.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use merrow_ros2::args::NodeOptions;
use merrow_ros2::backend::{
    Backend, Batch, Endpoint, PublisherEndpoint, ServiceDescription, TopicDescription,
    WarningHandler,
};
use merrow_ros2::names::NameResolver;
use merrow_ros2::node::{Callback, DeferredHandler, NetworkCounters};

use crate::endpoint::{
    Guard, NativePublisher, ServiceSource, SubscriptionSource, UnavailableEndpoint,
};
use crate::ffi::{self, Context, Publisher, Service, Subscription};
use crate::libraries::Libraries;
use crate::spin::{Entry, Item, Signal, Source, Spinner, send};
use crate::type_support::Unavailable;

/// Backend on the RMW of the sourced ROS 2.
pub struct NativeBackend {
    libraries: Libraries,
    queue: Sender<Item>,
    next_endpoint: AtomicU64,
    /// Packages and types whose absence has been reported.
    reported: Mutex<BTreeSet<String>>,
    /// `None` once the backend is closed. Endpoints hold the context as well.
    context: Mutex<Option<Arc<Context>>>,
    spinner: Mutex<Option<Spinner>>,
}

impl NativeBackend {
    /// Joins the network of the RMW as the node of `options`.
    ///
    /// # Errors
    /// One line: no ROS 2 is sourced, another distribution than that of the build is sourced, or
    /// the text of the RMW.
    pub fn join(options: &NodeOptions) -> Result<Self, String> {
        let names = NameResolver::new(&options.namespace, &options.name, Vec::new());
        let names = names.map_err(|error| error.to_string())?;
        let libraries = Libraries::load()?;
        let context = Context::join(options, &names)?;
        let (spinner, queue) = Spinner::start()
            .map_err(|error| format!("starting the thread that serves ROS: {error}"))?;
        Ok(Self {
            libraries,
            queue,
            next_endpoint: AtomicU64::new(0),
            reported: Mutex::default(),
            context: Mutex::new(Some(Arc::new(context))),
            spinner: Mutex::new(Some(spinner)),
        })
    }

    /// Returns the name of the RMW, such as `rmw_fastrtps_cpp`; empty once the backend is closed.
    pub fn implementation(&self) -> String {
        let context = self.context();
        context.map_or(String::new(), |context| context.implementation())
    }

    fn context(&self) -> Result<Arc<Context>, String> {
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        context
            .clone()
            .ok_or_else(|| "the node has stopped".to_owned())
    }

    /// Returns the number of a new endpoint and its signals of messages and of incompatible peers.
    fn next_endpoint(&self) -> (u64, Arc<Signal>, Arc<Signal>) {
        let endpoint = self.next_endpoint.fetch_add(1, Ordering::Relaxed);
        let signal = |item| Signal::new(&self.queue, item, endpoint);
        (endpoint, signal(Item::Messages), signal(Item::Incompatible))
    }

    fn guard(&self, endpoint: u64) -> Guard {
        Guard {
            endpoint,
            queue: self.queue.clone(),
        }
    }

    fn add(&self, endpoint: u64, source: Box<dyn Source>, signals: [Arc<Signal>; 2], polled: bool) {
        let [messages, incompatible] = signals;
        let entry = Entry {
            source,
            messages,
            incompatible,
            is_polled: polled,
        };
        send(&self.queue, Item::Add(endpoint, entry));
    }

    /// Reports a missing package or type once, and returns an endpoint without effect.
    fn unavailable(&self, why: &Unavailable, endpoint: &str) -> Box<UnavailableEndpoint> {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.insert(why.subject().to_owned()) {
            let text = why.warning(endpoint, self.libraries.distro());
            send(&self.queue, Item::Warning(text));
        }
        Box::new(UnavailableEndpoint)
    }
}

/// Returns the closure that raises a signal.
fn raise(signal: &Arc<Signal>) -> ffi::Callback {
    let signal = Arc::clone(signal);
    Box::new(move || signal.raise())
}

impl Backend for NativeBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Box<dyn PublisherEndpoint>, String> {
        let support = match self.libraries.message(topic) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, topic.name)),
        };
        let (endpoint, messages, incompatible) = self.next_endpoint();
        let on_incompatible = raise(&incompatible);
        let context = self.context()?;
        let TopicDescription { name, qos, .. } = topic;
        let publisher = Publisher::create(&context, support, name, qos, on_incompatible)
            .map_err(|why| format!("{name}: {why}"))?;
        let (handle, source) = NativePublisher::new(name, publisher, self.guard(endpoint));
        self.add(endpoint, source, [messages, incompatible], false);
        Ok(Box::new(handle))
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Box<dyn Endpoint>, String> {
        let support = match self.libraries.message(topic) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, topic.name)),
        };
        let (endpoint, messages, incompatible) = self.next_endpoint();
        let callbacks = [raise(&messages), raise(&incompatible)];
        let context = self.context()?;
        let TopicDescription { name, qos, .. } = topic;
        let (subscription, is_notified) =
            Subscription::create(&context, support, name, qos, callbacks)
                .map_err(|why| format!("{name}: {why}"))?;
        let source = Box::new(SubscriptionSource {
            topic: (*name).to_owned(),
            subscription,
            callback,
        });
        self.add(endpoint, source, [messages, incompatible], !is_notified);
        Ok(Box::new(self.guard(endpoint)))
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Box<dyn Endpoint>, String> {
        let support = match self.libraries.service(service) {
            Ok(support) => support,
            Err(why) => return Ok(self.unavailable(&why, service.name)),
        };
        let (endpoint, messages, incompatible) = self.next_endpoint();
        let on_requests = raise(&messages);
        let context = self.context()?;
        let ServiceDescription { name, qos, .. } = service;
        let (service, is_notified) = Service::create(&context, support, name, qos, on_requests)
            .map_err(|why| format!("{name}: {why}"))?;
        let source = ServiceSource::new(name, service, handler, self.queue.clone());
        let signals = [messages, incompatible];
        self.add(endpoint, Box::new(source), signals, !is_notified);
        Ok(Box::new(self.guard(endpoint)))
    }

    fn set_warning_handler(&self, handler: WarningHandler) {
        send(&self.queue, Item::Handler(handler));
    }

    /// The RMW sends every message at once.
    fn batch(&self) -> Box<dyn Batch + '_> {
        Box::new(SentAtOnce)
    }

    /// The interface `rmw` has no counters.
    fn counters(&self) -> Option<NetworkCounters> {
        None
    }

    fn close(&self) {
        let mut spinner = self.spinner.lock().unwrap_or_else(PoisonError::into_inner);
        drop(spinner.take());
        let mut context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        drop(context.take());
    }
}

/// A batch without effect.
struct SentAtOnce;

impl Batch for SentAtOnce {}
