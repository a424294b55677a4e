//! Tests of a node on a backend in memory: the interface of backends is sufficient for topics,
//! services, parameters and the log.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;

use super::*;
use crate::args::DiscoveryRange;
use crate::backend::{Batch, ClientEndpoint, PublisherEndpoint, ReplyHandler, WarningHandler};
use crate::cdr::{from_bytes, to_bytes};
use crate::message::Message;
use crate::msg::builtin_interfaces::Time;
use crate::msg::rcl_interfaces::{GetParametersRequest, GetParametersResponse, Log};
use crate::msg::rosgraph_msgs;
use crate::msg::std_msgs::String as Text;
use crate::msg::std_srvs::{SetBool, SetBoolRequest, SetBoolResponse};
use crate::parameters::value::ParameterValue;
use crate::parameters::{Declaration, ParameterServer};

/// Messages, callbacks and handlers by the name of the topic or service.
#[derive(Default)]
struct Memory {
    published: HashMap<String, Vec<Bytes>>,
    callbacks: HashMap<String, Callback>,
    handlers: HashMap<String, DeferredHandler>,
    warn: Option<WarningHandler>,
    is_closed: bool,
}

/// Backend whose messages reach the subscriptions at once.
#[derive(Clone, Default)]
struct MemoryBackend(Arc<Mutex<Memory>>);

struct MemoryEndpoint {
    backend: MemoryBackend,
    name: String,
}

impl MemoryBackend {
    fn endpoint(&self, name: &str) -> MemoryEndpoint {
        MemoryEndpoint {
            backend: self.clone(),
            name: name.to_owned(),
        }
    }

    /// Calls a service; returns the response.
    fn call(&self, name: &str, request: &[u8]) -> Option<Vec<u8>> {
        let response = Arc::new(Mutex::new(None));
        let for_responder = Arc::clone(&response);
        let mut handler = self.0.lock().handlers.remove(name)?;
        let keep = move |bytes| *for_responder.lock() = Some(bytes);
        handler(request, Responder::new(keep));
        self.0.lock().handlers.insert(name.to_owned(), handler);
        response.lock().take()
    }

    /// Returns the messages of a topic.
    fn published<M: Message>(&self, topic: &str) -> Vec<M> {
        let memory = self.0.lock();
        let messages = memory.published.get(topic).into_iter().flatten();
        messages.map(|bytes| from_bytes(bytes).unwrap()).collect()
    }
}

impl Drop for MemoryEndpoint {
    fn drop(&mut self) {
        let mut memory = self.backend.0.lock();
        memory.callbacks.remove(&self.name);
        memory.handlers.remove(&self.name);
    }
}

impl PublisherEndpoint for MemoryEndpoint {
    fn subscriber_count(&self) -> usize {
        1
    }

    fn dropped(&self) -> u64 {
        0
    }

    fn publish(&self, message: Bytes) -> Result<(), PublishError> {
        let mut memory = self.backend.0.lock();
        if memory.is_closed {
            return Err(PublishError::Stopped);
        }
        if let Some(callback) = memory.callbacks.get_mut(&self.name) {
            callback(&message);
        }
        let published = memory.published.entry(self.name.clone());
        published.or_default().push(message);
        Ok(())
    }
}

/// Client whose requests the service answers at once, in a thread of its own as in other backends.
struct MemoryClient {
    backend: MemoryBackend,
    name: String,
    replies: Mutex<(i64, ReplyHandler)>,
}

impl ClientEndpoint for MemoryClient {
    fn server_count(&self) -> usize {
        let memory = self.backend.0.lock();
        usize::from(memory.handlers.contains_key(&self.name))
    }

    fn call(&self, request: &[u8]) -> Result<i64, PublishError> {
        let mut replies = self.replies.lock();
        replies.0 += 1;
        let number = replies.0;
        let response = self.backend.call(&self.name, request);
        let mut handler = std::mem::replace(&mut replies.1, Box::new(|_, _| {}));
        std::thread::spawn(move || {
            if let Some(response) = response {
                handler(number, &response);
            }
        });
        Ok(number)
    }
}

