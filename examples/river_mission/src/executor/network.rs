//! The ROS node of a process: its subscriptions, publishers and clients, and one queue of what
//! arrives.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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

/// What has arrived and has not been handled.
#[derive(Default)]
struct Queue {
    events: Mutex<VecDeque<Event>>,
    arrival: Condvar,
}

impl Queue {
    /// Adds an event. Of a topic that keeps its last messages no more are kept here: the oldest goes.
    fn push(&self, event: Event, history: History) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Event::Message(topic, _), History::KeepLast(depth)) = (&event, history) {
            let is_same = |other: &Event| matches!(other, Event::Message(k, _) if k == topic);
            if events.iter().filter(|other| is_same(other)).count() >= depth.max(1) as usize {
                let oldest = events.iter().position(is_same);
                oldest.and_then(|k| events.remove(k));
            }
        }
        events.push_back(event);
        self.arrival.notify_one();
    }

    /// Waits for an event, for `timeout` at most.
    fn pop(&self, timeout: Duration) -> Option<Event> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let is_empty = |events: &mut VecDeque<Event>| events.is_empty();
        let waited = self.arrival.wait_timeout_while(events, timeout, is_empty);
        waited.unwrap_or_else(PoisonError::into_inner).0.pop_front()
    }
}

/// The ROS node.
pub(super) struct Network {
    node: Node,
    inputs: Vec<Topic>,
    outputs: Vec<Topic>,
    publishers: BTreeMap<Arc<str>, Publisher>,
    clients: BTreeMap<Arc<str>, Client>,
    subscriptions: Vec<Subscription>,
    queue: Arc<Queue>,
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
        let queue = Arc::new(Queue::default());
        let mut subscriptions = Vec::new();
        for (k, input) in inputs.iter().enumerate() {
            let qos = match keeps_all {
                true => Qos {
                    history: History::KeepAll,
                    ..input.qos
                },
                false => input.qos,
            };
            let (to, history) = (Arc::clone(&queue), qos.history);
            let pass = move |bytes: &[u8]| to.push(Event::Message(k, bytes.to_vec()), history);
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
            queue,
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
        let (number, to) = (self.calls, Arc::clone(&self.queue));
        let pass = move |bytes: &[u8]| {
            to.push(Event::Response(number, bytes.to_vec()), History::KeepAll);
        };
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
            let event = self.queue.pop(left.min(CHECK_PERIOD));
            if event.is_some() {
                return Ok(event);
            }
            supervisor.check().map_err(ExecutorError)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A node that does not read keeps the last messages of each topic, and all responses.
    #[test]
    fn the_queue_keeps_the_last_messages() {
        let queue = Queue::default();
        for k in 0..100 {
            queue.push(Event::Message(0, vec![k]), History::KeepLast(3));
            queue.push(Event::Message(1, vec![k]), History::KeepLast(1));
            queue.push(Event::Response(k.into(), Vec::new()), History::KeepAll);
        }
        let mut kept = [Vec::new(), Vec::new()];
        let mut responses = 0;
        while let Some(event) = queue.pop(Duration::ZERO) {
            match event {
                Event::Message(topic, bytes) => kept[topic].push(bytes[0]),
                Event::Response(..) => responses += 1,
            }
        }
        assert_eq!((kept, responses), ([vec![97, 98, 99], vec![99]], 100));
    }
}
