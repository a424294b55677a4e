//! What a node of the mission is: its topics, services and timers, and the functions that handle
//! them.
//!
//! A node knows no network and no clock: an executor passes it messages and times, and takes what
//! it publishes from an [`Outbox`]. The same node therefore runs in real time and in lock-step, and
//! its results depend on its inputs and their order only.

use std::marker::PhantomData;
use std::sync::Arc;

use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::{Message, Service, ServiceInfo, TypeInfo};
use merrow_ros2::qos::Qos;

/// A node of the mission.
pub trait Node: Send + Sized + 'static {
    /// Declares the topics, services and timers of the node, and the methods that handle them. An
    /// executor calls it once, before any other method.
    fn declare(&self, ports: &mut Ports<Self>);
}

/// A topic that a node publishes.
#[derive(Debug)]
pub struct Output<M> {
    topic: Arc<str>,
    qos: Qos,
    message: PhantomData<fn(M)>,
}

impl<M: Message> Output<M> {
    /// Names a topic, absolute with a leading slash.
    pub fn new(topic: impl AsRef<str>, qos: Qos) -> Self {
        Self {
            topic: topic.as_ref().into(),
            qos,
            message: PhantomData,
        }
    }

    /// Returns the name of the topic.
    pub fn topic(&self) -> &str {
        &self.topic
    }
}

impl<M> Clone for Output<M> {
    fn clone(&self) -> Self {
        Self {
            topic: Arc::clone(&self.topic),
            ..*self
        }
    }
}

/// A service that a node calls.
#[derive(Debug)]
pub struct Remote<S> {
    name: Arc<str>,
    service: PhantomData<fn(S)>,
}

impl<S: Service> Remote<S> {
    /// Names a service, absolute with a leading slash.
    pub fn new(name: impl AsRef<str>) -> Self {
        Self {
            name: name.as_ref().into(),
            service: PhantomData,
        }
    }
}

/// Description of a topic of a node.
#[derive(Clone, Debug)]
pub struct Topic {
    /// Absolute name.
    pub topic: Arc<str>,
    /// Type of the messages.
    pub message: &'static TypeInfo,
    /// Quality of service.
    pub qos: Qos,
    /// Whether the node can work without another node on this topic.
    pub is_optional: bool,
}

/// Description of a service that a node calls.
#[derive(Clone, Debug)]
pub struct Called {
    /// Absolute name.
    pub name: Arc<str>,
    /// Types of the service.
    pub service: ServiceInfo,
}

/// Method of a node that handles encoded bytes; the error says why they cannot be decoded.
type Handler<N> = Box<dyn Fn(&mut N, &[u8], &mut Outbox) -> Result<(), String> + Send>;

/// Method of a node that is called periodically.
type Timer<N> = Box<dyn Fn(&mut N, &mut Outbox) + Send>;

/// Topics, services and timers that a node declares.
pub struct Ports<N> {
    interface: Interface,
    messages: Vec<Handler<N>>,
    responses: Vec<Handler<N>>,
    timers: Vec<Timer<N>>,
}

/// Topics, services and timers of a node, without the methods that handle them.
#[derive(Clone, Debug, Default)]
struct Interface {
    inputs: Vec<Topic>,
    outputs: Vec<Topic>,
    services: Vec<Called>,
    /// Periods of the timers [ns].
    periods_ns: Vec<u64>,
}

/// Wraps a method that handles decoded messages.
fn decoding<N, M: Message>(handle: impl Fn(&mut N, M, &mut Outbox) + Send + 'static) -> Handler<N> {
    Box::new(move |node, bytes, outbox| {
        let message = from_bytes(bytes).map_err(|e| e.to_string())?;
        handle(node, message, outbox);
        Ok(())
    })
}

impl<N: Node> Ports<N> {
    /// Subscribes to a topic, absolute with a leading slash. The executor reports a topic without
    /// publisher as an error.
    pub fn subscribes<M: Message>(
        &mut self,
        topic: impl AsRef<str>,
        qos: Qos,
        handle: impl Fn(&mut N, M, &mut Outbox) + Send + 'static,
    ) {
        self.subscribe(topic.as_ref(), qos, false, decoding(handle), M::info());
    }

