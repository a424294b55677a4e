//! Topics of other nodes that pages of the live view plot.

use crate::controls::{MessageNumbers, TopicInfo, TopicMessage};
use crate::readings::plotted::PlottedTopics;
use crate::readings::topic_table::TopicTable;
use bytes::Bytes;
use merrow_ros2::backend::{RemoteTopic, TopicDescription};
use merrow_ros2::message::TypeInfo;
use merrow_ros2::node::{Network, Subscription};
use merrow_ros2::qos::Qos;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Returns the message type with a ROS name; `None` if it is not known.
pub type FindType = fn(&str) -> Option<&'static TypeInfo>;

/// Subscriptions to topics of other nodes, while a page plots them.
pub struct ForeignTopics {
    network: Network,
    find_type: FindType,
    /// Subscriptions by topic, with the types of their messages.
    subscriptions: Mutex<HashMap<String, (Subscription, &'static TypeInfo)>>,
    /// Definitions of the subscribed topics, also while their publishers are absent.
    table: Mutex<Arc<TopicTable>>,
    /// Messages that wait for the view.
    waiting: Arc<PlottedTopics>,
}

impl ForeignTopics {
    /// Creates the topics of the other nodes on a network. `find_type` returns the message types
    /// that can be decoded.
    pub fn new(network: Network, find_type: FindType) -> Self {
        Self {
            network,
            find_type,
            subscriptions: Mutex::default(),
            table: Mutex::default(),
            waiting: Arc::default(),
        }
    }

    /// Returns the topics of other nodes whose message type is known, without the topics of the
    /// simulator itself, `own`.
    fn remote(&self, own: &TopicTable) -> Vec<(RemoteTopic, &'static TypeInfo)> {
        let remote = self.network.remote_topics().into_iter();
        let known = remote.filter(|topic| !own.contains(&topic.name));
        known
            .filter_map(|topic| {
                let info = (self.find_type)(&topic.message_type)?;
                Some((topic, info))
            })
            .collect()
    }

    /// Returns the topics that can be plotted, without the topics `own` of the simulator.
    pub fn topics(&self, own: &TopicTable) -> Vec<TopicInfo> {
        let info = |(topic, _): (RemoteTopic, _)| TopicInfo {
            name: topic.name,
            message_type: topic.message_type,
        };
        self.remote(own).into_iter().map(info).collect()
    }

    /// Subscribes to the topics of other nodes among `topics`, and ends all other subscriptions.
    pub fn plot(&self, topics: &[String], own: &TopicTable) {
        let is_foreign = |topic: &&String| !own.contains(topic);
        let wanted: Vec<String> = topics.iter().filter(is_foreign).cloned().collect();
        self.waiting.set(&wanted);
        let mut subscriptions = self.subscriptions.lock();
        if wanted.is_empty() && subscriptions.is_empty() {
            return;
        }
        subscriptions.retain(|topic, _| wanted.contains(topic));
        let remote = self.remote(own);
        for (topic, info) in &remote {
            let is_new = wanted.contains(&topic.name) && !subscriptions.contains_key(&topic.name);
            // a network that has ended refuses the endpoint, and the run ends too
            if is_new && let Ok(new) = self.subscribe(topic, info) {
                subscriptions.insert(topic.name.clone(), (new, *info));
            }
        }
        let names = subscriptions
            .iter()
            .map(|(name, (_, info))| (name.as_str(), info.name, info.definition.as_str()));
        *self.table.lock() = Arc::new(TopicTable::new(names));
    }

    /// Subscribes to a topic; its messages wait for the view.
    fn subscribe(&self, topic: &RemoteTopic, info: &TypeInfo) -> Result<Subscription, String> {
        let (waiting, name) = (Arc::clone(&self.waiting), topic.name.clone());
        let description = TopicDescription {
            name: &topic.name,
            message: info,
            // matches the publishers of every quality of service
            qos: &Qos::SENSOR_SUBSCRIPTION,
        };
        let add = move |bytes: &[u8]| {
            waiting.add(&name, 0, &Bytes::copy_from_slice(bytes), false);
        };
        self.network.subscription(&description, Box::new(add))
    }

    /// Returns the messages since the preceding call, with the simulated time `now_ns` [ns].
    pub fn take(&self, now_ns: u64) -> Vec<TopicMessage> {
        let mut messages = self.waiting.take();
        messages
            .iter_mut()
            .for_each(|message| message.time_ns = now_ns);
        messages
    }

    /// Decodes the numbers of a message; `None` if its topic is not subscribed or its bytes are not
    /// valid.
    pub fn numbers(&self, message: &TopicMessage) -> Option<MessageNumbers> {
        let table = Arc::clone(&self.table.lock());
        table.numbers(message)
    }
}
