//! Servers of services: handlers, responders and the handle of a service.
//!
//! A service does not interpret messages: handlers receive and return encoded bytes.

use crate::backend::Endpoint;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// Handler that returns the response to a request, both with their encapsulation header, or `None`
/// if the request cannot be decoded.
pub type Handler = Box<dyn FnMut(&[u8]) -> Option<Vec<u8>> + Send>;

/// Handler that receives a request, including the encapsulation header, and a responder. It may
/// respond immediately, later from any thread, or never.
pub type DeferredHandler = Box<dyn FnMut(&[u8], Responder) + Send>;

/// Responder for one request. Dropping it leaves the client without a reply.
#[must_use = "dropping a responder leaves its client without a reply"]
pub struct Responder(Box<dyn FnOnce(Vec<u8>) + Send>);

impl Responder {
    /// Creates a responder whose response, including the encapsulation header, `send` transfers.
    pub fn new(send: impl FnOnce(Vec<u8>) + Send + 'static) -> Self {
        Self(Box::new(send))
    }

    /// Sends the response, including the encapsulation header.
    pub fn respond(self, response: Vec<u8>) {
        (self.0)(response);
    }
}

/// A service. Dropping it ends it.
#[must_use = "dropping a service ends it"]
pub struct Service {
    name: String,
    _endpoint: Arc<dyn Endpoint>,
    _handler: LocalHandler,
}

impl Service {
    pub(super) fn new(name: String, handler: LocalHandler, endpoint: Arc<dyn Endpoint>) -> Self {
        Self {
            name,
            _endpoint: endpoint,
            _handler: handler,
        }
    }

    /// Returns the fully qualified name after remapping.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Returns a deferred handler that responds with the result of `handler`.
pub(super) fn respond_at_once(mut handler: Handler) -> DeferredHandler {
    Box::new(move |request, responder| {
        if let Some(response) = handler(request) {
            responder.respond(response);
        }
    })
}

/// Handler of a service that the backend and the clients of the same node call.
#[derive(Clone)]
pub(super) struct LocalHandler(Arc<Mutex<DeferredHandler>>);

impl LocalHandler {
    pub(super) fn new(handler: DeferredHandler) -> Self {
        Self(Arc::new(Mutex::new(handler)))
    }

    /// Returns the handler for the backend, which does not keep the service alive for clients of
    /// the node.
    pub(super) fn for_backend(&self) -> DeferredHandler {
        let handler = Arc::downgrade(&self.0);
        Box::new(move |request, responder| {
            if let Some(handler) = handler.upgrade() {
                Self(handler).call(request, responder);
            }
        })
    }

    /// Passes a request to the handler.
    pub(super) fn call(&self, request: &[u8], responder: Responder) {
        let mut handler = self.0.lock();
        handler(request, responder);
    }
}

/// Services of a node by their resolved names. The embedded backend connects different nodes only,
/// so the clients of the node call its own services through this list.
#[derive(Default)]
pub(super) struct LocalServices(Mutex<HashMap<String, Weak<Mutex<DeferredHandler>>>>);

impl LocalServices {
    /// Adds a service. It replaces an existing service with the same name.
    pub(super) fn add(&self, name: &str, handler: &LocalHandler) {
        let mut services = self.0.lock();
        services.retain(|_, handler| handler.strong_count() > 0);
        services.insert(name.to_owned(), Arc::downgrade(&handler.0));
    }

    /// Returns the handler of a service; `None` if the node has no such service.
    pub(super) fn find(&self, name: &str) -> Option<LocalHandler> {
        let services = self.0.lock();
        services.get(name).and_then(Weak::upgrade).map(LocalHandler)
    }
}
