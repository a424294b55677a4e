//! Servers of services: handlers, responders and the handle of a service.
//!
//! A service does not interpret messages: handlers receive and return encoded bytes.

use crate::backend::Endpoint;

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
    _endpoint: Box<dyn Endpoint>,
}

impl Service {
    pub(crate) fn new(name: String, endpoint: Box<dyn Endpoint>) -> Self {
        Self {
            name,
            _endpoint: endpoint,
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