    /// Subscribes to a topic that may have no publisher, such as the commands of an operator.
    pub fn subscribes_if_present<M: Message>(
        &mut self,
        topic: impl AsRef<str>,
        qos: Qos,
        handle: impl Fn(&mut N, M, &mut Outbox) + Send + 'static,
    ) {
        self.subscribe(topic.as_ref(), qos, true, decoding(handle), M::info());
    }

    fn subscribe(
        &mut self,
        topic: &str,
        qos: Qos,
        is_optional: bool,
        handler: Handler<N>,
        message: &'static TypeInfo,
    ) {
        self.messages.push(handler);
        self.interface.inputs.push(Topic {
            topic: topic.into(),
            message,
            qos,
            is_optional,
        });
    }

    /// Declares a topic that the node publishes.
    pub fn publishes<M: Message>(&mut self, output: &Output<M>) {
        self.publish(output, true);
    }

    /// Declares a topic that the node publishes and that somebody has to receive, such as the
    /// commands of a boat.
    pub fn commands<M: Message>(&mut self, output: &Output<M>) {
        self.publish(output, false);
    }

    fn publish<M: Message>(&mut self, output: &Output<M>, is_optional: bool) {
        self.interface.outputs.push(Topic {
            topic: Arc::clone(&output.topic),
            message: M::info(),
            qos: output.qos,
            is_optional,
        });
    }

    /// Declares a service that the node calls, and the method that handles the responses. In
    /// lock-step the response is handled at the time of the call.
    pub fn calls<S: Service>(
        &mut self,
        remote: &Remote<S>,
        handle: impl Fn(&mut N, S::Response, &mut Outbox) + Send + 'static,
    ) {
        self.responses.push(decoding(handle));
        self.interface.services.push(Called {
            name: Arc::clone(&remote.name),
            service: S::info(),
        });
    }

    /// Calls a method every `period_s` seconds of the time of the mission, first at its start.
    pub fn every(&mut self, period_s: f64, handle: impl Fn(&mut N, &mut Outbox) + Send + 'static) {
        self.timers.push(Box::new(handle));
        let period_ns = (period_s * 1e9).round().max(1.0) as u64;
        self.interface.periods_ns.push(period_ns);
    }
}

/// What a node does in reaction to an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Publishes a message.
    Publish {
        /// Topic.
        topic: Arc<str>,
        /// Encoded message with its encapsulation header.
        bytes: Vec<u8>,
    },
    /// Calls a service.
    Call {
        /// Service.
        name: Arc<str>,
        /// Encoded request with its encapsulation header.
        request: Vec<u8>,
    },
    /// Reports a line to the user.
    Log(String),
}

/// Actions of a node, in order, and the time at which it acts.
#[derive(Debug, Default)]
pub struct Outbox {
    now_ns: u64,
    actions: Vec<Action>,
}

impl Outbox {
    /// Returns an empty outbox at a time [ns].
    pub fn at(now_ns: u64) -> Self {
        Self {
            now_ns,
            actions: Vec::new(),
        }
    }

    /// Returns the time of the mission [ns]: the time of the simulation, or of the machine.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Publishes a message on a declared topic.
    pub fn publish<M: Message>(&mut self, output: &Output<M>, message: &M) {
        self.actions.push(Action::Publish {
            topic: Arc::clone(&output.topic),
            bytes: to_bytes(message),
        });
    }

    /// Calls a declared service.
    pub fn call<S: Service>(&mut self, remote: &Remote<S>, request: &S::Request) {
        self.actions.push(Action::Call {
            name: Arc::clone(&remote.name),
            request: to_bytes(request),
        });
    }

    /// Reports a line to the user.
    pub fn log(&mut self, line: impl Into<String>) {
        self.actions.push(Action::Log(line.into()));
    }

    /// Removes and returns the actions.
    pub fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }
}