impl Backend for MemoryBackend {
    fn create_publisher(
        &self,
        topic: &TopicDescription<'_>,
    ) -> Result<Arc<dyn PublisherEndpoint>, String> {
        match topic.name {
            "/refused" => Err("this layer refuses it".to_owned()),
            name => Ok(Arc::new(self.endpoint(name))),
        }
    }

    fn create_subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let mut memory = self.0.lock();
        memory.callbacks.insert(topic.name.to_owned(), callback);
        Ok(Arc::new(self.endpoint(topic.name)))
    }

    fn create_service(
        &self,
        service: &ServiceDescription<'_>,
        handler: DeferredHandler,
    ) -> Result<Arc<dyn Endpoint>, String> {
        let mut memory = self.0.lock();
        memory.handlers.insert(service.name.to_owned(), handler);
        Ok(Arc::new(self.endpoint(service.name)))
    }

    fn create_client(
        &self,
        service: &ServiceDescription<'_>,
        handler: ReplyHandler,
    ) -> Result<Arc<dyn ClientEndpoint>, String> {
        Ok(Arc::new(MemoryClient {
            backend: self.clone(),
            name: service.name.to_owned(),
            replies: Mutex::new((0, handler)),
        }))
    }

    fn set_warning_handler(&self, handler: WarningHandler) {
        self.0.lock().warn = Some(handler);
    }

    fn batch(&self) -> Box<dyn Batch + '_> {
        Box::new(self.clone())
    }

    fn counters(&self) -> Option<NetworkCounters> {
        None
    }

    fn close(&self) {
        self.0.lock().is_closed = true;
    }
}

fn node_in_memory() -> (MemoryBackend, Node) {
    let backend = MemoryBackend::default();
    let node = node_on(&backend, "sim");
    (backend, node)
}

fn node_on(backend: &MemoryBackend, name: &str) -> Node {
    let mut options = NodeOptions::new(name);
    options.discovery = DiscoveryRange::Off;
    options.console_logs = false;
    Node::with_backend(&options, Arc::new(backend.clone())).unwrap()
}

/// Server that returns the value of the request as text.
fn reply_with_value(request: &[u8]) -> Option<Vec<u8>> {
    let request: SetBoolRequest = from_bytes(request).ok()?;
    let message = format!("got {}", request.data);
    let success = true;
    Some(to_bytes(&SetBoolResponse { success, message }))
}

#[test]
fn topics_reach_the_subscriptions_of_the_backend() {
    let (backend, node) = node_in_memory();
    let received = Arc::new(Mutex::new(Vec::new()));
    let for_callback = Arc::clone(&received);
    let callback = Box::new(move |bytes: &[u8]| {
        let text: Text = from_bytes(bytes).unwrap();
        for_callback.lock().push(text.data);
    });
    let subscription = node
        .subscription("chatter", Text::info(), &Qos::DEFAULT, callback)
        .unwrap();
    let publisher = node
        .publisher("/chatter", Text::info(), &Qos::DEFAULT)
        .unwrap();
    let data = "hello".to_owned();
    let message = to_bytes(&Text { data });
    let delivery = node.network().batch(|| publisher.publish(&message));
    assert_eq!(delivery, Ok(()));
    assert_eq!(*received.lock(), ["hello"]);
    drop(subscription);
    assert!(backend.0.lock().callbacks.is_empty());
    drop(node);
    assert_eq!(publisher.publish(&message), Err(PublishError::Stopped));
}

#[test]
fn refused_endpoints_are_errors() {
    let (_, node) = node_in_memory();
    let refused = node.publisher("/refused", Text::info(), &Qos::DEFAULT);
    let error = refused.err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("this layer refuses it"));
}

#[test]
fn parameters_are_served_by_the_backend() {
    let (backend, node) = node_in_memory();
    let parameters = Arc::new(ParameterServer::new(Vec::new()).unwrap());
    let pace = Declaration::new("pace", ParameterValue::Double(2.0), "Pace");
    parameters.declare(pace).unwrap();
    let _services = ParameterServices::start(&node, &parameters).unwrap();
    let names = vec!["pace".to_owned()];
    let request = to_bytes(&GetParametersRequest { names });
    let response = backend.call("/sim/get_parameters", &request).unwrap();
    let response: GetParametersResponse = from_bytes(&response).unwrap();
    assert_eq!(response.values[0].double_value, 2.0);
    assert!(backend.call("/sim/get_parameters", &[0, 1]).is_none());
}

