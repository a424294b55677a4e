//! Clients of services: requests, their replies and the handle of a client.
//!
//! A client does not interpret messages: requests and responses are encoded bytes.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::backend::{ClientEndpoint, ReplyHandler};
use crate::node::PublishError;
use crate::node::service::{LocalServices, Responder};

/// Handler of one response, with its encapsulation header. The node's thread calls it, or the
/// thread on which a service of the same node responds.
pub type ResponseHandler = Box<dyn FnOnce(&[u8]) + Send>;

/// Maximum number of requests of one client that wait for their reply. The oldest is given up for a
/// further one, because a server may never reply.
const MAX_WAITING: usize = 1024;

/// Handlers of the requests that wait for their reply, by number.
pub(super) type Waiting = Arc<Mutex<BTreeMap<i64, ResponseHandler>>>;

/// Returns the handler of all replies, for the backend.
pub(super) fn reply_handler(waiting: &Waiting) -> ReplyHandler {
    let waiting = Arc::clone(waiting);
    Box::new(move |number, response| {
        let handler = waiting.lock().remove(&number);
        if let Some(handler) = handler {
            handler(response);
        }
    })
}

/// A client of a service. Dropping it ends it; its requests then receive no reply.
#[must_use = "dropping a client ends it"]
pub struct Client {
    name: String,
    waiting: Waiting,
    endpoint: Arc<dyn ClientEndpoint>,
    local: Arc<LocalServices>,
}

impl Client {
    pub(super) fn new(
        name: String,
        waiting: Waiting,
        endpoint: Arc<dyn ClientEndpoint>,
        local: Arc<LocalServices>,
    ) -> Self {
        Self {
            name,
            waiting,
            endpoint,
            local,
        }
    }

    /// Returns the fully qualified name of the service after remapping.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of servers that receive the next request and whose reply arrives; 1 for a
    /// service of the same node.
    pub fn server_count(&self) -> usize {
        match self.local.find(&self.name) {
            Some(_) => 1,
            None => self.endpoint.server_count(),
        }
    }

    /// Sends a request with its encapsulation header. `handler` receives the response. Without a
    /// server, the request is lost. A service of the same node receives the request at once.
    ///
    /// # Errors
    /// The request lacks its encapsulation header or is too large, or the node has stopped.
    pub fn call(&self, request: &[u8], handler: ResponseHandler) -> Result<(), PublishError> {
        let [0, 1, _, _, ..] = request else {
            return Err(PublishError::NotCdr);
        };
        if let Some(service) = self.local.find(&self.name) {
            let respond = move |response: Vec<u8>| handler(&response);
            service.call(request, Responder::new(respond));
            return Ok(());
        }
        // locked until the handler is stored: the reply can arrive at once
        let mut waiting = self.waiting.lock();
        let number = self.endpoint.call(request)?;
        waiting.insert(number, handler);
        if waiting.len() > MAX_WAITING {
            waiting.pop_first();
        }
        Ok(())
    }

    /// Sends a request and waits for the response, at most for `timeout`. `None` without one. Must
    /// not be called in a callback, which would wait for its own thread.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_and_wait(
        &self,
        request: &[u8],
        timeout: Duration,
    ) -> Result<Option<Vec<u8>>, PublishError> {
        let (sender, response) = channel();
        let keep = move |bytes: &[u8]| drop(sender.send(bytes.to_vec()));
        self.call(request, Box::new(keep))?;
        Ok(response.recv_timeout(timeout).ok())
    }
}
