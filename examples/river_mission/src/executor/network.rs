//! The ROS node of a process: its subscriptions, publishers and clients, and one queue of what
//! arrives.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use merrow_ros2::args::NodeOptions;
use merrow_ros2::message::ServiceInfo;
use merrow_ros2::node::{Client, Node, Publisher, Subscription};
use merrow_ros2::qos::{History, Qos};

use super::dispatch::Published;
use super::{ExecutorError, Supervisor};
use crate::node::Topic;

/// Time between two checks of the supervisor while the executor waits.
const CHECK_PERIOD: Duration = Duration::from_millis(100);

/// Time between two checks of acknowledgements, which take about a millisecond.
const RECEIVED_PERIOD: Duration = Duration::from_micros(100);

/// What arrives from the network.
pub(super) enum Event {
    /// A message of a subscribed topic, by its index.
    Message(usize, Vec<u8>),
    /// The response of a call, by its number.
    Response(u64, Vec<u8>),
}

/// The ROS node.
pub(super) struct Network {
    node: Node,
    inputs: Vec<Topic>,
    outputs: Vec<Topic>,
    publishers: BTreeMap<Arc<str>, Publisher>,
    clients: BTreeMap<Arc<str>, Client>,
    subscriptions: Vec<Subscription>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    calls: u64,
}

impl Network {
    /// Joins the network with subscriptions and publishers of these topics. With `keeps_all`, no
    /// message is dropped for a newer one.
    pub(super) fn join(
        options: &NodeOptions,
        inputs: Vec<Topic>,
        outputs: Vec<Topic>,
        keeps_all: bool,
    ) -> Result<Self, ExecutorError> {
        let node = Node::new(options).map_err(ExecutorError::new)?;
        let (sender, events) = channel();
        let mut subscriptions = Vec::new();
        for (k, input) in inputs.iter().enumerate() {
            let qos = match keeps_all {
                true => Qos {
                    history: History::KeepAll,
                    ..input.qos
                },
                false => input.qos,
            };
            let to = sender.clone();
            // the receiver ends with the executor
            let pass = move |bytes: &[u8]| drop(to.send(Event::Message(k, bytes.to_vec())));
            let made = node.subscription(&input.topic, input.message, &qos, Box::new(pass));
            subscriptions.push(made.map_err(ExecutorError::new)?);
        }
        let mut publishers = BTreeMap::new();
        for output in &outputs {
            let made = node.publisher(&output.topic, output.message, &output.qos);
            let made = made.map_err(ExecutorError::new)?;
            publishers.insert(Arc::clone(&output.topic), made);
        }
        Ok(Self {
            node,
            inputs,
            outputs,
            publishers,
            clients: BTreeMap::new(),
            subscriptions,
            events,
            sender,
            calls: 0,
        })
    }

    /// Returns the subscribed topics.
    pub(super) fn inputs(&self) -> &[Topic] {
        &self.inputs
    }

    /// Adds a client, unless there is one of the service.
    pub(super) fn add_client(
        &mut self,
        name: &Arc<str>,
        info: &ServiceInfo,
    ) -> Result<(), ExecutorError> {
        if !self.clients.contains_key(name) {
            let client = self.node.client_of_type(info, name, &Qos::SERVICE);
            let client = client.map_err(ExecutorError::new)?;
            self.clients.insert(Arc::clone(name), client);
        }
        Ok(())
    }

    /// Returns what is missing: publishers of required topics, subscribers of required commands, and
    /// servers, each as a part of a sentence.
    ///
    /// # Errors
    /// A topic has another type than expected.
    pub(super) fn missing(&self) -> Result<Vec<String>, ExecutorError> {
        let remote = self.node.network().remote_topics();
        let mut missing = Vec::new();
        for (input, subscription) in self.inputs.iter().zip(&self.subscriptions) {
            // the name after remapping
            let name = subscription.topic();
            let mut found = remote.iter().filter(|topic| *topic.name == *name);
            match found.next() {
                Some(topic) if topic.message_type != input.message.name => {
                    return Err(ExecutorError(format!(
                        "{name} has the type {}; expected {}",
                        topic.message_type, input.message.name
                    )));
                }
                Some(_) => {}
                None if input.is_optional => {}
                None => missing.push(format!("publisher of {name}")),
            }
        }
        for output in self.outputs.iter().filter(|output| !output.is_optional) {
            let publisher = &self.publishers[&output.topic];
            if publisher.subscriber_count() == 0 {
                missing.push(format!("subscriber of {}", publisher.topic()));
            }
        }
        let clients = self.clients.values();
        let without = clients.filter(|client| client.server_count() == 0);
        missing.extend(without.map(|client| format!("service {}", client.name())));
        Ok(missing)
    }

