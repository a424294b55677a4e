//! Backend whose endpoints can be succeeded: a second endpoint with the name, type and QoS of an
//! existing one uses the same endpoint of the network.
//!
//! A node that recreates all its objects, because the program behind it has changed, keeps its
//! matched peers and the history of its publishers. An endpoint leaves the network when the last
//! object that uses it is dropped. Messages and requests go to the callback of the newest object.

use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use crate::backend::{
    Backend, Batch, ClientEndpoint, Endpoint, PublisherEndpoint, RemoteTopic, ReplyHandler,
    ServiceDescription, TopicDescription, WarningHandler,
};
use crate::node::{Callback, DeferredHandler, NetworkCounters, Responder};
use crate::qos::Qos;

/// Backend with succession of endpoints on top of another backend.
pub(crate) struct SuccessionBackend {
    inner: Arc<dyn Backend>,
    publishers: Kept<dyn PublisherEndpoint>,
    subscriptions: Kept<Receiving<Callback>>,
    services: Kept<Receiving<DeferredHandler>>,
}

/// Name, type and QoS of an endpoint.
type Key = (String, &'static str, Qos);

/// Endpoints of the network that an object uses.
struct Kept<T: ?Sized>(Mutex<HashMap<Key, Weak<T>>>);

/// An endpoint that receives, and the callback of the newest object that uses it.
struct Receiving<C> {
    callback: Arc<Mutex<C>>,
    /// Set after the callback exists, which the endpoint needs.
    endpoint: Mutex<Option<Arc<dyn Endpoint>>>,
}

impl SuccessionBackend {
    pub(crate) fn new(inner: Arc<dyn Backend>) -> Self {
        Self {
            inner,
            publishers: Kept(Mutex::default()),
            subscriptions: Kept(Mutex::default()),
            services: Kept(Mutex::default()),
        }
    }
}

impl<T: ?Sized> Kept<T> {
    fn get(&self, key: &Key) -> Option<Arc<T>> {
        self.0.lock().get(key).and_then(Weak::upgrade)
    }

    fn add(&self, key: Key, endpoint: &Arc<T>) {
        let mut kept = self.0.lock();
        kept.retain(|_, endpoint| endpoint.strong_count() > 0);
        kept.insert(key, Arc::downgrade(endpoint));
    }
}

/// Returns the endpoint `key`, with `callback` instead of its current one, or creates it.
fn succeed<C: Send + 'static>(
    existing: &Kept<Receiving<C>>,
    key: Key,
    callback: C,
    create: impl FnOnce(Arc<Mutex<C>>) -> Result<Arc<dyn Endpoint>, String>,
) -> Result<Arc<dyn Endpoint>, String> {
    if let Some(endpoint) = existing.get(&key) {
        *endpoint.callback.lock() = callback;
        return Ok(endpoint);
    }
    let callback = Arc::new(Mutex::new(callback));
    let endpoint = Arc::new(Receiving {
        endpoint: Mutex::new(Some(create(Arc::clone(&callback))?)),
        callback,
    });
    existing.add(key, &endpoint);
    Ok(endpoint)
}

impl<C> Drop for Receiving<C> {
    fn drop(&mut self) {
        // before the callback, which the endpoint may call until then
        drop(self.endpoint.lock().take());
    }
}

impl Backend for SuccessionBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Arc<dyn PublisherEndpoint>, String> {
        let key = (topic.name.to_owned(), topic.message.name, *topic.qos);
        if let Some(endpoint) = self.publishers.get(&key) {
            return Ok(endpoint);
        }
        let endpoint = self.inner.create_publisher(topic)?;
        self.publishers.add(key, &endpoint);
        Ok(endpoint)
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let key = (topic.name.to_owned(), topic.message.name, *topic.qos);
        succeed(&self.subscriptions, key, callback, |callback| {
            let call = move |message: &[u8]| callback.lock()(message);
            self.inner.create_subscription(topic, Box::new(call))
        })
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let key = (service.name.to_owned(), service.info.name, *service.qos);
        succeed(&self.services, key, handler, |handler| {
            let call =
                move |request: &[u8], responder: Responder| handler.lock()(request, responder);
            self.inner.create_service(service, Box::new(call))
        })
    }

    /// Creates a client of the inner backend: a client has no state that a successor could use.
    fn create_client(
        &self,
        service: &ServiceDescription<'_>,
        handler: ReplyHandler,
    ) -> Result<Arc<dyn ClientEndpoint>, String> {
        self.inner.create_client(service, handler)
    }

    fn set_warning_handler(&self, handler: WarningHandler) {
        self.inner.set_warning_handler(handler);
    }

    fn batch(&self) -> Box<dyn Batch + '_> {
        self.inner.batch()
    }

    fn remote_topics(&self) -> Vec<RemoteTopic> {
        self.inner.remote_topics()
    }

    fn remote_services(&self) -> BTreeSet<String> {
        self.inner.remote_services()
    }

    fn all_received(&self) -> Option<bool> {
        self.inner.all_received()
    }

    fn counters(&self) -> Option<NetworkCounters> {
        self.inner.counters()
    }

    fn close(&self) {
        self.inner.close();
    }
}