/// A client receives the reply to its request; a request without a server has none.
#[test]
fn clients_call_services_of_the_backend() {
    let (backend, node) = node_in_memory();
    let timeout = Duration::from_secs(5);
    let request = to_bytes(&SetBoolRequest { data: true });
    let absent = node.client::<SetBool>("absent", &Qos::SERVICE).unwrap();
    assert_eq!((absent.name(), absent.server_count()), ("/absent", 0));
    let reply = absent.call_and_wait(&request, Duration::from_millis(10));
    assert_eq!(reply, Ok(None));
    let other = node_on(&backend, "other");
    let _service = other
        .service::<SetBool>("~/set", &Qos::SERVICE, Box::new(reply_with_value))
        .unwrap();
    let client = node.client::<SetBool>("/other/set", &Qos::SERVICE).unwrap();
    assert_eq!(client.server_count(), 1);
    let reply = client.call_and_wait(&request, timeout).unwrap().unwrap();
    let reply: SetBoolResponse = from_bytes(&reply).unwrap();
    assert_eq!(reply.message, "got true");
}

/// A client reaches a service of its own node without the backend, until the service ends, also
/// with a type that is known at run time only.
#[test]
fn clients_call_services_of_their_node_at_once() {
    let (backend, node) = node_in_memory();
    let info = crate::msg::services();
    let info = info.iter().find(|info| info.name == "std_srvs/srv/SetBool");
    let info = info.expect("the type is in the list");
    let handler = respond_at_once(Box::new(reply_with_value));
    let service = node.service_of_type(info, "~/set", &Qos::SERVICE, handler);
    let client = node.client_of_type(info, "/sim/set", &Qos::SERVICE);
    let client = client.unwrap();
    let short = client.call_and_wait(&[0, 1, 0], Duration::ZERO);
    assert_eq!(short, Err(PublishError::NotCdr));
    // the backend has no such service any more
    backend.0.lock().handlers.clear();
    assert_eq!(client.server_count(), 1);
    let request = to_bytes(&SetBoolRequest { data: true });
    let reply = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&reply);
    let keep = move |bytes: &[u8]| *keep.lock() = bytes.to_vec();
    client.call(&request, Box::new(keep)).unwrap();
    let message: SetBoolResponse = from_bytes(&reply.lock()).unwrap();
    assert_eq!(message.message, "got true");
    drop(service);
    assert_eq!(client.server_count(), 0);
}

#[test]
fn the_clock_follows_use_sim_time() {
    let (backend, node) = node_in_memory();
    let parameters = Arc::new(ParameterServer::new(Vec::new()).unwrap());
    let clock = Clock::new(&node, &parameters).unwrap();
    assert!(clock.now().unwrap().sec > 1_700_000_000, "wall time");
    let set = |value| {
        let change = ("use_sim_time".to_owned(), ParameterValue::Bool(value));
        assert_eq!(parameters.set(&[change]), [Ok(())]);
    };
    set(true);
    assert_eq!(
        clock.now().unwrap().to_nanos(),
        0,
        "before the first message"
    );
    let info = rosgraph_msgs::Clock::info();
    let publisher = node.publisher("/clock", info, &Qos::CLOCK).unwrap();
    let time = Time::from_nanos(12_500_000_000);
    let message = to_bytes(&rosgraph_msgs::Clock { clock: time });
    publisher.publish(&message).unwrap();
    assert_eq!(clock.now().unwrap().to_nanos(), 12_500_000_000);
    set(false);
    assert!(clock.now().unwrap().sec > 1_700_000_000, "wall time again");
    assert!(!backend.0.lock().callbacks.contains_key("/clock"));
}

#[test]
fn warnings_of_the_backend_are_logged() {
    let (backend, _node) = node_in_memory();
    let warn = backend.0.lock().warn.take().unwrap();
    warn("incompatible QoS");
    let logged = backend.published::<Log>("/rosout");
    assert_eq!(logged.len(), 1);
    assert_eq!(
        (logged[0].msg.as_str(), logged[0].level),
        ("incompatible QoS", 30)
    );
}
