//! Services whose requests another thread answers.

use crate::topics::absolute;
use merrow_messages::msg::ServiceRequest;
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::{Service as ServiceType, ServiceInfo};
use merrow_ros2::msg::Outcome;
use merrow_ros2::msg::simulation_interfaces::ServiceResult;
use merrow_ros2::node::{Node, NodeError, Responder, Service};
use merrow_ros2::qos::Qos;
use merrow_sim::{InputMessage, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Topic on which bags contain the requests of services.
pub(crate) const REQUESTS: &str = "/merrow/service_requests";

/// Maximum number of requests of one service that wait for their answer. One more is refused: a
/// client that does not wait for its answers would otherwise occupy the run for minutes. The other
/// services, such as `~/pause`, still answer.
const MAX_OPEN: usize = 64;

/// Reason of an answer to a request that was not handled.
pub(crate) const BUSY: &str =
    "busy: too many requests wait, or the simulation has ended; repeat the request later";

/// Starts a service whose handler receives the request as bytes and decoded, and the caller.
/// `report` receives the reason of a request that is not handled.
pub(crate) fn serve<S: ServiceType<Response: Outcome>>(
    node: &Node,
    info: &ServiceInfo,
    name: &str,
    report: impl Fn(&str) + Send + 'static,
    mut handler: impl FnMut(&[u8], S::Request, Caller<S>) + Send + 'static,
) -> Result<Service, NodeError> {
    let open_requests: Arc<AtomicUsize> = Arc::default();
    let answer = move |bytes: &[u8], responder: Responder| match from_bytes::<S::Request>(bytes) {
        Ok(request) => {
            let is_busy = open_requests.fetch_add(1, Ordering::Relaxed) >= MAX_OPEN;
            let caller = Caller {
                responder: Some(responder),
                open_requests: Arc::clone(&open_requests),
                service: std::marker::PhantomData,
            };
            match is_busy {
                true => report(BUSY),
                false => handler(bytes, request, caller),
            }
        }
        // a request that cannot be decoded has no effect and receives no reply
        Err(why) => report(&format!("malformed request: {why}")),
    };
    node.service_of_type(info, name, &Qos::SERVICE, Box::new(answer))
}

/// Returns the full name of a service.
pub(super) fn full_name(service: &str) -> String {
    absolute(&service.replace('~', "/merrow"))
}

/// Builds the message with which a bag contains a request in CDR.
pub(crate) fn record<S: ServiceType>(service: &str, request: &[u8]) -> InputMessage {
    let message = ServiceRequest {
        service: full_name(service),
        service_type: S::TYPE.to_string(),
        request: request.to_vec(),
    };
    InputMessage {
        topic: REQUESTS.into(),
        bytes: to_bytes(&message),
    }
}

/// Client that waits for the response of service `S`. If dropped without one, it receives the
/// answer that the service is busy.
pub(crate) struct Caller<S: ServiceType<Response: Outcome>> {
    responder: Option<Responder>,
    /// Number of clients of the service that wait, this client included.
    open_requests: Arc<AtomicUsize>,
    service: std::marker::PhantomData<fn() -> S>,
}

impl<S: ServiceType<Response: Outcome>> Caller<S> {
    /// Sends the response.
    pub(crate) fn send(mut self, response: &S::Response) {
        self.respond(response);
    }

    /// Sends the response of a request that is complete, or why it failed.
    pub(crate) fn finish(self, done: Result<S::Response, ServiceResult>) {
        self.send(&done.unwrap_or_else(Outcome::of));
    }

    /// Sends the response of a request without further data, or why it failed.
    pub(crate) fn answer(self, done: Result<String, String>) {
        self.send(&Outcome::of(done.into()));
    }

    /// Builds the callback with which the run or the recorder replies.
    pub(crate) fn reply<T>(
        self,
        outcome: impl FnOnce(T) -> Result<String, String> + Send + 'static,
    ) -> Reply<T> {
        Reply::new(move |answer| self.answer(outcome(answer)))
    }

    fn respond(&mut self, response: &S::Response) {
        if let Some(responder) = self.responder.take() {
            responder.respond(to_bytes(response));
        }
    }
}

impl<S: ServiceType<Response: Outcome>> Drop for Caller<S> {
    fn drop(&mut self) {
        self.respond(&Outcome::of(Err(BUSY.to_string()).into()));
        self.open_requests.fetch_sub(1, Ordering::Relaxed);
    }
}