    /// Waits until nothing is [`Self::missing`].
    ///
    /// # Errors
    /// One line: the first things that are still missing after `timeout`, a topic of another type, or
    /// the error of the supervisor.
    pub(super) fn wait_for_peers(
        &self,
        timeout: Duration,
        supervisor: &mut dyn Supervisor,
    ) -> Result<(), ExecutorError> {
        let end = Instant::now() + timeout;
        loop {
            supervisor.check().map_err(ExecutorError)?;
            let missing = self.missing()?;
            if missing.is_empty() {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(ExecutorError(format!(
                    "no {} within {} s; check that the world has these robots and sensors and that \
                     ROS_DOMAIN_ID is the same",
                    listed(&missing),
                    timeout.as_secs()
                )));
            }
            std::thread::sleep(CHECK_PERIOD / 5);
        }
    }

    /// Publishes messages. Returns whether one has subscribers.
    pub(super) fn publish(&self, messages: &[Published]) -> Result<bool, ExecutorError> {
        let mut is_received = false;
        for message in messages {
            if let Some(publisher) = self.publishers.get(&message.topic) {
                is_received |= publisher.subscriber_count() > 0;
                let sent = publisher.publish(&message.bytes);
                sent.map_err(|why| ExecutorError(format!("{}: {why}", message.topic)))?;
            }
        }
        Ok(is_received)
    }

    /// Sends a request and returns its number, with which the response arrives.
    pub(super) fn call(&mut self, name: &str, request: &[u8]) -> Result<u64, ExecutorError> {
        self.calls += 1;
        let (number, to) = (self.calls, self.sender.clone());
        let pass = move |bytes: &[u8]| drop(to.send(Event::Response(number, bytes.to_vec())));
        let client = self.clients.get(name);
        let client = client.ok_or_else(|| ExecutorError(format!("{name}: no client")))?;
        let called = client.call(request, Box::new(pass));
        called.map_err(|why| ExecutorError(format!("{name}: {why}")))?;
        Ok(number)
    }

    /// Waits for the next event, until `end` at most; `None` without one.
    ///
    /// # Errors
    /// The error of the supervisor.
    pub(super) fn next(
        &self,
        end: Instant,
        supervisor: &mut dyn Supervisor,
    ) -> Result<Option<Event>, ExecutorError> {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(CHECK_PERIOD)) {
                Ok(event) => return Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => supervisor.check().map_err(ExecutorError)?,
                // this object holds a sender
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
            if Instant::now() >= end {
                return Ok(None);
            }
        }
    }

    /// Waits until the subscribers have received all messages.
    ///
    /// # Errors
    /// They have not within `timeout`, or the error of the supervisor.
    pub(super) fn wait_until_received(
        &self,
        timeout: Duration,
        supervisor: &mut dyn Supervisor,
    ) -> Result<(), ExecutorError> {
        let network = self.node.network();
        let start = Instant::now();
        let mut next_check = start + CHECK_PERIOD;
        while network.all_received() == Some(false) {
            let now = Instant::now();
            if now >= next_check {
                supervisor.check().map_err(ExecutorError)?;
                next_check = now + CHECK_PERIOD;
            }
            if now - start > timeout {
                return Err(ExecutorError(format!(
                    "a subscriber has not acknowledged its messages within {} s; end viewers and \
                     nodes that have stopped",
                    timeout.as_secs()
                )));
            }
            std::thread::sleep(RECEIVED_PERIOD);
        }
        Ok(())
    }
}

/// Lists the first three things, and the number of the others.
fn listed(things: &[String]) -> String {
    let first = things.iter().take(3).map(String::as_str);
    let mut text = first.collect::<Vec<_>>().join(", no ");
    if things.len() > 3 {
        text += &format!(" and {} more", things.len() - 3);
    }
    text
}
