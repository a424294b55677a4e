//! Messages of the topics that pages of the live view plot.

use crate::controls::TopicMessage;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number and maximum size [bytes] of the messages that wait for the view. Older messages
/// are discarded.
const MAX_MESSAGES: usize = 16_384;
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Topics that pages plot, and their messages that wait for the view.
#[derive(Debug, Default)]
pub struct PlottedTopics {
    /// Whether there are topics, so that a run without plots does not lock.
    is_active: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    topics: Vec<Arc<str>>,
    messages: VecDeque<TopicMessage>,
    bytes: usize,
}

impl PlottedTopics {
    /// Replaces the plotted topics. Messages of other topics are discarded.
    pub fn set(&self, topics: &[String]) {
        let mut waiting = self.waiting.lock();
        waiting.topics = topics.iter().map(|topic| topic.as_str().into()).collect();
        let Waiting {
            topics, messages, ..
        } = &mut *waiting;
        messages.retain(|message| topics.contains(&message.topic));
        waiting.bytes = waiting.messages.iter().map(|m| m.bytes.len()).sum();
        self.is_active
            .store(!waiting.topics.is_empty(), Ordering::Relaxed);
    }

    /// Returns true if a page plots a topic.
    pub fn contains(&self, topic: &str) -> bool {
        self.is_active.load(Ordering::Relaxed)
            && self
                .waiting
                .lock()
                .topics
                .iter()
                .any(|known| is_same(known, topic))
    }

    /// Adds a message that was published at `time_ns` [ns], if a page plots its topic. `is_first`:
    /// the message replaces all earlier messages of the topic.
    pub fn add(&self, topic: &str, time_ns: u64, bytes: &Bytes, is_first: bool) {
        if !self.is_active.load(Ordering::Relaxed) {
            return;
        }
        let mut waiting = self.waiting.lock();
        let known = waiting.topics.iter().find(|known| is_same(known, topic));
        let Some(topic) = known.cloned() else {
            return;
        };
        waiting.bytes += bytes.len();
        waiting.messages.push_back(TopicMessage {
            topic,
            time_ns,
            bytes: bytes.clone(),
            is_first,
        });
        while waiting.messages.len() > MAX_MESSAGES || waiting.bytes > MAX_BYTES {
            let Some(oldest) = waiting.messages.pop_front() else {
                break;
            };
            waiting.bytes -= oldest.bytes.len();
        }
    }

    /// Returns the messages since the preceding call, in the order of publication.
    pub fn take(&self) -> Vec<TopicMessage> {
        if !self.is_active.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut waiting = self.waiting.lock();
        waiting.bytes = 0;
        waiting.messages.drain(..).collect()
    }
}

/// Returns true if two names are the same topic. Names in a plan have no leading slash.
fn is_same(a: &str, b: &str) -> bool {
    a.trim_start_matches('/') == b.trim_start_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    // Only messages of plotted topics wait, and at most 16,384 messages or 64 MiB. Method: more
    // messages than either limit.
    #[test]
    fn the_newest_messages_of_plotted_topics_wait() {
        let plotted = PlottedTopics::default();
        let small = Bytes::from_static(&[0; 8]);
        plotted.add("/a", 0, &small, false);
        assert!(plotted.take().is_empty());
        plotted.set(&["/a".to_string(), "/b".to_string()]);
        assert!(plotted.contains("/a") && !plotted.contains("/c"));
        for k in 0..20_000 {
            plotted.add(["a", "/b", "/c"][k % 3], k as u64, &small, false);
        }
        plotted.add("/b", 20_000, &Bytes::from(vec![0; MAX_BYTES - 80]), false);
        let waiting = plotted.take();
        let times: Vec<u64> = waiting.iter().map(|message| message.time_ns).collect();
        assert_eq!(times.len(), 11, "{times:?}");
        assert!(times.is_sorted() && times.last() == Some(&20_000));
        plotted.add("/a", 1, &small, false);
        plotted.set(&["/b".to_string()]);
        assert!(plotted.take().is_empty());
    }
}