/// Input of a node, by its index in the order of declaration.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Encoded message of a subscription.
    Message(usize, &'a [u8]),
    /// Encoded response of a service.
    Response(usize, &'a [u8]),
    /// A timer is due.
    Timer(usize),
}

/// Passes an input to a node; the error says why it cannot be decoded.
type Handle = dyn FnMut(Input<'_>, &mut Outbox) -> Result<(), String> + Send;

/// A node of any type with its name, for executors.
pub struct Component {
    name: String,
    interface: Interface,
    node: Box<Handle>,
}

impl Component {
    /// Names a node, such as `usv_mapper`, and takes what it declares.
    pub fn new<N: Node>(name: impl Into<String>, mut node: N) -> Self {
        let mut ports = Ports {
            interface: Interface::default(),
            messages: Vec::new(),
            responses: Vec::new(),
            timers: Vec::new(),
        };
        node.declare(&mut ports);
        let Ports {
            interface,
            messages,
            responses,
            timers,
        } = ports;
        let node = move |input: Input<'_>, outbox: &mut Outbox| match input {
            Input::Message(k, bytes) => messages[k](&mut node, bytes, outbox),
            Input::Response(k, bytes) => responses[k](&mut node, bytes, outbox),
            Input::Timer(k) => {
                timers[k](&mut node, outbox);
                Ok(())
            }
        };
        Self {
            name: name.into(),
            interface,
            node: Box::new(node),
        }
    }

    /// Returns the name of the node.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the subscriptions.
    pub fn inputs(&self) -> &[Topic] {
        &self.interface.inputs
    }

    /// Returns the published topics.
    pub fn outputs(&self) -> &[Topic] {
        &self.interface.outputs
    }

    /// Returns the called services.
    pub fn services(&self) -> &[Called] {
        &self.interface.services
    }

    /// Returns the periods of the timers [ns].
    pub fn periods_ns(&self) -> &[u64] {
        &self.interface.periods_ns
    }

    /// Passes an input to the node, which appends its actions.
    ///
    /// # Errors
    /// The bytes are no message of the declared type.
    ///
    /// # Panics
    /// The index of the input is not declared.
    pub fn handle(&mut self, input: Input<'_>, outbox: &mut Outbox) -> Result<(), String> {
        (self.node)(input, outbox)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::msg::std_msgs::Float64;
    use merrow_ros2::msg::std_srvs::{Trigger, TriggerRequest, TriggerResponse};

    /// Adds up what it receives; publishes the sum every second, and calls a service at 10.
    struct Sum {
        sum: f64,
        out: Output<Float64>,
        full: Remote<Trigger>,
    }

    impl Node for Sum {
        fn declare(&self, ports: &mut Ports<Self>) {
            ports.publishes(&self.out);
            ports.subscribes("/in", Qos::DEFAULT, |sum, number: Float64, outbox| {
                sum.sum += number.data;
                if sum.sum >= 10.0 {
                    outbox.call(&sum.full, &TriggerRequest {});
                }
            });
            ports.calls(&self.full, |sum, response, outbox| {
                sum.sum = 0.0;
                outbox.log(response.message);
            });
            ports.every(1.0, |sum, outbox| {
                outbox.publish(&sum.out, &Float64 { data: sum.sum });
            });
        }
    }

    #[test]
    fn inputs_reach_the_declared_methods() {
        let node = Sum {
            sum: 0.0,
            out: Output::new("/sum", Qos::DEFAULT),
            full: Remote::new("/full"),
        };
        let mut component = Component::new("sum", node);
        assert_eq!(component.periods_ns(), [1_000_000_000]);
        assert_eq!(component.services()[0].service.name, Trigger::TYPE);
        let mut outbox = Outbox::at(5);
        let six = to_bytes(&Float64 { data: 6.0 });
        component
            .handle(Input::Message(0, &six), &mut outbox)
            .unwrap();
        component.handle(Input::Timer(0), &mut outbox).unwrap();
        let published = Action::Publish {
            topic: "/sum".into(),
            bytes: six.clone(),
        };
        assert_eq!(outbox.take(), [published]);
        component
            .handle(Input::Message(0, &six), &mut outbox)
            .unwrap();
        let [Action::Call { name, .. }] = &outbox.take()[..] else {
            panic!("expected one call");
        };
        assert_eq!(&**name, "/full");
        let response = TriggerResponse {
            success: true,
            message: "emptied".to_owned(),
        };
        let response = to_bytes(&response);
        component
            .handle(Input::Response(0, &response), &mut outbox)
            .unwrap();
        assert_eq!(outbox.take(), [Action::Log("emptied".to_owned())]);
        let error = component.handle(Input::Message(0, &[0, 1, 0, 0]), &mut outbox);
        assert!(error.is_err());
    }
}
