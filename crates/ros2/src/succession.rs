//! Backend whose endpoints can be succeeded: a second endpoint with the name, type and QoS of an
//! existing one uses the same endpoint of the network.
//!
//! A node that recreates all its objects, because the program behind it has changed, keeps its
//! matched peers and the history of its publishers. An endpoint leaves the network when the last
//! object that uses it is dropped. Messages and requests go to the callback of the newest object.

use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use bytes::Bytes;

use crate::backend::{
    Backend, Batch, ClientEndpoint, Endpoint, PublisherEndpoint, RemoteTopic, ReplyHandler,
    ServiceDescription, TopicDescription, WarningHandler,
};
use crate::node::{Callback, DeferredHandler, NetworkCounters, PublishError, Responder};
use crate::qos::Qos;

/// Backend with succession of endpoints on top of another backend.
pub(crate) struct SuccessionBackend {
    inner: Arc<dyn Backend>,
    publishers: Mutex<HashMap<Key, Weak<dyn PublisherEndpoint>>>,
    subscriptions: Mutex<HashMap<Key, Weak<Receiving<Callback>>>>,
    services: Mutex<HashMap<Key, Weak<Receiving<DeferredHandler>>>>,
}

/// Name, type and QoS of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: String,
    type_name: String,
    qos: Qos,
}

/// An endpoint that receives, and the callback of the newest object that uses it.
struct Receiving<C> {
    callback: Arc<Mutex<C>>,
    /// Set after the callback exists, which the endpoint needs.
    endpoint: Mutex<Option<Box<dyn Endpoint>>>,
}

/// Use of a publisher of the network.
struct PublisherUse(Arc<dyn PublisherEndpoint>);

/// Use of an endpoint of the network that receives.
struct ReceivingUse<C> {
    _endpoint: Arc<Receiving<C>>,
}

impl SuccessionBackend {
    pub(crate) fn new(inner: Arc<dyn Backend>) -> Self {
        Self {
            inner,
            publishers: Mutex::default(),
            subscriptions: Mutex::default(),
            services: Mutex::default(),
        }
    }
}

/// Returns the endpoint `key`, with `callback` instead of its current one, or creates it.
fn succeed<C: Send + 'static>(
    existing: &Mutex<HashMap<Key, Weak<Receiving<C>>>>,
    key: Key,
    callback: C,
    create: impl FnOnce(Arc<Mutex<C>>) -> Result<Box<dyn Endpoint>, String>,
) -> Result<Box<dyn Endpoint>, String> {
    let found = existing.lock().get(&key).and_then(Weak::upgrade);
    if let Some(endpoint) = found {
        *endpoint.callback.lock() = callback;
        return Ok(Box::new(ReceivingUse {
            _endpoint: endpoint,
        }));
    }
    let callback = Arc::new(Mutex::new(callback));
    let endpoint = Arc::new(Receiving {
        endpoint: Mutex::new(Some(create(Arc::clone(&callback))?)),
        callback,
    });
    let mut existing = existing.lock();
    existing.retain(|_, endpoint| endpoint.strong_count() > 0);
    existing.insert(key, Arc::downgrade(&endpoint));
    Ok(Box::new(ReceivingUse {
        _endpoint: endpoint,
    }))
}

impl<C> Drop for Receiving<C> {
    fn drop(&mut self) {
        // before the callback, which the endpoint may call until then
        drop(self.endpoint.lock().take());
    }
}

impl PublisherEndpoint for PublisherUse {
    fn subscriber_count(&self) -> usize {
        self.0.subscriber_count()
    }

    fn dropped(&self) -> u64 {
        self.0.dropped()
    }

    fn publish(&self, message: Bytes) -> Result<(), PublishError> {
        self.0.publish(message)
    }
}

impl Backend for SuccessionBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Box<dyn PublisherEndpoint>, String> {
        let key = Key {
            name: topic.name.to_string(),
            type_name: topic.message.name.to_string(),
            qos: *topic.qos,
        };
        let found = self.publishers.lock().get(&key).and_then(Weak::upgrade);
        if let Some(endpoint) = found {
            return Ok(Box::new(PublisherUse(endpoint)));
        }
        let endpoint: Arc<dyn PublisherEndpoint> = self.inner.create_publisher(topic)?.into();
        let mut publishers = self.publishers.lock();
        publishers.retain(|_, endpoint| endpoint.strong_count() > 0);
        publishers.insert(key, Arc::downgrade(&endpoint));
        Ok(Box::new(PublisherUse(endpoint)))
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Box<dyn Endpoint>, String> {
        let key = Key {
            name: topic.name.to_string(),
            type_name: topic.message.name.to_string(),
            qos: *topic.qos,
        };
        succeed(&self.subscriptions, key, callback, |callback| {
            let call = move |message: &[u8]| callback.lock()(message);
            self.inner.create_subscription(topic, Box::new(call))
        })
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Box<dyn Endpoint>, String> {
        let key = Key {
            name: service.name.to_string(),
            type_name: service.service_type.to_string(),
            qos: *service.qos,
        };
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
    ) -> Result<Box<dyn ClientEndpoint>, String> {
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

    fn counters(&self) -> Option<NetworkCounters> {
        self.inner.counters()
    }

    fn close(&self) {
        self.inner.close();
    }
}
